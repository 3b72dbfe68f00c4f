"""How a run ends: a last suite for what is provisional, the verdict on what was kept; must not edit anything."""

from dataclasses import dataclass, replace

from agent.domain.result import Judgement, Outcome, RunResult
from agent.edits.diff import unified
from agent.loop.context import Context
from agent.loop.shrinking import shrink
from agent.loop.standing import restore
from agent.loop.suites import run_suite

_LAST_SUITE = 0.5  # of the time left, what the last suite of a provisional edit may take; the rest is the verdict's


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """Why the loop is over."""

    outcome: Outcome
    reason: str


def finish(context: Context, end: End) -> RunResult:
    """Settle what is not kept, have the kept edits judged, and put the result together."""
    _settle(context, end)
    changes = context.ports.workspace.changes() if context.book.kept else ()
    judgement = _judge(context) if changes else None
    result = RunResult(
        run_id=context.task.run_id,
        outcome=end.outcome,
        outcome_reason=end.reason,
        judgement=judgement,
        changes=changes,
        diff=unified(changes),
        baseline=context.book.baseline,
        usage=context.meter.usage(),
        refusals=tuple(context.book.refusals),
        answer=context.book.answer if end.outcome is Outcome.ANSWERED else "",
        trace=str(getattr(context.ports.trace, "path", "")),
        classify=context.ports.classifier.label,
        generate=context.ports.generator.label,
    )
    context.trace(
        "run_ended",
        outcome=result.outcome.value,
        reason=result.outcome_reason,
        verdict=judgement.verdict.value if judgement else None,
        kept=context.book.kept,
        steps=result.usage.steps,
        tokens=result.usage.tokens,
        seconds=result.usage.seconds,
    )
    return result


def _settle(context: Context, end: End) -> None:
    """A provisional edit gets one suite run outside the step budget; whatever is still not kept goes."""
    standing = context.book.standing
    if standing is not None and not standing.broken and end.outcome is not Outcome.CANCELLED:
        run_suite(context, context.meter.total_left * _LAST_SUITE)
    if context.book.standing is not None:
        restore(context)
    if end.outcome is not Outcome.CANCELLED:
        shrink(context)


def _judge(context: Context) -> Judgement | None:
    baseline = context.book.baseline
    if baseline is None:
        return None
    changes = context.ports.workspace.changes()
    book = context.book
    judgement = context.verifier.judge(
        baseline,
        changes,
        context.task.goal,
        context.meter.total_left,
        written_tests=book.written,
        undecided=book.undecided,
    )
    return replace(judgement, notes=(*judgement.notes, *context.book.notes))
