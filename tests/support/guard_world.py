"""A small world for the guards, and a search through everything that can happen in it; the guards and engine are real.

The world does what the loop does, with every outcome that a model or a suite could have. A property is a thread of its
own that raises: a function of the history would be lost when two histories end in the same state.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from agent.domain.action import Action
from agent.errors import GuardError
from agent.guards.catalogue import Named, guards, program
from agent.guards.engine import Program
from agent.guards.events import (
    APPLIED,
    BASELINE,
    BUDGET,
    CANCEL,
    EVIDENCE,
    FAILED,
    PLANNED,
    PROPOSED,
    READ,
    REPRODUCED,
    RESTORED,
    SEARCH_HIT,
    SEARCH_MISS,
    SETTLED,
    STOP,
    SUITE_GREEN,
    SUITE_RED,
    TICKED,
    UNREPRODUCED,
    Event,
    Thread,
)
from agent.guards.paths import PathRules

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Idea:
    """One thing Classify may propose."""

    action: str
    path: str = ""
    spot: str = ""
    pattern: str = ""
    unpicked: str = ""
    confidence: float = 0.9
    runner_up: "Idea | None" = None
    needs: float = 1.0
    repeats: float = 0.0
    risk: float = 0.0
    progress: float = 1.0
    blocked: float = 0.0

    def event(self) -> Event:
        """The proposal the guards would get."""
        candidates = [self._candidate(top=True)] if self.action else []
        if self.runner_up is not None:
            candidates.append(self.runner_up._candidate(top=False))
        return Event(
            PROPOSED,
            {
                "candidates": tuple(candidates),
                "top": self.action,
                "confidence": self.confidence,
                "needs": self.needs,
                "repeats": self.repeats,
                "risk": self.risk,
                "blocked": self.blocked,
                "progress": self.progress,
                "reads": ("a.py", "b.py"),
                "patterns": ("x",),
            },
        )

    def _candidate(self, *, top: bool) -> Event:
        detail: dict[str, object] = {"p": self.confidence, "top": top}
        if top:
            detail["confidence"] = self.confidence
        if self.action in (Action.READ_CODE, Action.APPLY_EDIT):
            detail["path"] = self.path
        detail.update(
            {
                name: value
                for name, value in (("spot", self.spot), ("pattern", self.pattern), ("unpicked", self.unpicked))
                if value
            }
        )
        return Event(self.action, detail)


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """What can happen: the search tries all of it."""

    ideas: tuple[Idea, ...]
    edits: tuple[str, ...] = ("applied",)
    """Outcomes of an edit: applied, failed, standing."""
    suites: tuple[str, ...] = ("green", "red")
    searches: tuple[str, ...] = ("miss",)
    plans: tuple[str, ...] = ("", "b.py: mend it")
    """What a plan, or what is left of it after an edit, holds open."""
    tests: tuple[str, ...] = ("reproduced", "unreproduced")
    """Outcomes of writing a failing test."""
    base: tuple[tuple[str, object], ...] = (("red", 1), ("prose", False), ("writable", False))
    """What the suite on the base and the backend tell the guards."""
    cancels: bool = False
    steps: int = 5
    named: tuple[Named, ...] = field(default_factory=lambda: guards(PathRules()))
    monitors: tuple[tuple[str, Callable[[], Thread]], ...] = ()

    def without(self, name: str) -> "World":
        """The same world with one guard taken away."""
        left = tuple(one for one in self.named if one[0] != name)
        assert len(left) == len(self.named) - 1, name
        return replace(self, named=left)

    def mutated(self, name: str, thread: Callable[[], Thread]) -> "World":
        """The same world with one guard replaced by a faulty one."""
        changed = tuple((one, thread if one == name else make, rank) for one, make, rank in self.named)
        assert any(one == name for one, _, _ in self.named), name
        return replace(self, named=changed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a search came to."""

    states: int
    violation: str = ""
    path: tuple[str, ...] = ()
    """The events that lead to the violation, in order."""
    ends: frozenset[str] = frozenset()


class _OpenError(Exception):
    """A choice the script does not cover yet: how many ways there are to go on."""

    def __init__(self, ways: int) -> None:
        super().__init__(ways)
        self.ways = ways


@dataclass(slots=True)
class _Play:
    """One history, replayed from the start along given choices."""

    world: World
    choices: tuple[int, ...]
    used: int = 0
    program: Program = field(init=False)
    log: list[str] = field(default_factory=list)
    seen: frozenset[str] = frozenset()
    standing: str = ""
    """Path of an edit that is provisional or broken."""
    broken: bool = False
    planned: bool = False

    def __post_init__(self) -> None:
        self.program = program(self.world.named)
        for name, thread in self.world.monitors:
            self.program.add(name, thread(), 99)
        self.tell(Event(BASELINE, dict(self.world.base)))

    def choose(self, options: Sequence[T]) -> T:
        if len(options) == 1:
            return options[0]
        if self.used == len(self.choices):
            raise _OpenError(len(options))
        self.used += 1
        return options[self.choices[self.used - 1]]

    def state(self, left: int) -> str:
        return repr((left, sorted(self.seen), self.standing, self.broken, sorted(self.program.memory().items())))

    def tell(self, *events: Event) -> None:
        for event in events:
            self.program.ingress(event)
            self.log.append(_shown(event))
            stepped = self.program.step()
            assert stepped.selected is not None, f"{event} was refused"

    def step(self, left: int) -> str:
        """One turn; the end's name, empty when the run goes on."""
        cancelled = self.world.cancels and self.choose((False, True))
        self.tell(Event(BUDGET, {"steps": left}), *([Event(CANCEL)] if cancelled else []))
        stepped = self.program.step()
        if stepped.selected is None:
            offered = [one for one in self.world.ideas if not self.program.probe(Event(one.action))]
            if not offered:
                offered = [Idea(action="", confidence=0.0)]  # what Classify wanted was not offered
            self.tell(self.choose(offered).event())
            stepped = self.program.step()
        event = stepped.selected
        if event is None:
            raise GuardError("deadlock: nothing is left, not even a stop")
        self.log.append(_shown(event))
        if event.type in (STOP, Action.TASK_COMPLETE):
            return event.type
        for result in self._effect(event):
            self.tell(result)
        early = self.program.step()
        if early.selected is not None:
            raise GuardError(f"`{early.selected.type}` began while {event.type} was not over")
        self.tell(Event(SETTLED))
        return ""

    def _effect(self, event: Event) -> list[Event]:
        path = event.text("path")
        if event.type == Action.READ_CODE:
            fresh = [] if path in self.seen else [Event(EVIDENCE)]
            self.seen |= {path}
            return [*fresh, Event(READ, {"path": path, "last": True})]
        if event.type == Action.SEARCH_CODE:
            hit = self.choose(self.world.searches) == "hit"
            return [Event(EVIDENCE), Event(SEARCH_HIT)] if hit else [Event(SEARCH_MISS)]
        if event.type == Action.APPLY_EDIT:
            return self._edited(path, event.text("spot"))
        if event.type == Action.RUN_SUITE:
            return self._suite()
        if event.type == Action.PLAN:
            self.planned = True
            return [Event(EVIDENCE), Event(PLANNED, {"open": self.choose(self.world.plans)})]
        if event.type == Action.REPRODUCE:
            worked = self.choose(self.world.tests) == "reproduced"
            return [Event(EVIDENCE), Event(REPRODUCED if worked else UNREPRODUCED)]
        return []

    def _edited(self, path: str, spot: str) -> list[Event]:
        outcome = self.choose(self.world.edits)
        place = {"path": path, "spot": spot}
        if outcome == "failed":
            gone, self.standing, self.broken = self.standing, "", False
            return [Event(FAILED, {**place, "standing": False}), *([Event(RESTORED, {"path": gone})] if gone else [])]
        self.standing, self.broken = path, outcome == "standing"
        self.seen -= {path}
        if self.broken:
            return [Event(EVIDENCE), Event(FAILED, {**place, "standing": True})]
        return [Event(EVIDENCE), Event(APPLIED, place)]

    def _suite(self) -> list[Event]:
        green = self.choose(self.world.suites) == "green" and not self.broken
        if green:
            ticks = bool(self.standing) and self.planned
            self.standing = ""
            told = [Event(TICKED, {"open": self.choose(self.world.plans)})] if ticks else []
            return [Event(EVIDENCE), Event(SUITE_GREEN), *told]
        if not self.standing or self.broken:
            return [Event(SUITE_RED)]
        gone, self.standing = self.standing, ""
        return [Event(EVIDENCE), Event(SUITE_RED), Event(RESTORED, {"path": gone})]


def explore(world: World, most: int = 20_000) -> Found:
    """Try everything breadth first, so that a violation comes with its shortest history; stops at the first one."""
    known: set[str] = set()
    ends: set[str] = set()
    queue: list[tuple[int, ...]] = [()]
    for choices in queue:
        assert len(known) < most, "the world is too large for a search that must cover it"
        play = _Play(world, choices)
        try:
            left = world.steps
            while True:
                if play.used == len(choices) and left < world.steps:
                    state = play.state(left)
                    if state in known:
                        break
                    known.add(state)
                end = play.step(left)
                if end:
                    ends.add(end)
                    break
                left -= 1
        except _OpenError as opened:
            queue.extend((*choices, way) for way in range(opened.ways))
        except GuardError as violation:
            return Found(states=len(known), violation=str(violation), path=tuple(play.log), ends=frozenset(ends))
    return Found(states=len(known), ends=frozenset(ends))


def _shown(event: Event) -> str:
    return " ".join(part for part in (event.type, event.text("path"), event.text("spot")) if part)
