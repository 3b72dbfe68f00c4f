"""What the loop can do, what was offered and what was chosen: the vocabulary of a decision."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Action(StrEnum):
    """Everything a step may be. A closed set: `match` on it ends in `assert_never`."""

    READ_CODE = "read_code"
    SEARCH_CODE = "search_code"
    PLAN = "plan"
    REPRODUCE = "reproduce"
    APPLY_EDIT = "apply_edit"
    RUN_SUITE = "run_suite"
    GENERATE_ANSWER = "generate_answer"
    TASK_COMPLETE = "task_complete"


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """An action that could be taken, with its arguments and the probability Classify gave it."""

    action: Action
    arguments: tuple[tuple[str, str], ...] = ()
    probability: float = 0.0
    top: bool = False
    """The classifier's own first choice: floors' exceptions hold for it alone."""

    def argument(self, name: str) -> str | None:
        """The value of one argument, None when it is not there."""
        return dict(self.arguments).get(name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A guard's no: which candidate, by whom, and why in words a maintainer can read."""

    action: Action
    guard: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """The candidates left after the guards, with what was refused."""

    candidates: tuple[Candidate, ...]
    refusals: tuple[Refusal, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The one chosen action of a step, with all probabilities it was chosen from."""

    step: int
    chosen: Candidate | None
    """None: the run stops; `reason` says why."""
    by: str
    """Which thread requested it: `classify`, `fallback`, or a guard's name."""
    reason: str = ""
    probabilities: Mapping[str, float] = field(default_factory=dict)
    refusals: tuple[Refusal, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """What an action returned, as the next Classify call will see it."""

    label: str
    text: str
    path: str = ""
    """The file whose lines it shows; empty when it shows no file."""
    begin: int = 0
    """First line shown, 1-based; 0 when it shows no file."""
    end: int = 0
    """Last line shown, inclusive."""
