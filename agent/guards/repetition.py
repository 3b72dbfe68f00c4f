"""Rules against going round in circles: the same action without new evidence, searches that miss; must not search."""

from agent.domain.action import Action
from agent.domain.thresholds import MISS_LIMIT
from agent.guards.events import EVIDENCE, SEARCH_HIT, SEARCH_MISS, Bid, Event, Thread, intent, is_action


def repeat() -> Thread:
    """Block an action with the same arguments as one done since the last new evidence."""
    done: frozenset[tuple[str, ...]] = frozenset()

    def again(event: Event) -> str | None:
        if is_action(event) and event.type != Action.TASK_COMPLETE and intent(event) in done:
            return "the same was done already and nothing new has come up since"
        return None

    while True:
        event = yield Bid(wait=(is_action, EVIDENCE), block=(again,))
        done = frozenset() if event.type == EVIDENCE else done | {intent(event)}


def searches() -> Thread:
    """Block searching after two missed searches in a row, until there is new evidence: a third guess misses as well."""
    misses = 0

    def stuck(event: Event) -> str | None:
        if event.type == Action.SEARCH_CODE and misses >= MISS_LIMIT:
            return f"the last {misses} searches found nothing"
        return None

    while True:
        event = yield Bid(wait=(SEARCH_MISS, SEARCH_HIT, EVIDENCE), block=(stuck,))
        misses = misses + 1 if event.type == SEARCH_MISS else 0
