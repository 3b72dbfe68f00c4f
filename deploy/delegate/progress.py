"""Follows a run's events for a person: one moving line, and a lasting one for what mattered. Never changes an event."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from types import TracebackType

from rich.console import Console
from rich.markup import escape

from agent.ports import TraceSink

WORDS = {
    "run_started": "running the suite as it is",
    "baseline": "reading the issue",
    "classify": "deciding what to do",
    "decision": "working",
    "generate": "writing a change",
    "draft": "trying a change",
    "verify": "running tests",
    "kept": "a change is kept",
    "verdict": "judging",
    "run_ended": "finished",
}
LASTING = frozenset({"baseline", "decision", "kept", "verdict"})


class Followed:
    """A TraceSink that hands every event on and shows it."""

    def __init__(self, sink: TraceSink, show: Callable[[str, int, Mapping[str, object]], None]) -> None:
        self._sink = sink
        self._show = show

    def emit(self, kind: str, step: int, data: Mapping[str, object]) -> None:
        """Append one event, then show it."""
        self._sink.emit(kind, step, data)
        self._show(kind, step, data)


class Nowhere:
    """A TraceSink for runs whose trace nobody asked for."""

    def emit(self, kind: str, step: int, data: Mapping[str, object]) -> None:
        """Forget the event."""


class Display(AbstractContextManager["Display"]):
    """The progress display on standard error; silent lines only when that is no terminal."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._status = console.status("starting")

    def __enter__(self) -> "Display":
        self._status.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._status.stop()

    def event(self, kind: str, step: int, data: Mapping[str, object]) -> None:
        """Show one event of the run."""
        words = WORDS.get(kind)
        if words is None:
            return
        where = f"step {step}: " if step else ""
        self._status.update(f"{where}{words}")
        if kind in LASTING:
            self._console.print(f"[dim]{where}{words}[/dim]{escape(_detail(kind, data))}", highlight=False)

    def say(self, text: str) -> None:
        """Name what is being done between events."""
        self._status.update(escape(text))


def _detail(kind: str, data: Mapping[str, object]) -> str:
    names = {"decision": ("action", "chosen", "selected", "path"), "verdict": ("verdict", "reason"), "kept": ("path",)}
    found = [str(data[name]) for name in names.get(kind, ()) if isinstance(data.get(name), str) and data[name]]
    return f" ({', '.join(found)})"[:160] if found else ""
