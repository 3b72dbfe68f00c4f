"""Ports to models: Classify answers, Generate writes, a Screener tries many drafts; must not name a backend."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from agent.domain.answers import Classified, Question
from agent.domain.edit import Anchor, Change, Draft
from agent.domain.profiles import Profile


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
