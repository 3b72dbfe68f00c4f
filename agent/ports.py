"""What the agent needs of the world, as Protocols; adapters implement them, the loop sees nothing else.

A port answers with values and raises only `agent.errors` when it could not do its job.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from agent.domain.answers import Classified, Question
from agent.domain.edit import Anchor, Change, Draft
from agent.domain.environment import Environment
from agent.domain.profiles import Profile


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one command may use. Sizes in bytes, time in seconds."""

    seconds: float
    output: int = 200_000
    keep: str = ""
    """A word: where output is cut, lines that begin with it are kept nevertheless (a few, and each to 200 bytes)."""
    memory: int = 2 * 1024**3
    processes: int = 256
    file_size: int = 256 * 1024**2


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """How one command ended: `exit_code` None when it was killed at its limit; output is head and tail."""

    exit_code: int | None
    output: str
    seconds: float
    timed_out: bool


class Box(Protocol):
    """One tree opened for running foreign code in it; paths are as seen from inside."""

    tree: str
    """Where the tree lies inside (the same in every box of one sandbox)."""
    reports: str
    """Writable directory outside the tree for reports."""
    inside: str
    """Read-only directory of our stdlib-only modules (node-id plugin, tracer, screener, probe)."""

    def run(self, argv: Sequence[str], limits: Limits, variables: Mapping[str, str] | None = None) -> Ran:
        """Run one command in the tree, without network; kill its whole group at the limit."""
        ...

    def give(self, name: str, content: bytes) -> str:
        """Put a file into the report directory before a run; return its path as seen inside."""
        ...

    def collect(self, name: str, limit: int = 64 * 1024**2) -> bytes | None:
        """A file of the report directory, None when it is absent, larger than `limit` or not a plain file."""
        ...


class Sandbox(Protocol):
    """Where foreign code runs."""

    name: str

    def open(self, tree: Path, environment: Environment) -> AbstractContextManager[Box]:
        """Open a box on a clean tree; each box has a fresh home, /tmp and report directory."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One tracked file: path (relative, posix), git blob id, mode and size in bytes."""

    path: str
    blob: str
    mode: int
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """How often words stand in one text, and how many words it has altogether."""

    size: int
    counts: Mapping[str, int]

    def only(self, query: Collection[str]) -> "Counted":
        """The same text with the counts of these words alone."""
        return Counted(size=self.size, counts={word: self.counts[word] for word in query if word in self.counts})


class BlobMemory(Protocol):
    """Word counts by git blob id, kept between runs. It may forget anything at any time, and never raises."""

    def counted(self, blobs: Collection[str], query: Collection[str]) -> Mapping[str, Counted]:
        """Those of the blobs it knows, with the counts of the query's words."""
        ...

    def keep(self, counted: Mapping[str, Counted]) -> None:
        """Remember these blobs, all their words."""
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


class Classifier(Protocol):
    """Answers typed questions about a state."""

    label: str
    """How its numbers are to be called wherever they are shown."""
    profile: Profile
    """The floors its answers are held against."""

    def ask(self, state: Mapping[str, object], questions: Mapping[str, Question]) -> Classified:
        """One batched call; every question id has an answer, `Missing` included."""
        ...


Role = Literal["draft", "search", "plan", "reproduce", "answer"]
"""What a text is for: a change, a search term, a list of places to change, a failing test, an answer in prose."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteRequest:
    """What Generate gets: chat backends send `messages`, the embedded one reads the data."""

    anchor: Anchor | None
    """None: no lines were picked; a draft names its files itself, and other roles write free text."""
    role: Role = "draft"
    source: bytes = b""
    """The whole present file of the anchor."""
    failing: tuple[str, ...] = ()
    """Node ids of tests red on the base that reach the anchor (or all red ones)."""
    passing: tuple[str, ...] = ()
    """Node ids of tests that pass on the base and reach the anchor, quickest first."""
    suspicion: tuple[tuple[int, float], ...] = ()
    """Line number -> suspiciousness 0..1 (Ochiai), lines of the anchor."""
    changes: tuple[Change, ...] = ()
    """Kept and provisional changes so far: screening happens on top of them."""
    messages: tuple[tuple[str, str], ...] = ()
    """Role and text."""
    told: str = ""
    """What the issue and the failures say, for a backend that looks for words in it and reads no messages."""
    seconds: float = 60.0
    """Wall time this call may take."""


OUT_OF_TIME = "time"
"""Stop reason of a search that has more to try when it is asked again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """One Generate call's return."""

    drafts: tuple[Draft, ...]
    tokens: int = 0
    money: float | None = None
    seconds: float = 0.0
    stop: str = "stop"
    model: str = ""
    note: str = ""
    """What the backend wants in the trace, e.g. `tried 412 candidates, 3 passed screening`."""


class Generator(Protocol):
    """Writes text: replacements, and, when `prose` says so, whatever else a role asks for."""

    label: str
    repairs: bool
    """Whether it can work on its own failed draft; a search cannot, it goes on with the next place."""
    prose: bool
    """Whether it writes free text: drafts that name their files, plans, tests, search terms, answers."""
    room: int
    """Characters of messages it takes at most."""

    def write(self, request: WriteRequest, n: int) -> Written:
        """Up to `n` drafts, best first; none is a value, not an error."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Screened:
    """What screening saw of one draft: tests run until the first that did not pass."""

    passed: bool
    timed_out: bool = False
    tried: bool = True
    first_red: str = ""
    extra: int = 0
    """How many tests of the same files passed besides those asked for: tells survivors apart, decides nothing."""
    behaviour: str = ""
    """Equal for drafts that did the same on the calls the tests made; empty when that was not recorded."""


class Screener(Protocol):
    """Runs many drafts against a few tests in one sandboxed command."""

    def try_all(
        self, request: WriteRequest, drafts: Sequence[Draft], seconds: float, enough: int
    ) -> tuple[Screened, ...]:
        """One result per draft in order; stops early after `enough` drafts passed (the rest: `tried` False)."""
        ...


class TraceSink(Protocol):
    """Keeps events; a write that fails raises TraceError. A run that was killed goes on by running along its trace."""

    def emit(self, kind: str, step: int, data: Mapping[str, object]) -> None:
        """Append one event, flushed before it returns."""
        ...

    def recall(self, kind: str, about: str) -> str | None:
        """The outcome this very call had in the run's earlier life, if it comes next there; None: it is to be made."""
        ...


Clock = Callable[[], float]
"""Seconds that only grow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ports:
    """Everything `agent.run` is handed besides values."""

    classifier: Classifier
    generator: Generator
    workspace: Workspace
    checkouts: Checkouts
    sandbox: Sandbox
    trace: TraceSink
    clock: Clock
    cancelled: Callable[[], bool]
    """Asked before each step and each suite run."""
    memory: BlobMemory | None = None
    """What the index learnt of this repository in earlier runs; without it a run looks at every likely file's text."""
