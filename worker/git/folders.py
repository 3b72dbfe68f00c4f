"""Folders of one run each, locked while their owner lives, and swept when it does not.

It deletes nothing outside the folder it is given and follows no link.
"""

import fcntl
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from agent.adapters.workspace.paths import remove_tree

LOCK = "owner.lock"


@contextmanager
def room(under: Path, prefix: str) -> Iterator[Path]:
    """A fresh folder, held by a lock that the kernel frees when this process dies; gone when the block ends."""
    with ExitStack() as stack:
        with _door(under):
            folder = Path(tempfile.mkdtemp(prefix=f"{prefix}-", dir=under))
            stack.callback(remove_tree, folder)
            lock = stack.enter_context((folder / LOCK).open("wb"))
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield folder


def sweep(under: Path) -> tuple[Path, ...]:
    """Delete folders whose owner is gone (killed before it could clean up); returns them."""
    gone = []
    with _door(under):
        for lock_file in sorted(under.glob(f"*/{LOCK}")):
            # a living owner holds it, or has just cleaned up itself
            with suppress(BlockingIOError, FileNotFoundError), lock_file.open("rb") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                remove_tree(lock_file.parent)
                gone.append(lock_file.parent)
    return tuple(gone)


@contextmanager
def _door(under: Path) -> Iterator[None]:
    """One at a time: between making a folder and locking it, a sweep would take it for a dead one."""
    under.mkdir(parents=True, exist_ok=True)
    with (under / ".door").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
