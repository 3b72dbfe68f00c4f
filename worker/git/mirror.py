"""One bare mirror per repository: fetched under a lock, never collected while runs borrow its objects.

It holds branches alone (as remote branches: a mirror refspec would bring every pull request and could not be
updated under a checked-out branch), and no token is ever stored in it.
"""

import fcntl
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from agent.adapters.workspace.paths import remove_tree
from worker.errors import GitError
from worker.git import scratch
from worker.git.command import Git, Remote
from worker.git.objects import branches

REFSPEC = "+refs/heads/*:refs/remotes/origin/*"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mirror:
    """The mirror at `path`; `fetch_seconds` bounds a first clone."""

    path: Path
    schemes: tuple[str, ...] = ("https", "http")
    network: Mapping[str, str] = field(default_factory=dict)
    fetch_seconds: float = 1800.0
    lock_seconds: float = 1800.0

    @property
    def git(self) -> Git:
        """Git on this mirror."""
        return Git(git_dir=self.path, schemes=self.schemes, network=self.network)

    def fetch(self, remote: Remote) -> Mapping[str, str]:
        """Bring every branch up to date and forget deleted ones; branch name to commit id."""
        with self.locked():
            self._create()
            self.git.run(
                *("fetch", "--quiet", "--prune", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head"),
                *("--no-auto-maintenance", remote.url, REFSPEC),
                remote=remote,
                seconds=self.fetch_seconds,
            )
            self.used()
            return branches(self.path)

    def used(self) -> None:
        """Remember that the mirror was of use now: the disk budget takes the longest unused first."""
        (self.path / "last-used").touch()

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Nobody else on this machine changes the mirror meanwhile; GitError when that never becomes true."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.with_suffix(".lock").open("wb") as lock:
            patience = time.monotonic() + self.lock_seconds
            while True:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if time.monotonic() > patience:
                        raise GitError(f"Another job held the mirror {self.path.name} for too long.", "") from None
                    time.sleep(0.02)
            yield

    def _create(self) -> None:
        """Make an empty mirror when there is none; whole or not at all, whenever the worker is killed."""
        if self.path.exists():
            return
        fresh = self.path.with_suffix(".new")
        if fresh.exists():
            # The maker held our lock and is gone.
            remove_tree(fresh)
        for folder in ("objects/info", "objects/pack", "refs/heads", "info"):
            (fresh / folder).mkdir(parents=True)
        (fresh / "config").write_text("[core]\n\trepositoryFormatVersion = 0\n\tbare = true\n", encoding="utf-8")
        (fresh / "HEAD").write_text("ref: refs/heads/none\n", encoding="utf-8")
        scratch.exact_bytes(fresh)
        fresh.rename(self.path)
