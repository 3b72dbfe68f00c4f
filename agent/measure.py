"""What a run's trace says of how it went: pure figures over its records; must not judge whether it went well.

Definitions, the same in every table: a *step* is one performed action. `waste` is the number of steps that did what an
earlier one had done (action, file, lines, pattern) with nothing new come up in between. `before_first_change` counts
the steps before the edit that was kept first. `refusals` counts, guard by guard, the proposals Classify put first and
did not get: of several guards against one proposal, the first.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from agent.domain.action import Action
from agent.guards.events import EVIDENCE
from agent.trace import Record

_INTENT = ("action", "path", "spot", "pattern")


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """Figures of one run; times in seconds as the trace rounds them."""

    steps: int = 0
    waste: int = 0
    before_first_change: int | None = None
    """None: no edit was kept."""
    refusals: Mapping[str, int] = field(default_factory=dict)
    drafts: int = 0
    """Drafts that were tried."""
    suites: int = 0
    """Commands run on a checkout: whole suites, single tests, checks, traced runs."""
    suite_seconds: float = 0.0
    model_seconds: float = 0.0
    """Waiting for Classify and Generate."""


def measure(records: Iterable[Record]) -> Measures:
    """The figures of a trace, which may have been cut short."""
    tally = _Tally()
    for record in records:
        tally.add(record)
    return Measures(
        steps=tally.steps,
        waste=tally.waste,
        before_first_change=tally.first,
        refusals=dict(sorted(tally.refusals.items())),
        drafts=tally.kinds["draft"],
        suites=tally.kinds["suite"],
        suite_seconds=round(tally.suite_seconds, 3),
        model_seconds=round(tally.model_seconds, 3),
    )


@dataclass(slots=True, kw_only=True)
class _Tally:
    """What is counted on the way through a trace."""

    kinds: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    steps: int = 0
    waste: int = 0
    first: int | None = None
    suite_seconds: float = 0.0
    model_seconds: float = 0.0
    _chosen: tuple[str, ...] = ()
    _done: set[tuple[str, ...]] = field(default_factory=set)
    _edit: int = 0
    """Steps before the last edit."""

    def add(self, record: Record) -> None:
        """Count one record."""
        data = record.data
        self.kinds[record.kind] += 1
        match record.kind:
            case "decision":
                self._chosen = _intent(data.get("selected"))
                self.refusals.update(_refused(data.get("blocked")))
            case "effect" if "action" in data:
                self._step(data)
            case "kept" if self.first is None:
                self.first = self._edit
            case "suite":
                self.suite_seconds += _number(data.get("seconds"))
            case "classify" | "generate":
                self.model_seconds += _number(data.get("seconds"))

    def _step(self, data: Mapping[str, object]) -> None:
        self.waste += self._chosen in self._done
        self._done.add(self._chosen)
        if _brought_evidence(data.get("events")):
            self._done.clear()
        if data["action"] == Action.APPLY_EDIT:
            self._edit = self.steps
        self.steps += 1


def _intent(selected: object) -> tuple[str, ...]:
    if not isinstance(selected, Mapping):
        return ()
    return tuple(str(selected.get(name, "")) for name in _INTENT)


def _refused(blocked: object) -> Counter[str]:
    """Guard by guard, the top proposals it was the first to block."""
    first: dict[tuple[str, ...], str] = {}
    for one in blocked if isinstance(blocked, list) else ():
        if isinstance(one, Mapping) and one.get("top"):
            first.setdefault(_intent(one), str(one.get("by", "")))
    return Counter(first.values())


def _brought_evidence(events: object) -> bool:
    told = events if isinstance(events, list) else ()
    return any(isinstance(one, Mapping) and one.get("action") == EVIDENCE for one in told)


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
