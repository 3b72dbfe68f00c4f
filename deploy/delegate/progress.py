"""Follows a run's events for a person: one moving line, and a lasting one for what mattered. Never changes an event."""

from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractContextManager
from types import TracebackType

from rich.console import Console
from rich.text import Text

from agent.ports import TraceSink

LONGEST = 160
NOW = {
    "run_started": "running the suite as it is",
    "baseline": "looking where the fault may lie",
    "mask": "deciding what to do",
    "decision": "working",
    "generate": "trying what was written",
    "verify": "running the suite",
    "kept": "deciding what to do",
    "run_ended": "finished",
}
"""What is going on after an event, for the moving line."""


class Followed:
    """A TraceSink that hands every event on and shows it."""

    def __init__(self, sink: TraceSink, show: Callable[[str, int, Mapping[str, object]], None]) -> None:
        self._sink = sink
        self._show = show

    def emit(self, kind: str, step: int, data: Mapping[str, object]) -> None:
        """Append one event, then show it."""
        self._sink.emit(kind, step, data)
        self._show(kind, step, data)

    def recall(self, kind: str, about: str) -> str | None:
        """What the sink remembers."""
        return self._sink.recall(kind, about)


class Nowhere:
    """A TraceSink for runs whose trace nobody asked for."""

    def emit(self, kind: str, step: int, data: Mapping[str, object]) -> None:
        """Forget the event."""

    def recall(self, kind: str, about: str) -> str | None:
        """Nothing."""


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
        where = f"step {step + 1}: " if kind not in ("run_started", "baseline", "verdict", "run_ended") else ""
        if kind in NOW:
            self._status.update(f"{where}{NOW[kind]}")
        line = told(kind, data)
        if line:
            self._console.print(Text(f"{where}{line}"[:LONGEST], style="dim"))


def told(kind: str, data: Mapping[str, object]) -> str:
    """One event in a lasting line; empty for those that are not worth one."""
    text = {name: str(value) for name, value in data.items() if isinstance(value, str | int | float)}
    match kind:
        case "baseline":
            return f"the suite as it is: {_count(data.get('red'))} red, {text.get('passed', '?')} passed"
        case "decision":
            return _action(data.get("selected"))
        case "generate":
            note = f" ({text['note']})" if text.get("note") else ""
            return f"{text.get('drafts', '?')} drafts for {text.get('path')}:{text.get('lines')}{note}"
        case "draft":
            return f"draft {'passed' if data.get('passed') else 'failed'}: {text.get('note') or 'by the model'}"
        case "kept":
            return f"kept {text.get('path')}:{text.get('spot')}, which fixes {_count(data.get('fixed'))} tests"
        case "verdict":
            return f"verdict {text.get('verdict')}: {text.get('reason')}"
        case _:
            return ""


def _action(selected: object) -> str:
    if not isinstance(selected, Mapping):
        return ""
    place = ":".join(str(selected[name]) for name in ("path", "spot") if selected.get(name))
    what = place or str(selected.get("pattern") or selected.get("due") or selected.get("why") or "")
    return f"{str(selected.get('action', '')).replace('_', ' ')} {what}".strip()


def _count(found: object) -> int:
    return len(found) if isinstance(found, Collection) and not isinstance(found, str) else 0
