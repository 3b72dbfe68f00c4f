"""Removes what boxes of a killed process left behind: their folders and empty control groups. Never a live box's."""

import tempfile
import time
from contextlib import suppress
from pathlib import Path

from agent.adapters.sandbox.cgroup import ROOT
from agent.adapters.workspace.paths import remove_tree

PREFIXES = ("bendcoder-box-", "bendcoder-tree-", "bendcoder-probe-")
DAY_SECONDS = 86_400.0
"""No box is open this long: every command in it has a limit of minutes."""


def sweep(parent: Path | None = None, *, older_than: float = DAY_SECONDS, groups: Path = ROOT) -> int:
    """Remove leftovers in `parent` (default: the temporary folder) older than this many seconds; how many."""
    limit = time.time() - older_than
    swept = 0
    for path in _ours(parent or Path(tempfile.gettempdir()), "*", limit):
        remove_tree(path)
        swept += 1
    for path in _ours(groups, "**/bendcoder-box-*", limit):
        with suppress(OSError):  # in use, or gone already
            path.rmdir()
            swept += 1
    return swept


def _ours(folder: Path, pattern: str, limit: float) -> list[Path]:
    found = []
    with suppress(OSError):
        for path in folder.glob(pattern):
            with suppress(OSError):
                if path.name.startswith(PREFIXES) and not path.is_symlink() and path.stat().st_mtime < limit:
                    found.append(path)
    return found
