"""Who proposes: Classify's answers, and the fallback when none of them is left; must not choose between them."""

from collections.abc import Iterable

from agent.domain.action import Action
from agent.guards.events import CANCEL, PROPOSED, SETTLED, STOP, Bid, Event, Thread, is_action


def classify() -> Thread:
    """Request each candidate of the present proposal with its probability as score."""
    while True:
        proposal = yield Bid(wait=(PROPOSED,), interrupt=(CANCEL,))
        wishes = tuple((event.number("p"), event) for event in _events(proposal.detail.get("candidates")))
        yield Bid(request=wishes, wait=(is_action, STOP), interrupt=(CANCEL,))


def fallback() -> Thread:
    """When no candidate is left: read the next file, then search, then stop."""
    while True:
        proposal = yield Bid(wait=(PROPOSED,))
        paths, patterns = _texts(proposal.detail.get("reads")), _texts(proposal.detail.get("patterns"))
        wishes = [Event(Action.READ_CODE, {"path": path, "fallback": True}) for path in paths]
        wishes += [Event(Action.SEARCH_CODE, {"pattern": pattern, "fallback": True}) for pattern in patterns]
        wishes.append(Event(STOP, {"why": "stalled", "fallback": True}))
        ranked = tuple((float(len(wishes) - place), event) for place, event in enumerate(wishes))
        yield Bid(request=ranked, wait=(is_action, STOP))


def one_effect() -> Thread:
    """Block every action while the effect of the last one is open."""

    def busy(event: Event) -> str | None:
        return "the last action is not over" if is_action(event) else None

    while True:
        yield Bid(wait=(is_action,))
        yield Bid(wait=(SETTLED,), block=(busy,))


def _events(value: object) -> tuple[Event, ...]:
    return tuple(one for one in value if isinstance(one, Event)) if isinstance(value, Iterable) else ()


def _texts(value: object) -> tuple[str, ...]:
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, tuple) else ()
