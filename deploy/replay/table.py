"""A trace as a table of steps: what was proposed, who refused it and why, what was done and came of it. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from agent.trace import Record

_ARGUMENTS = ("path", "spot", "pattern")
_TOLD = {
    "read.done": "read", "read.declined": "no file read", "search.hit": "found", "search.missed": "not found",
    "edit.applied": "provisional", "edit.failed": "failed", "edit.restored": "undone", "suite.green": "suite green",
    "suite.red": "suite red", "plan.made": "planned", "reproduced": "a test fails for the reason",
    "unreproduced": "no failing test",
}  # fmt: skip


@dataclass(slots=True, kw_only=True)
class Row:
    """One step in words."""

    step: int
    proposed: str
    refused: list[str] = field(default_factory=list)
    done: str = ""
    by: str = ""
    result: list[str] = field(default_factory=list)


def rows(records: Iterable[Record]) -> list[Row]:
    """One row per decision, in order; what came of it is taken from the events up to the next one."""
    found: list[Row] = []
    for record in records:
        if record.kind == "decision":
            found.append(_decided(record))
        elif found:
            found[-1].result.extend(_came(record))
    return found


def _decided(record: Record) -> Row:
    data = record.data
    requested = [one for one in _maps(data.get("requested")) if "p" in one]
    top = next((one for one in requested if one.get("top")), None)
    selected = data.get("selected")
    chosen = selected if isinstance(selected, Mapping) else {}
    told: dict[str, str] = {}
    for one in _maps(data.get("blocked")):
        if one.get("top") or "p" not in one:
            told.setdefault(f"{one.get('action')}", f"{one.get('action')}: {one.get('by')} ({one.get('why')})")
    done = named(chosen) or f"stop: {data.get('reason', 'no decision')}"
    return Row(
        step=record.step,
        proposed=f"{named(top)} {_share(top)}" if top else "",
        refused=list(told.values()),
        done=done,
        by=str(data.get("by", "")),
    )


def _came(record: Record) -> list[str]:
    data = record.data
    if record.kind == "effect":
        return [_TOLD[name] for one in _maps(data.get("events")) if (name := str(one.get("action"))) in _TOLD]
    if record.kind == "draft" and data.get("passed") is False:
        return ["a draft failed"]
    if record.kind == "verdict":
        return [f"{data.get('verdict')}: {data.get('reason')}"]
    return []


def named(event: Mapping[str, object] | None) -> str:
    """An action with its arguments."""
    if not event:
        return ""
    if event.get("action") == "stop":
        return f"stop: {event.get('reason') or event.get('why', '')}"
    return " ".join(str(one) for one in (event.get("action"), *(event.get(name) for name in _ARGUMENTS)) if one)


def _share(event: Mapping[str, object]) -> str:
    value = event.get("confidence")
    return f"({value:.2f})" if isinstance(value, int | float) else ""


def _maps(value: object) -> list[Mapping[str, object]]:
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []
