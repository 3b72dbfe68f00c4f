"""Folders of one run each, locked while their owner lives, and swept when it does not.

It deletes nothing outside the folder it is given and follows no link.
"""

import fcntl
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agent.adapters.workspace.paths import remove_tree

LOCK = "owner.lock"


@contextmanager
def room(under: Path, prefix: str) -> Iterator[Path]:
    """A fresh folder, held by a lock that the kernel frees when this process dies; gone when the block ends."""
    under.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f"{prefix}-", dir=under))
    with (folder / LOCK).open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            yield folder
        finally:
            remove_tree(folder)


def sweep(under: Path) -> tuple[Path, ...]:
    """Delete folders whose owner is gone (killed before it could clean up); returns them."""
    gone = []
    for lock_file in sorted(under.glob(f"*/{LOCK}")):
        try:
            with lock_file.open("rb") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                remove_tree(lock_file.parent)
                gone.append(lock_file.parent)
        except OSError:  # held by a living owner, or swept by somebody else just now
            continue
    return tuple(gone)
