"""Puts a decision on record, and says in words why a run stops; must not decide anything itself."""

from agent.domain.action import Refusal
from agent.domain.result import Outcome
from agent.guards.events import Event, Stepped
from agent.loop.context import Context
from agent.loop.ending import End
from agent.loop.proposal import Proposed
from agent.loop.rules import described, refusals_of

_OUTCOMES = {"cancelled": Outcome.CANCELLED, "out_of_budget": Outcome.OUT_OF_BUDGET, "stalled": Outcome.STALLED}


def record(context: Context, stepped: Stepped, proposed: Proposed) -> tuple[Refusal, ...]:
    """Keep the decision: in the trace with everything it was chosen from, in the notebook its refusals."""
    refusals = refusals_of(stepped)
    for refusal in refusals:
        context.book.refuse(refusal)
    for one in stepped.blocked:
        if one.by == "read-before-edit" and one.event.detail.get("top"):
            context.book.want = one.event.text("path")
    chosen = stepped.selected
    context.trace(
        "decision",
        requested=[described(event) for event in stepped.requested],
        blocked=[{**described(one.event), "by": one.by, "why": one.reason} for one in stepped.blocked],
        selected=described(chosen) if chosen else None,
        by=stepped.by,
        share=_share(stepped),
        probabilities=dict(proposed.probabilities),
        memory=context.rules.memory(),
    )
    return refusals


def _share(stepped: Stepped) -> float | None:
    """The chosen candidate's probability over the sum of all that were not blocked; None when Classify did not ask."""
    refused = {id(one.event) for one in stepped.blocked}
    total = sum(event.number("p") for event in stepped.requested if id(event) not in refused)
    chosen = stepped.selected
    return round(chosen.number("p") / total, 4) if chosen is not None and "p" in chosen.detail and total else None


def stop(context: Context, event: Event | None, refusals: tuple[Refusal, ...]) -> End:
    """The end a chosen stop stands for; without words of its own it names every refusal."""
    why = event.text("why", "stalled") if event else "stalled"
    reason = event.text("reason") if event else ""
    if not reason:
        named = dict.fromkeys(f"{one.action.value}: {one.reason} ({one.guard})" for one in refusals)
        masked = [f"{action}: {text}" for action, text in context.book.unavailable.items()]
        reason = "nothing is left to do: " + "; ".join([*named, *masked])
    if why == "stalled" and context.meter.steps_left() <= 1:
        why = "out_of_budget"
    return End(outcome=_OUTCOMES[why], reason=reason)


def stopped(context: Context, reason: str) -> End:
    """A stall nobody chose: a model could not be used, or gave no decision."""
    context.trace("decision", requested=[], blocked=[], selected=None, by="loop", reason=reason)
    return End(outcome=Outcome.STALLED, reason=reason)
