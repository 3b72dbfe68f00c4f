"""Runs request/wait/block threads one super-step at a time; must not perform effects or know what a rule is about.

A block always wins, whoever asks and in whatever order; a thread that raises or ends stops the program for good.
Effects belong to the caller, between two calls of `step`.
"""

from collections import deque
from dataclasses import dataclass
from inspect import getgeneratorlocals
from types import GeneratorType
from typing import NoReturn

from agent.errors import GuardError
from agent.guards.events import CANCEL, Bid, Blocked, Event, Matcher, Stepped, Thread

_CANCEL = Event(CANCEL)


@dataclass(slots=True)
class _Slot:
    name: str
    rank: int
    thread: Thread
    bid: Bid

    @property
    def at(self) -> int:
        """The line it rests at."""
        frame = self.thread.gi_frame if isinstance(self.thread, GeneratorType) else None
        return frame.f_lineno if frame else 0


class Program:
    """A set of threads: outside events first, then rank upwards, score downwards, order of registration."""

    def __init__(self) -> None:
        self._slots: list[_Slot] = []
        self._outside: deque[Event] = deque()
        self._broken = ""

    def add(self, name: str, thread: Thread, rank: int) -> None:
        """Register a thread under a unique name and run it to its first bid."""
        if any(slot.name == name for slot in self._slots):
            self._fail(name, "is registered twice")
        slot = _Slot(name, rank, thread, Bid())
        self._resume(slot, None)
        self._slots.append(slot)
        self._slots.sort(key=lambda one: one.rank)  # stable: equal ranks keep their order of registration

    def ingress(self, event: Event) -> None:
        """Queue an event from outside; it goes before every request."""
        self._outside.append(event)

    @property
    def waiting(self) -> bool:
        """Whether an event from outside is still queued."""
        return bool(self._outside)

    def probe(self, event: Event) -> tuple[Blocked, ...]:
        """Everyone who would block this event now, with the reasons; nothing is changed."""
        if event.type == CANCEL:
            return ()
        found = []
        name = ""
        try:
            for slot in self._slots:
                name = slot.name
                for block in slot.bid.block:
                    reason = block(event)
                    if reason is not None:
                        found.append(Blocked(event, name, reason))
        except Exception as error:  # noqa: BLE001  the door of foreign failures: any of them stops the run
            self._fail(name, f"raised {error!r} in a block", error)
        return tuple(found)

    def step(self) -> Stepped:
        """Run one super-step: choose one event nobody blocks and resume everyone it concerns."""
        if self._broken:
            raise GuardError(self._broken)
        if self._outside:
            event = self._outside.popleft()
            blocked = self.probe(event)
            if not blocked:
                self._deliver(event)
            return Stepped(selected=None if blocked else event, requested=(event,), blocked=blocked)
        wishes = [(slot, score, event) for slot in self._slots for score, event in slot.bid.request]
        wishes.sort(key=lambda wish: (wish[0].rank, -wish[1]))
        refused: list[Blocked] = []
        chosen: tuple[_Slot, Event] | None = None
        for slot, _, event in wishes:
            blocked = self.probe(event)
            refused.extend(blocked)
            if not blocked and chosen is None:
                chosen = slot, event
        if chosen is not None:
            self._deliver(chosen[1])
        return Stepped(
            selected=chosen[1] if chosen else None,
            by=chosen[0].name if chosen else "",
            requested=tuple(event for _, _, event in wishes),
            blocked=tuple(refused),
        )

    def memory(self) -> dict[str, dict[str, object]]:
        """Each thread's present line and simple local values: what a trace shows and an explorer compares."""
        shown: dict[str, dict[str, object]] = {}
        for slot in self._slots:
            values = getgeneratorlocals(slot.thread)
            kept = {k: v for k, v in values.items() if isinstance(v, str | int | float | frozenset)}
            shown[slot.name] = {"at": slot.at, **kept}
        return shown

    def _deliver(self, event: Event) -> None:
        for slot in tuple(self._slots):
            if slot.bid.interrupt and self._matches(slot, slot.bid.interrupt, event):
                slot.thread.close()
                self._slots.remove(slot)
            elif any(event == wish for _, wish in slot.bid.request) or self._matches(slot, slot.bid.wait, event):
                self._resume(slot, event)

    def _matches(self, slot: _Slot, matchers: tuple[Matcher, ...], event: Event) -> bool:
        try:
            return any(event.type == one if isinstance(one, str) else one(event) for one in matchers)
        except Exception as error:  # noqa: BLE001  the door of foreign failures: any of them stops the run
            self._fail(slot.name, f"raised {error!r} in a matcher", error)

    def _resume(self, slot: _Slot, event: Event | None) -> None:
        try:
            slot.bid = next(slot.thread) if event is None else slot.thread.send(event)
            forbids_cancel = any(block(_CANCEL) is not None for block in slot.bid.block)
        except StopIteration:
            self._fail(slot.name, "ended, and what it blocked would have become possible")
        except Exception as error:  # noqa: BLE001  the door of foreign failures: any of them stops the run
            self._fail(slot.name, f"raised {error!r}", error)
        if forbids_cancel:
            self._fail(slot.name, "blocks `cancel`, which nothing may block")

    def _fail(self, name: str, what: str, cause: Exception | None = None) -> NoReturn:
        self._broken = f"guard `{name}` {what}"
        raise GuardError(self._broken) from cause
