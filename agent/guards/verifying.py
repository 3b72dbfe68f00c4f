"""Rules of verification: an edit goes through the suite, and nothing is done while it is red; must run nothing."""

from agent.domain.action import Action
from agent.domain.profiles import BENDCODER, Profile
from agent.domain.thresholds import REPAIR_LIMIT
from agent.guards.events import (
    APPLIED,
    FAILED,
    PROPOSED,
    RESTORED,
    SUITE_GREEN,
    SUITE_RED,
    Bid,
    Event,
    Thread,
    is_action,
)


def verify_after_edit() -> Thread:
    """Ask for the full suite as soon as an edit is provisional, and block everything else until it has answered."""

    def other(event: Event) -> str | None:
        if is_action(event) and event.type != Action.RUN_SUITE:
            return "the last edit has not been through the full suite"
        return None

    suite = Event(Action.RUN_SUITE, {"due": "an edit is provisional"})
    while True:
        yield Bid(wait=(APPLIED,))
        yield Bid(request=((1.0, suite),), block=(other,))
        yield Bid(wait=(SUITE_GREEN, SUITE_RED), block=(other,))


def green_before_done(profile: Profile = BENDCODER) -> Thread:
    """Block completion on a red or outdated suite, and without a kept edit when the goal asks for a change."""
    asked, kept, suite = True, 0, "base"
    reasons = {"red": "the suite is red", "stale": "nothing was verified since the last edit"}

    def early(event: Event) -> str | None:
        if event.type != Action.TASK_COMPLETE:
            return None
        missing = "the goal asks for a change and no edit has been kept" if asked and not kept else None
        return reasons.get(suite, missing)

    while True:
        event = yield Bid(wait=(PROPOSED, APPLIED, FAILED, RESTORED, SUITE_GREEN, SUITE_RED), block=(early,))
        if event.type == PROPOSED:
            asked = event.number("needs", 1.0) >= profile.change_asked.value
        elif event.type == SUITE_GREEN:
            kept, suite = kept + (suite == "stale"), "green"
        elif event.type == RESTORED:
            suite = "green" if kept else "base"
        elif event.type != FAILED or event.detail.get("standing"):
            suite = "stale" if event.type == APPLIED else "red"


def repair_cap() -> Thread:
    """Block a further edit of a place whose drafts all failed, or whose draft was repaired in vain twice.

    A green suite forgives them all: the code around has changed.
    """
    spent: frozenset[str] = frozenset()
    row = 0

    def again(event: Event) -> str | None:
        place = f"{event.text('path')}:{event.text('spot')}"
        if event.type == Action.APPLY_EDIT and place in spent:
            return f"every draft for {place} failed"
        return None

    while True:
        event = yield Bid(wait=(FAILED, SUITE_GREEN), block=(again,))
        if event.type == SUITE_GREEN:
            spent, row = frozenset(), 0  # the code around has changed: an old failure says nothing any more
            continue
        row = row + 1 if event.detail.get("standing") else 0
        if not event.detail.get("standing") or row > REPAIR_LIMIT:
            spent, row = spent | {f"{event.text('path')}:{event.text('spot')}"}, 0
