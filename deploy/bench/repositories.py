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
    """A git repository of so many small modules, committed and packed."""
    for number in range(files):
        path = place / f"m{number % _FOLDERS}" / f"f{number}.py"
        if number < _FOLDERS:
            path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_TEXT.format(number=number), encoding="utf-8")
    for words in (("init", "-q"), ("add", "-A"), (*_IDENTITY, "commit", "-q", "-m", "base"), ("repack", "-adq")):
        subprocess.run(["git", *words], cwd=place, check=True, capture_output=True)
    return place
