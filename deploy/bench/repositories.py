"""Generated repositories to measure on, in memory where the machine allows it; must not be kept afterwards."""

import subprocess
import tempfile
from pathlib import Path

IN_MEMORY = Path("/dev/shm")  # noqa: S108 - so that git is measured and not the disk, which differs tenfold between runs
_IDENTITY = ("-c", "user.name=bench", "-c", "user.email=bench@localhost")
_FOLDERS = 40
_TEXT = '''"""Module {number} of many."""

LIMIT_{number} = {number}


def scale_{number}(rows, factor=LIMIT_{number}):
    """Every row times the factor, none above the limit."""
    found = []
    for row in rows:
        found.append(min(row * factor, LIMIT_{number}))
    return found


class Keeper{number}:
    """Keeps what was scaled."""

    def __init__(self, rows):
        self.rows = scale_{number}(rows)

    def total(self):
        return sum(self.rows)
'''
"""Twenty lines like those of any module: what symbols, ranking and search have to go through."""


def folder() -> tempfile.TemporaryDirectory[str]:
    """A temporary folder for one bar."""
    return tempfile.TemporaryDirectory(prefix="bendcoder-bench-", dir=IN_MEMORY if IN_MEMORY.is_dir() else None)


def repository(place: Path, files: int) -> Path:
    """A git repository of so many small modules, committed and packed, with its files checked out."""
    place.mkdir(parents=True)
    for words, stream in (
        (("init", "-q", "-b", "main"), b""),
        (("fast-import", "--quiet"), _stream(files)),
        (("reset", "-q", "--hard"), b""),
    ):
        subprocess.run(["git", *words], cwd=place, input=stream, check=True, capture_output=True)
    return place


def committed(place: Path) -> Path:
    """A folder made a git repository with one commit of everything in it."""
    for words in (("init", "-q"), ("add", "-A"), (*_IDENTITY, "commit", "-q", "-m", "base")):
        subprocess.run(["git", *words], cwd=place, check=True, capture_output=True)
    return place


def _stream(files: int) -> bytes:
    """One commit as `git fast-import` reads it."""
    parts = [b"commit refs/heads/main\ncommitter bench <bench@localhost> 1767225600 +0000\ndata 4\nbase\n"]
    for number in range(files):
        text = _TEXT.format(number=number).encode()
        parts.append(b"M 100644 inline m%d/f%d.py\ndata %d\n%s\n" % (number % _FOLDERS, number, len(text), text))
    return b"".join(parts)
