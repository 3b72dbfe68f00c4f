"""Keeps what set-up made, by digest of what it was made from: built once, shown read-only, the longest unused go first.

A folder counts only with its mark beside it, which set-up cannot reach. Never removes what a living process holds.
"""

import fcntl
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from io import BufferedRandom
from pathlib import Path

from agent.adapters.workspace.paths import remove_tree

BUDGET = 10 * 1024**3
"""Bytes all environments of a machine may take, besides those in use."""


class EnvironmentStore:
    """Folders below `room`, each with a lock and (once made) a mark that holds its size in bytes."""

    def __init__(self, room: Path, budget: int = BUDGET) -> None:
        self._room = room
        self._budget = budget
        self._held = threading.local()

    def folder(self, digest: str) -> Path:
        """Where this environment lies: always the same place, because virtual environments cannot be moved."""
        return self._room / digest

    def get(self, digest: str, make: Callable[[Path], int]) -> Path:
        """The folder, made by `make` (it gets an empty folder and returns the size in bytes) unless it is there.

        Others who want the same one wait. This thread holds it until it asks for another, so that it is not removed
        while a job runs in it. Whatever `make` raises leaves nothing behind.
        """
        self.release()
        self._room.mkdir(parents=True, exist_ok=True)
        while not self._hold(digest):
            self._build(digest, make)
        self.sweep()
        return self.folder(digest)

    def _hold(self, digest: str) -> bool:
        """Take a share of a finished environment, waiting for whoever is making it; False when there is none."""
        lock = _locked(self._lock(digest), fcntl.LOCK_SH)
        if lock is None:
            return False
        if not self._ready(digest):
            lock.close()
            return False
        os.utime(self._mark(digest))
        self._held.lock = lock
        return True

    def _build(self, digest: str, make: Callable[[Path], int]) -> None:
        """Make it unless somebody else just has."""
        lock = _locked(self._lock(digest), fcntl.LOCK_EX)
        if lock is None:
            return
        with lock:
            try:
                if not self._ready(digest):
                    self._make(digest, make)
            except BaseException:
                self._lock(digest).unlink(missing_ok=True)  # while we hold it: whoever waits for it makes a new one
                raise

    def release(self) -> None:
        """Let go of what this thread holds."""
        held: BufferedRandom | None = getattr(self._held, "lock", None)
        if held is not None:
            held.close()
            self._held.lock = None

    def sweep(self) -> None:
        """Remove what a killed set-up left behind, then the longest unused until the rest fits the budget."""
        marks = sorted(self._room.glob("*.ready"), key=_age)
        known = {mark.stem for mark in marks}
        for folder in self._room.iterdir():
            if folder.is_dir() and folder.name not in known:
                self._remove(folder.name, only_unfinished=True)
        total = sum(_size(mark) for mark in marks)
        for mark in marks:
            if total <= self._budget:
                return
            size = _size(mark)
            if self._remove(mark.stem, only_unfinished=False):
                total -= size

    def _make(self, digest: str, make: Callable[[Path], int]) -> None:
        folder = self.folder(digest)
        self._mark(digest).unlink(missing_ok=True)
        remove_tree(folder)
        folder.mkdir(mode=0o755)
        folder.chmod(0o755)
        finished = False
        try:
            size = make(folder)
            fresh = self._mark(digest).with_suffix(".new")
            fresh.write_text(str(size), encoding="ascii")
            fresh.replace(self._mark(digest))
            finished = True
        finally:
            if not finished:
                remove_tree(folder)

    def _remove(self, digest: str, *, only_unfinished: bool) -> bool:
        """False when somebody holds it."""
        with _try_locked(self._lock(digest)) as held:
            if not held or (only_unfinished and self._ready(digest)):
                return False
            self._mark(digest).unlink(missing_ok=True)
            remove_tree(self.folder(digest))
            self._lock(digest).unlink(missing_ok=True)
            return True

    def _ready(self, digest: str) -> bool:
        return self._mark(digest).is_file() and self.folder(digest).is_dir()

    def _mark(self, digest: str) -> Path:
        return self._room / f"{digest}.ready"

    def _lock(self, digest: str) -> Path:
        return self._room / f"{digest}.lock"


def _locked(path: Path, how: int) -> BufferedRandom | None:
    """The open lock file, held; None when it was removed while we waited. BlockingIOError with LOCK_NB."""
    lock = path.open("a+b")
    kept = False
    try:
        fcntl.flock(lock, how)
        with suppress(FileNotFoundError):
            kept = os.path.samestat(os.fstat(lock.fileno()), path.stat())
    finally:
        if not kept:
            lock.close()
    return lock if kept else None


@contextmanager
def _try_locked(path: Path) -> Iterator[bool]:
    """Whether the lock could be had at once; held for the time of the block."""
    lock = None
    with suppress(BlockingIOError):
        lock = _locked(path, fcntl.LOCK_EX | fcntl.LOCK_NB)
    try:
        yield lock is not None
    finally:
        if lock is not None:
            lock.close()


def _age(mark: Path) -> float:
    with suppress(FileNotFoundError):
        return mark.stat().st_mtime
    return 0.0


def _size(mark: Path) -> int:
    with suppress(FileNotFoundError, ValueError):
        return int(mark.read_text(encoding="ascii"))
    return 0
