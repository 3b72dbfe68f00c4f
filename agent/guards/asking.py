"""Rules of what the goal asked for: no unasked risk, no answer where a change is asked; must not judge text."""

from agent.domain.action import Action
from agent.domain.profiles import BENDCODER, Profile
from agent.guards.events import APPLIED, PROPOSED, READ, RESTORED, SUITE_GREEN, Bid, Event, Thread

_HARMFUL = (Action.APPLY_EDIT, Action.RUN_SUITE, Action.REPRODUCE)


def risk(profile: Profile = BENDCODER) -> Thread:
    """Block what could destroy or expose something when the goal did not ask for a change: a person should confirm."""
    danger, asked = 0.0, 1.0

    def dangerous(event: Event) -> str | None:
        unasked = danger >= profile.top_risk.value and asked < profile.change_asked.value
        if event.type in _HARMFUL and event.detail.get("top") and unasked:
            return f"risk {danger:.1f} without being asked for a change: a person should confirm"
        return None

    while True:
        event = yield Bid(wait=(PROPOSED,), block=(dangerous,))
        danger, asked = event.number("risk"), event.number("needs")


def blocked(profile: Profile = BENDCODER) -> Thread:
    """Block an end without any change while Classify itself says that the task is blocked."""
    stuck, kept, provisional = False, False, False

    def unfinished(event: Event) -> str | None:
        if event.type == Action.TASK_COMPLETE and stuck and not kept:
            return "nothing was changed, and the task is said to be blocked"
        return None

    while True:
        event = yield Bid(wait=(PROPOSED, APPLIED, RESTORED, SUITE_GREEN), block=(unfinished,))
        if event.type == PROPOSED:
            stuck = event.number("blocked") > profile.blocked.value
        else:
            kept = kept or (event.type == SUITE_GREEN and provisional)
            provisional = event.type == APPLIED


def answering(profile: Profile = BENDCODER) -> Thread:
    """Block an answer where a change is asked for, and one that would be a guess because nothing was read."""
    asked, progress, seen = True, 0.0, False

    def guess(event: Event) -> str | None:
        if event.type != Action.GENERATE_ANSWER:
            return None
        if asked:
            return "the goal asks for a change, not for an answer"
        informed = seen or progress >= profile.answer_progress.value
        return None if informed else "nothing has been read, an answer would be a guess"

    while True:
        event = yield Bid(wait=(PROPOSED, READ), block=(guess,))
        if event.type == READ:
            seen = True
        else:
            asked, progress = event.number("needs") >= profile.change_asked.value, event.number("progress")
