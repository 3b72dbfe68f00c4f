"""Clean checkouts straight from the object database: exact bytes, modes and links, each with its tree id.

Nothing is shared between two of them, and none holds a `.git`: what runs in one cannot reach the repository.
"""

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from agent.adapters.workspace.paths import remove_tree
from agent.domain.edit import Change
from agent.ports import Checkout
from worker.git import scratch
from worker.git.command import Git

CHECKOUT_SECONDS = 300.0


@dataclass(frozen=True, slots=True, kw_only=True)
class GitCheckouts:
    """agent.ports.Checkouts for one base commit; `room` is a folder of the run's own."""

    git: Git
    commit: str
    room: Path

    @contextmanager
    def base(self) -> Iterator[Checkout]:
        """The base commit's files and nothing else."""
        with self.of(()) as checkout:
            yield checkout

    @contextmanager
    def of(self, changes: Sequence[Change]) -> Iterator[Checkout]:
        """The base with these changes applied; gone, whatever lies in it, when the block ends."""
        place = Path(tempfile.mkdtemp(prefix="checkout-", dir=self.room))
        try:
            yield Checkout(path=place / "tree", tree=self.fill(place / "tree", changes))
        finally:
            remove_tree(place)

    def fill(self, tree: Path, changes: Sequence[Change] = ()) -> str:
        """Write the base with these changes into a new folder; returns the tree id of exactly its files."""
        tree.mkdir()
        with tempfile.TemporaryDirectory(prefix="index-", dir=self.room) as folder:
            index = Path(folder) / "index"
            shutil.copyfile(self._base_index(), index)
            git = replace(self.git, index=index, work_tree=tree)
            made = scratch.apply(git, changes)
            git.run("checkout-index", "--all", "--quiet", seconds=CHECKOUT_SECONDS)
        return made

    def _base_index(self) -> Path:
        """The base as an index file, made once and copied: reading a big tree costs more than copying its index."""
        index = self.room / f"base-{self.commit}.index"
        if not index.exists():
            with tempfile.TemporaryDirectory(prefix="index-", dir=self.room) as folder:
                fresh = Path(folder) / "index"
                scratch.read_index(self.git, self.commit, fresh)
                fresh.replace(index)
        return index
