"""One attempt's line in a table: plain numbers and words from the run's own document and trace; judges nothing."""

from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict

from agent.measure import Measures
from deploy.evals.hidden import Checked, Hidden
from deploy.evals.task import Ending, Task

_ENDINGS = {
    "answered": Ending.ANSWERED, "completed": Ending.UNCHANGED, "stalled": Ending.STALLED,
    "out_of_budget": Ending.OUT_OF_BUDGET, "cancelled": Ending.CANCELLED, "suite_unusable": Ending.UNUSABLE,
    "could_not_start": Ending.NOT_STARTED,
}  # fmt: skip
_VERDICTS = {"verified": Ending.FIXED, "unverified": Ending.UNVERIFIED, "failing": Ending.FAILING}


class Row(BaseModel):
    """One attempt. `ending` is how the run ended by itself, `hidden` whether the result is right: two questions."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    task: str
    attempt: int
    expected: Ending
    ending: Ending
    hidden: Hidden = Hidden.NONE
    as_expected: bool = False
    outcome: str = ""
    verdict: str | None = None
    reason: str = ""
    files: tuple[str, ...] = ()
    """Files of kept edits."""
    steps: int = 0
    classify_calls: int = 0
    generate_calls: int = 0
    tokens: int = 0
    money: float | None = None
    seconds: float = 0.0
    suite_seconds: float = 0.0
    model_seconds: float = 0.0
    waste: int = 0
    before_first_change: int | None = None
    refusals: Mapping[str, int] = {}
    refused_by: tuple[str, ...] = ()
    """Every guard that refused something, as the run itself reports it."""
    problems: tuple[str, ...] = ()
    """What a scripted model was asked for and could not give; what the hidden check printed; why an attempt broke."""

    @property
    def own_seconds(self) -> float:
        """Seconds that went neither into a model nor into the repository's commands."""
        return max(0.0, self.seconds - self.suite_seconds - self.model_seconds)


def row_of(
    task: Task,
    attempt: int,
    document: Mapping[str, object],
    measures: Measures,
    checked: Checked,
    problems: tuple[str, ...] = (),
) -> Row:
    """The row of an attempt that came to an end by itself."""
    guards = tuple(sorted({str(one["guard"]) for one in _entries(document.get("refusals"))}))
    ending = ending_of(document, task.settings.refused_by, guards)
    usage = document.get("usage")
    used = usage if isinstance(usage, Mapping) else {}
    said = (f"hidden check: {checked.output.strip()}",) if checked.output.strip() else ()
    return Row(
        task=task.name,
        attempt=attempt,
        expected=task.settings.expect,
        ending=ending,
        hidden=checked.word,
        as_expected=ending is task.settings.expect
        and checked.word is not Hidden.FAIL
        and set(task.settings.refused_by) <= set(guards),
        outcome=str(document.get("outcome", "")),
        verdict=_text(document.get("verdict")),
        reason=str(document.get("reason", "")),
        files=tuple(str(one["path"]) for one in _entries(document.get("kept_edits"))),
        steps=measures.steps,
        suite_seconds=measures.suite_seconds,
        model_seconds=measures.model_seconds,
        waste=measures.waste,
        before_first_change=measures.before_first_change,
        refusals=measures.refusals,
        refused_by=guards,
        problems=(*problems, *said),
        **{name: used[name] for name in _USED if name in used},
    )


_USED = ("classify_calls", "generate_calls", "tokens", "money", "seconds")


def broken_row(task: Task, attempt: int, ending: Ending, reason: str, seconds: float) -> Row:
    """The row of an attempt that was ended, or that broke."""
    return Row(
        task=task.name,
        attempt=attempt,
        expected=task.settings.expect,
        ending=ending,
        as_expected=ending is task.settings.expect,
        reason=reason,
        seconds=round(seconds, 3),
        problems=(reason,),
    )


def skipped_row(task: Task, attempt: int) -> Row:
    """The row of an attempt that was not made, because a program is missing: neither good nor bad, but told."""
    row = broken_row(task, attempt, Ending.SKIPPED, f"it needs {', '.join(task.missing)}, which is not here", 0.0)
    return row.model_copy(update={"as_expected": True, "hidden": Hidden.SKIP})


def ending_of(document: Mapping[str, object], wanted: tuple[str, ...], guards: tuple[str, ...]) -> Ending:
    """How a run ended, in one word; an end without an edit is `refused` when all `wanted` guards refused something."""
    verdict = document.get("verdict")
    if isinstance(verdict, str):
        return _VERDICTS[verdict]
    ending = _ENDINGS[str(document["outcome"])]
    if wanted and set(wanted) <= set(guards) and ending in (Ending.STALLED, Ending.UNCHANGED, Ending.OUT_OF_BUDGET):
        return Ending.REFUSED
    return ending


def _entries(value: object) -> tuple[Mapping[str, object], ...]:
    return tuple(one for one in value if isinstance(one, Mapping)) if isinstance(value, list) else ()


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
