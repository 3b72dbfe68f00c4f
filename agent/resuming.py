"""Lets a killed run go on: it runs again along its own trace, and only what is missing there is done anew.

The loop is a function of what models and suite answered, so an earlier life is rebuilt by giving it the same answers
and comparing what it does with what it did. The first difference ends the past: from there on everything is done, and
written, for the first time. Must not decide what a run does, nor undo anything outside of the trace.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from agent.errors import TraceError
from agent.trace import ABOUT, RECORD, JsonLines, Record, read_trace, whole_text

RESUMED = "resumed"
_VOLATILE = frozenset({"seconds"})
"""Fields that say how long something took: the one thing that differs when the same is done again."""


class ResumedTrace:
    """A TraceSink that runs along an earlier life of the run, then goes on writing behind it."""

    def __init__(self, inner: JsonLines, past: Sequence[Record], clock: Callable[[], float]) -> None:
        """`past` is what `inner`'s file holds already; `clock` gives seconds that only grow."""
        self.path = inner.path
        self._inner, self._past, self._clock = inner, past, clock
        self._next = 0
        self.lived = 0
        """Events of the past that came again as they were."""
        self._began = 0.0 if past else clock()
        self._offset = 0.0

    @property
    def living(self) -> bool:
        """Whether the past is over and everything happens for the first time."""
        return self._next >= len(self._past)

    def emit(self, kind: str, step: int, data: Mapping[str, object]) -> None:
        """Check an event against the past, or write it where there is no past any more."""
        if not self.living:
            told = self._past[self._next]
            if _same(told, kind, step, self._inner.plain(data)):
                self._pass()
                return
            self._live(f"{kind} where {told.kind} was")
        self._inner.emit(kind, step, data)

    def recall(self, kind: str, about: str) -> str | None:
        """The outcome the earlier life kept of the call that is due now; None when it has to be made.

        Only an outcome of the very same call is one: a suite's result must never be taken for another change's.
        """
        if self.living:
            return None
        told = self._past[self._next]
        same = told.kind == kind and told.data.get(ABOUT) == about
        kept = whole_text(self.path, told.data.get(RECORD)) if same else None
        if not kept:
            self._live(f"{kind} ({about}) is due where {told.kind} ({told.data.get(ABOUT, '')}) was")
        return kept

    def now(self) -> float:
        """The run's own clock: what the earlier life took counts, the time in which nobody worked on it does not."""
        if self.living:
            return self._offset + self._clock() - self._began
        return self._past[max(0, self._next - 1)].at - self._past[0].at

    def close(self) -> None:
        """Close the file."""
        self._inner.close()

    def _pass(self) -> None:
        self._next += 1
        self.lived += 1
        if self.living:
            self._live("")

    def _live(self, why: str) -> None:
        """The past is over. What of it was not reached did not happen, and the trace says so."""
        held, void = self._past[: self._next], len(self._past) - self._next
        last = held[-1] if held else None
        self._next, self._began = len(self._past), self._clock()
        self._offset = last.at - self._past[0].at if last else 0.0
        if last is None or last.kind != "run_ended":
            told = {"events": len(held), "void": void, "why": why}
            self._inner.emit(RESUMED, last.step if last else 0, told)


def resumed(
    path: Path,
    run: str,
    now: Callable[[], float],
    clock: Callable[[], float],
    redact: Callable[[str], str] = lambda text: text,
) -> ResumedTrace:
    """A trace that goes on where the file at `path` ends; a file that cannot be read back is begun afresh beside it."""
    try:
        past = lived(read_trace(path, every_kind=True)) if path.exists() else ()
    except TraceError:
        path.replace(path.with_name(f"{path.name}.unreadable"))
        past = ()
    return ResumedTrace(JsonLines(path, run, now, redact), past, clock)


def lived(records: Iterable[Record]) -> tuple[Record, ...]:
    """What holds of a trace with several lives: each `resumed` voids the end of what stood before it."""
    kept: list[Record] = []
    for record in records:
        if record.kind == RESUMED:
            void = record.data.get("void")
            kept = kept[: len(kept) - void] if isinstance(void, int) and void else kept
        else:
            kept.append(record)
    return tuple(kept)


def _same(told: Record, kind: str, step: int, data: Mapping[str, object]) -> bool:
    if (told.kind, told.step) != (kind, step):
        return False
    return _steady(told.data) == _steady(data)


def _steady(data: Mapping[str, object]) -> str:
    """An event's data without what may differ, in the form it has in the file."""
    return json.dumps({key: value for key, value in data.items() if key not in _VOLATILE}, sort_keys=True)
