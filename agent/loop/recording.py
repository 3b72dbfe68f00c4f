"""Puts a decision on record, and says in words why a run stops; must not decide anything itself."""

from agent.domain.action import Decision, Offer
from agent.domain.result import Outcome
from agent.guards.events import Event, Stepped, is_action
from agent.loop.context import Context
from agent.loop.ending import End
from agent.loop.proposal import Proposed
from agent.loop.rules import candidate_of, described, offer_of, worth_telling

_OUTCOMES = {"cancelled": Outcome.CANCELLED, "out_of_budget": Outcome.OUT_OF_BUDGET, "stalled": Outcome.STALLED}


def record(context: Context, stepped: Stepped, proposed: Proposed) -> Decision:
    """Keep the decision: in the trace with everything it was chosen from, in the notebook its refusals."""
    offer = offer_of(stepped)
    chosen = stepped.selected
    decision = Decision(
        step=context.meter.steps,
        chosen=candidate_of(chosen) if chosen is not None and is_action(chosen) else None,
        by=stepped.by,
        reason=chosen.text("reason") if chosen else "",
        probabilities=proposed.probabilities,
        refusals=offer.refusals,
    )
    for refusal in worth_telling(stepped):
        context.book.refuse(refusal)
    for one in stepped.blocked:
        if one.by == "read-before-edit" and one.event.detail.get("top"):
            context.book.want = one.event.text("path")
    context.trace(
        "decision",
        requested=[described(event) for event in stepped.requested],
        blocked=[{**described(one.event), "by": one.by, "why": one.reason} for one in stepped.blocked],
        selected=described(chosen) if chosen else None,
        by=decision.by,
        share=_share(decision, offer),
        probabilities=dict(decision.probabilities),
        memory=context.rules.memory(),
    )
    return decision


def _share(decision: Decision, offer: Offer) -> float | None:
    """The chosen candidate's probability over the sum of all that were not blocked; None when Classify did not ask."""
    total = sum(candidate.probability for candidate in offer.candidates)
    chosen = decision.chosen
    return round(chosen.probability / total, 4) if chosen is not None and chosen.probability and total else None


def stop(context: Context, event: Event | None, decision: Decision) -> End:
    """The end a chosen stop stands for; without words of its own it names every refusal."""
    why = event.text("why", "stalled") if event else "stalled"
    reason = decision.reason
    if not reason:
        named = dict.fromkeys(f"{one.action.value}: {one.reason} ({one.guard})" for one in decision.refusals)
        masked = [f"{action}: {text}" for action, text in context.book.unavailable.items()]
        reason = "nothing is left to do: " + "; ".join([*named, *masked])
    if why == "stalled" and context.meter.steps_left() <= 1:
        why = "out_of_budget"
    return End(outcome=_OUTCOMES[why], reason=reason)


def stopped(context: Context, reason: str) -> End:
    """A stall nobody chose: a model could not be used, or gave no decision."""
    context.trace("decision", requested=[], blocked=[], selected=None, by="loop", reason=reason)
    return End(outcome=Outcome.STALLED, reason=reason)
