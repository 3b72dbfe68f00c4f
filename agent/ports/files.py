"""Ports to files: the tree a run edits, clean trees beside it, and what is remembered of blobs; must not open any."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from agent.domain.edit import Change


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One tracked file: path (relative, posix), git blob id, mode and size in bytes."""

    path: str
    blob: str
    mode: int
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """Which words stand in which of some texts."""

    blobs: Sequence[str]
    """The texts' git blob ids."""
    sizes: Sequence[int]
    """How many words each text has altogether."""
    places: Mapping[str, Sequence[int]]
    """Word -> where in `blobs` the texts stand that have it, each as often as it has it."""


Way = tuple[str, str]
"""A git blob id, and how names are looked for in it: the grammar, or empty when it is not parsed."""


class BlobMemory(Protocol):
    """Word counts and names by git blob id, kept between runs. May forget anything at any time, and never raises."""

    def tallies(self, blobs: Collection[str], query: Collection[str]) -> Sequence[Tally]:
        """Tallies that hold those of the blobs it knows, and maybe others, with the places of the query's words."""
        ...

    def keep(self, tally: Tally) -> None:
        """Remember these texts, all their words."""
        ...

    def named(self, ways: Collection[Way]) -> Mapping[Way, tuple[str, ...]]:
        """The names blobs define, in order, of those it knows when they are looked for in this way."""
        ...

    def keep_names(self, names: Mapping[Way, tuple[str, ...]]) -> None:
        """Remember names; none of them holds a line break."""
        ...


class Workspace(Protocol):
    """The files of one run. Refuses anything outside the root, under `.git`, or through a symlink."""

    def entries(self) -> tuple[Entry, ...]:
        """Tracked files of the base plus files created by this run, minus deleted ones; sorted by path."""
        ...

    def read(self, path: str) -> bytes:
        """Present bytes of a file; WorkspaceError when there is none."""
        ...

    def grep(self, text: str, *, ignore_case: bool = False, under: str = "") -> Iterable[str]:
        """Paths of files that hold `text` in a line, sorted, in the present state of the run.

        To the letter, or with ASCII case ignored. Left out: binary files, those over 1 MiB, and what lies in or is
        named as a dot entry below `under`, a folder (empty: the whole tree). ValueError when `text` is empty or holds
        a newline or NUL; WorkspaceError when `under` is no folder, SearchError when the tree cannot be searched.
        """
        ...

    def lines(self, texts: Sequence[str], *, under: str = "") -> Mapping[str, bytes] | None:
        """Path -> its lines with one of `texts` in them, ASCII case ignored, joined by newlines; None above 32 MiB.

        Of the files `grep` looks at, and of binary ones as well. Raises as `grep` does.
        """
        ...

    def write(self, path: str, content: bytes) -> None:
        """Create or replace a file, keeping an existing mode."""
        ...

    def delete(self, path: str) -> None:
        """Remove a file."""
        ...

    def checkpoint(self) -> object:
        """A token for the present state."""
        ...

    def restore(self, token: object) -> None:
        """Go back to the state of a token."""
        ...

    def changes(self) -> tuple[Change, ...]:
        """What differs from the base, one per file, sorted by path."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkout:
    """A clean tree on disk and the git tree id of exactly its files."""

    path: Path
    tree: str


class Checkouts(Protocol):
    """Clean trees, made afresh, never shared between two runs of foreign code."""

    def base(self) -> AbstractContextManager[Checkout]:
        """The base commit's files and nothing else."""
        ...

    def of(self, changes: Sequence[Change]) -> AbstractContextManager[Checkout]:
        """The base with these changes applied."""
        ...
