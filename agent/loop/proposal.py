"""Turns Classify's answers into a proposal for the guards; must not choose, nor read a missing answer as one."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from agent.domain.action import Action
from agent.domain.answers import Answer, Chosen, Classified, Missing, Nouled, Scored
from agent.guards.events import FREE, PROPOSED, STOP, Event
from agent.loop.context import Context
from agent.loop.picking import pick_place
from agent.loop.questions import NONE, step_questions
from agent.loop.rules import OFFERED

_READS = 8  # files the fallback may choose from


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposed:
    """What one step's Classify came to: the event for the guards, or why there is none."""

    event: Event | None
    reason: str = ""
    probabilities: Mapping[str, float] = field(default_factory=dict)
    declined: bool = False
    """Classify answered that no listed file is worth reading."""


def propose(context: Context) -> Proposed:
    """Mask, ask, and build the proposal of one step."""
    masked = context.rules.mask()
    context.book.unavailable = masked
    context.trace("mask", unavailable=masked)
    offered = [action for action in OFFERED if action.value not in masked]
    if not offered:
        return Proposed(event=Event(PROPOSED, {"needs": 1.0}))  # nobody is asked what cannot be answered
    answered = context.ask(step_questions(offered, context.listing.to_read(), context.listing.to_edit()))
    action = answered.answers.get("action", Missing(reason="no answer for `action`"))
    if not isinstance(action, Chosen):
        why = action.reason if isinstance(action, Missing) else f"`action` was answered as {type(action).__name__}"
        return Proposed(event=None, reason=f"Classify gave no decision: {why}")
    if action.choice != NONE and action.choice not in {one.value for one in offered}:
        return Proposed(event=None, reason=f"Classify chose `{action.choice}`, which was not offered")
    picked, declined = _picked(context, answered.answers.get("file_to_read"))
    candidates = tuple(
        _candidate(context, name, action, picked, answered)
        for name in action.probabilities
        if name in {one.value for one in offered} or name == action.choice
    )
    return Proposed(
        event=Event(PROPOSED, _detail(context, answered, action, candidates)),
        probabilities=action.probabilities,
        declined=declined and action.choice == Action.READ_CODE,
    )


def _detail(context: Context, answered: Classified, action: Chosen, candidates: tuple[Event, ...]) -> dict[str, object]:
    answers = answered.answers
    return {
        "candidates": candidates,
        "top": action.choice,
        "confidence": action.confidence,
        "blocked": probability(answers.get("is_blocked"), 0.0),
        "repeats": probability(answers.get("repeats"), 0.0),
        "needs": probability(answers.get("needs_code_change"), 0.0),
        "risk": score(answers.get("risk"), 0.0),
        "progress": score(answers.get("progress_score"), 0.0),
        "reads": _reads(context, answers),
        "patterns": context.listing.patterns(),
    }


def _candidate(context: Context, name: str, action: Chosen, picked: str, answered: Classified) -> Event:
    top = name == action.choice
    detail: dict[str, object] = {"p": action.probabilities[name], "top": top}
    if top:
        detail["confidence"] = action.confidence
    if name == NONE:
        return Event(STOP, {**detail, "why": "stalled", "reason": "Classify saw no fitting action"})
    if name == Action.READ_CODE:
        detail["path"] = context.book.want or picked
    elif name == Action.SEARCH_CODE:
        detail["pattern"] = next(iter(context.listing.patterns()), "")
    elif name == Action.APPLY_EDIT:
        detail.update(_edit(context, answered, top=top))
    return Event(name, detail)


def _edit(context: Context, answered: Classified, *, top: bool) -> dict[str, object]:
    standing = context.book.standing
    if standing is not None and standing.broken:
        return {"path": standing.path, "spot": standing.spot}  # a broken draft is repaired before anything else
    path, _ = _picked(context, answered.answers.get("file_to_edit"))
    if not path:
        return _without_anchor(context, "", "no file was picked for the edit", top=top)
    if not top or not context.rules.allowed(Event(Action.APPLY_EDIT, {"path": path, "spot": "?"})):
        return {"path": path, "unpicked": "its lines were not asked for"}
    spot, reason = pick_place(context, path)
    return {"path": path, "spot": spot} if spot else _without_anchor(context, path, reason, top=top)


def _without_anchor(context: Context, path: str, why: str, *, top: bool) -> dict[str, object]:
    """Where nothing could be picked, a Generate that writes freely may name the place itself."""
    if top and context.ports.generator.prose:
        return {"path": path, "spot": FREE, "because": why}
    return {"path": path, "unpicked": why}


def _reads(context: Context, answers: Mapping[str, Answer]) -> tuple[str, ...]:
    """Files for the fallback: the one a refused edit named, the one picked for editing, then by probability."""
    edit, _ = _picked(context, answers.get("file_to_edit"))
    asked = answers.get("file_to_read")
    ranked: list[str] = []
    if isinstance(asked, Chosen):
        ranked = sorted(asked.probabilities, key=lambda path: -asked.probabilities[path])
    order = [context.book.want, edit, *ranked, *context.listing.ranked()]
    unread = dict.fromkeys(path for path in order if path and path != NONE and path not in context.book.finished)
    return tuple(path for path in unread if context.listing.exists(path))[:_READS]


def _picked(context: Context, answer: Answer | None) -> tuple[str, bool]:
    """The file picked, empty when none; and whether Classify declined outright."""
    if not isinstance(answer, Chosen) or not answer.confidence >= context.ports.classifier.profile.pick.value:
        return "", isinstance(answer, Chosen)
    return ("", True) if answer.choice == NONE else (answer.choice, False)


def probability(answer: Answer | None, missing: float) -> float:
    """A Noul's probability, `missing` for anything else."""
    return answer.probability if isinstance(answer, Nouled) else missing


def score(answer: Answer | None, missing: float) -> float:
    """A Score's expectation, `missing` for anything else."""
    return answer.score if isinstance(answer, Scored) else missing
