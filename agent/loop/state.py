"""Renders the notebook as the one bounded object Classify sees; must not leave anything in it unbounded."""

from collections.abc import Sequence

from agent.domain.action import Observation
from agent.domain.thresholds import GOAL_CHARS, OBSERVATION_CHARS, OBSERVATIONS_CHARS, SUSPECTS
from agent.loop.meter import Meter
from agent.loop.notebook import Notebook

_CUT = "\n[cut here]"
_IDS = 40  # test ids per list: names of failing tests are evidence, a thousand of them are noise
_ID = 200  # characters of one: parameters can be whole texts


def bounded(entries: Sequence[Observation], total: int = OBSERVATIONS_CHARS) -> list[str]:
    """The newest observations that fit, oldest first; a first line says how many were dropped."""
    kept: list[str] = []
    room = total
    for entry in reversed(entries):
        text = f"\n[{entry.label}]:\n{entry.text}"
        if len(text) > OBSERVATION_CHARS:
            text = text[: OBSERVATION_CHARS - len(_CUT)] + _CUT
        if len(text) > room:
            break
        room -= len(text)
        kept.append(text)
    dropped = len(entries) - len(kept)
    return [*([f"[{dropped} older entries dropped]"] if dropped else []), *reversed(kept)]


def state_of(goal: str, paths: Sequence[str], book: Notebook, meter: Meter) -> dict[str, object]:
    """The object for Classify; `paths` is the ranked listing, already cut."""
    return {
        "directive": goal[:GOAL_CHARS],
        "program": {"step": book.done[-1] if book.done else "", "steps_done": book.done[-40:-1]},
        "observations": bounded(book.observations),
        "facts": facts(book),
        "plan": [item.shown() for item in book.plan],
        "index": {"paths": list(paths), "search_hits": bounded(book.hits)},
        "budget": {
            "steps_left": meter.steps_left(),
            "seconds_left": round(meter.loop_left),
            "tokens_used": meter.tokens,
        },
    }


def facts(book: Notebook) -> dict[str, object]:
    """What the product itself knows: baseline, verification, suspects, what was tried, what is not available."""
    base, standing = book.baseline, book.standing
    return {
        "baseline": {
            "red": _named(base.red()) if base else [],
            "red_count": len(base.red()) if base else 0,
            "passed_count": len(base.passed()) if base else 0,
            "exit_code": base.exit_code if base else None,
        },
        "red_left": _named(book.red),
        "verification": book.verification,
        "changed_paths": book.changed[-_IDS:],
        "failed_path": standing.path if standing and standing.broken else None,
        "provisional": bool(standing and not standing.broken),
        "kept": list(book.kept),
        "read": sorted(book.reading),
        "tried": [_place(path, spot) for path, spot in book.tried],
        "suspects": [
            {"path": one.path, "begin": one.begin, "end": one.end, "name": one.name, "score": round(one.score, 4)}
            for one in book.untried[:SUSPECTS]
        ],
        "unavailable": dict(book.unavailable),
    }


def _named(tests: frozenset[str]) -> list[str]:
    return [test[:_ID] for test in sorted(tests)[:_IDS]]


def _place(path: str, spot: str) -> dict[str, object]:
    begin, _, end = spot.partition("-")
    return {"path": path, "begin": int(begin), "end": int(end)} if end else {"path": path, "spot": spot}
