"""What a run of foreign code did to the tree it ran in: files rewritten, files left. Reads names and inodes only.

Must not follow links or open anything foreign code has left: a changed status time is enough to know that a file was
written to, even when its old bytes were put back.
"""

import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

FILE_LIMIT = 400_000
"""Files looked at in one tree; what lies beyond is not judged, and the verdict says so."""

_CODE = frozenset({".py", ".pyi", ".pyx", ".pyd", ".so", ".pyc", ".pth", ".egg-link"})
_DATA_CACHES = frozenset({".pytest_cache", ".hypothesis", ".mypy_cache", ".ruff_cache", "htmlcov"})
_CACHES = _DATA_CACHES | {"__pycache__"}
"""Folders tools keep their own records in; tracked bytecode is no such record, so it may not change."""
_OURS = frozenset({".git"})

Stamp = tuple[int, int, int, int]
"""Inode, mode, size, status-change time (ns): foreign code can set back any time of a file but the last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Touched:
    """Relative posix paths a run changed in its tree."""

    rewritten: tuple[str, ...] = ()
    """Files of the tree written to, replaced or removed while the suite ran."""
    planted: tuple[str, ...] = ()
    """New files the interpreter could load, outside of caches."""
    complete: bool = True
    """False: the tree became too large to look at."""


def stamps(root: Path) -> Mapping[str, Stamp]:
    """Every file below `root` but git's own; links are files here."""
    found: dict[str, Stamp] = {}
    for path, stamp in _walk(root):
        found[path] = stamp
        if len(found) > FILE_LIMIT:
            break
    return found


def _walk(root: Path) -> Iterator[tuple[str, Stamp]]:
    """Relative posix paths, put together from names: asking each path for its own takes as long as all the rest."""
    pending = [(root, "")]
    while pending:
        folder, above = pending.pop()
        try:
            inside = list(folder.iterdir())
        except OSError:  # locked or vanished: what was in it counts as removed
            continue
        for path in inside:
            try:
                status = path.lstat()
            except OSError:
                continue
            name = path.name
            if not above and name in _OURS:
                continue
            if stat.S_ISDIR(status.st_mode):
                pending.append((path, f"{above}{name}/"))
            else:
                yield f"{above}{name}", (status.st_ino, status.st_mode, status.st_size, status.st_ctime_ns)


def _of_a_test(bytecode: PurePosixPath) -> bool:
    name = bytecode.name
    return name.startswith(("test_", "conftest.")) or name.split(".", 1)[0].endswith("_test") or "-pytest-" in name


def compare(before: Mapping[str, Stamp], after: Mapping[str, Stamp]) -> Touched:
    """What differs between two looks at one tree."""
    changed = (path for path, stamp in before.items() if after.get(path) != stamp)
    rewritten = tuple(sorted(path for path in changed if not _DATA_CACHES & set(PurePosixPath(path).parts)))
    planted = tuple(sorted(path for path in after if path not in before and _loadable(path)))
    return Touched(rewritten=rewritten, planted=planted, complete=len(after) <= FILE_LIMIT)


def _loadable(path: str) -> bool:
    pure = PurePosixPath(path)
    if pure.suffix == ".pyc" and _of_a_test(pure):
        return True  # the suite runs without writing bytecode; sources' may come from processes it starts
    return (pure.suffix in _CODE or pure.name == "conftest.py") and not _CACHES & set(pure.parts)
