"""Rules that end a run: budgets and cancel; must not measure anything itself."""

from agent.domain.action import Action
from agent.guards.events import BUDGET, CANCEL, STOP, Bid, Event, Thread, is_action

_REPORTING = (Action.TASK_COMPLETE, Action.GENERATE_ANSWER)
_KINDS = ("steps", "seconds", "tokens", "money")


def budgets() -> Thread:
    """Stop when steps, seconds, tokens or money are used up; the last step is kept for the report."""
    spent, last = "", False

    def over(event: Event) -> str | None:
        if not is_action(event):
            return None
        if spent:
            return f"the budget of {spent} is used up"
        reports = event.type in _REPORTING or "due" in event.detail
        return "the last step is kept for the report" if last and not reports else None

    while True:
        stop = Event(STOP, {"why": "out_of_budget", "reason": f"the budget of {spent} is used up"})
        event = yield Bid(request=((1.0, stop),) if spent else (), wait=(BUDGET,), block=(over,))
        if event.type == BUDGET:
            spent = next((kind for kind in _KINDS if event.number(kind, 1.0) <= 0), "")
            last = event.number("steps", 2.0) <= 1


def cancel() -> Thread:
    """Stop as soon as the run is cancelled; nothing else may happen after it."""
    stop = Event(STOP, {"why": "cancelled", "reason": "the run was cancelled"})

    def late(event: Event) -> str | None:
        return "the run was cancelled" if is_action(event) else None

    yield Bid(wait=(CANCEL,))
    while True:
        yield Bid(request=((1.0, stop),), wait=(CANCEL,), block=(late,))
