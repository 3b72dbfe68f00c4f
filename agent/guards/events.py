"""Words of the rules: what an event is, what a thread may bid, and every event's name; must hold no rule itself."""

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from math import isfinite

from agent.domain.action import Action

CANCEL = "cancel"
"""The one event no thread may block."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happens: a type and what belongs to it."""

    type: str
    detail: Mapping[str, object] = field(default_factory=dict)

    def text(self, name: str, default: str = "") -> str:
        """One detail as text; `default` when it is absent or no text."""
        value = self.detail.get(name)
        return value if isinstance(value, str) else default

    def number(self, name: str, default: float = 0.0) -> float:
        """One detail as a number; `default` when it is absent or none: what is not finite decides nothing."""
        value = self.detail.get(name)
        return float(value) if isinstance(value, int | float) and isfinite(value) else default


Matcher = Callable[[Event], bool] | str
Block = Callable[[Event], str | None]
"""Returns why an event may not happen now, None when it may."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bid:
    """What a thread declares at its present point."""

    request: tuple[tuple[float, Event], ...] = ()
    """Score and event; the higher score goes first within one rank."""
    wait: tuple[Matcher, ...] = ()
    block: tuple[Block, ...] = ()
    interrupt: tuple[Matcher, ...] = ()
    """Closes the thread; the only way a thread may leave."""


Thread = Generator[Bid, Event, None]


@dataclass(frozen=True, slots=True)
class Blocked:
    """One request that may not happen: by whom and why."""

    event: Event
    by: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Stepped:
    """One super-step. `selected` None: nothing could happen (idle without requests, a deadlock with them)."""

    selected: Event | None
    by: str = ""
    """The requesting thread's name; empty for an event from outside."""
    requested: tuple[Event, ...] = ()
    blocked: tuple[Blocked, ...] = ()


PROPOSED = "proposed"
"""Classify's answers of one step: side answers, the top proposal and the candidates."""
BUDGET = "budget"
"""What is left at the start of a step: steps, seconds, tokens, money."""
SETTLED = "settled"
"""The chosen action's effect is over and all its results have been told."""
STOP = "stop"
"""The run ends; `why` says for which reason."""
READ = "read.done"
"""A page of `path` was served; `last` when it reached the end."""
DECLINED = "read.declined"
"""Classify saw no listed file worth reading."""
SEARCH_HIT = "search.hit"
"""A search found `pattern`."""
SEARCH_MISS = "search.missed"
"""A search found nothing, was made before, or had nothing to look for."""
EVIDENCE = "evidence"
"""Something came back that this run had not seen before."""
APPLIED = "edit.applied"
"""A draft passed check and reaching tests and stands as provisional: `path`, `spot`."""
FAILED = "edit.failed"
"""No draft for `path`, `spot` passed; `standing` when the best one was left for repair."""
SUITE_GREEN = "suite.green"
"""The full suite ran to its end, and nothing fails that passed before; `fixed` counts what was red."""
SUITE_RED = "suite.red"
"""The full suite did not, or something fails that passed before."""
RESTORED = "edit.restored"
"""The last kept bytes are back; nothing provisional or broken stands."""

FREE = "free"
"""The spot of an edit without picked lines: its draft names files and texts itself."""
BASELINE = "baseline"
"""The suite has run on the base: `red` counts tests, `named` those of them the goal names; `prose`: Generate writes
free text, `writable`: it could write a test that can be told apart."""
PLANNED = "plan.made"
"""A plan stands: `open` is its first item that names a tracked file, empty when there is none."""
TICKED = "plan.ticked"
"""Kept edits ticked items of the plan: `open` as in `plan.made`."""
REPRODUCED = "reproduced"
"""A test this run wrote fails for the reported reason: `path`."""
UNREPRODUCED = "unreproduced"
"""The attempt to write a failing test came to nothing."""

ACTIONS = frozenset(action.value for action in Action)


def is_action(event: Event) -> bool:
    """Whether the event is something the loop would perform."""
    return event.type in ACTIONS


def intent(event: Event) -> tuple[str, str, str, str]:
    """What an action is about, without its probability: the same twice is a repetition."""
    return event.type, event.text("path"), event.text("spot"), event.text("pattern")
