"""Puts a decision on record, and says in words why a run stops; must not decide anything itself."""

from collections.abc import Mapping

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
        reason = "nothing is left to do: " + "; ".join(_refused(decision, context.book.unavailable))
    if why == "stalled" and context.meter.steps_left() <= 1:
        why, reason = "out_of_budget", "the budget of steps is used up: the last step is kept for the report"
    return End(outcome=_OUTCOMES[why], reason=reason)


def _refused(decision: Decision, unavailable: Mapping[str, str]) -> list[str]:
    """One entry per guard and action, so that many files refused for one reason do not fill a page."""
    named: dict[tuple[str, str], list[str]] = {}
    for one in decision.refusals:
        named.setdefault((one.action.value, one.guard), []).append(one.reason)
    told = []
    for (action, guard), reasons in named.items():
        different = list(dict.fromkeys(reasons))
        more = f", and {len(different) - 1} more" if len(different) > 1 else ""
        told.append(f"{action}: {different[0]}{more} ({guard})")
    return told + [f"{action}: {text}" for action, text in unavailable.items()]


def stopped(context: Context, reason: str) -> End:
    """A stall nobody chose: a model could not be used, or gave no decision."""
    context.trace("decision", requested=[], blocked=[], selected=None, by="loop", reason=reason)
    return End(outcome=Outcome.STALLED, reason=reason)
