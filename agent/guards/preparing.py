"""Rules of what comes before an edit: a failing test, and a plan where one was made; must not write either."""

from agent.domain.action import Action
from agent.domain.profiles import BENDCODER, Profile
from agent.guards.events import (
    APPLIED,
    BASELINE,
    PLANNED,
    PROPOSED,
    READ,
    REPRODUCED,
    TICKED,
    UNREPRODUCED,
    Bid,
    Event,
    Thread,
)

REPRODUCE_LIMIT = 2
"""Attempts to write a failing test: one, and one that has seen why the first would not do. Not measured."""


def reproduce_first(profile: Profile = BENDCODER) -> Thread:
    """Block edits until a test fails for the reported reason, where a change is asked and Generate can write a test.

    Where tests fail that the goal does not name, they may or may not be what it is about: one may be written, and edits
    need not wait for it. Blocks writing a test where one the goal names fails already, where no test can be written or
    told apart, after two attempts, and after the first edit: a test that was written later proves nothing.
    """
    state, due, tries, asked = "unknown", False, 0, True
    reasons = {
        "unknown": "the suite has not run yet",
        "red": "a test fails already",
        "unable": "Generate writes no tests, or the suite does not tell them apart",
        "unread": "nothing has been read, so a test would be a guess",
        "spent": f"{REPRODUCE_LIMIT} attempts came to nothing",
        "done": "a test this run wrote fails already",
        "edited": "the first edit is made, and a test written after it proves nothing",
    }

    def early(event: Event) -> str | None:
        if event.type == Action.REPRODUCE:
            return reasons.get(state)
        if event.type == Action.APPLY_EDIT and due and asked and state in ("able", "unread"):
            return "no test fails yet: write one that fails for the reported reason first"
        return None

    while True:
        event = yield Bid(wait=(BASELINE, PROPOSED, READ, REPRODUCED, UNREPRODUCED, APPLIED), block=(early,))
        if event.type == PROPOSED:
            asked = event.number("needs", 1.0) >= profile.change_asked.value
        elif event.type == BASELINE:
            red, writable = event.number("red"), event.detail.get("writable")
            named = red and (event.number("named") or not writable)
            state, due = "red" if named else ("unread" if writable else "unable"), not red
        elif event.type == READ:
            state = "able" if state == "unread" else state
        elif event.type == UNREPRODUCED:
            tries += 1
            state = "spent" if tries >= REPRODUCE_LIMIT else state
        else:
            state = "done" if event.type == REPRODUCED else ("edited" if state in ("able", "unread") else state)


def plan_once() -> Thread:
    """Block planning where a plan stands already, and where Generate writes no prose."""
    reason = "the suite has not run yet"

    def again(event: Event) -> str | None:
        return reason or None if event.type == Action.PLAN else None

    while True:
        event = yield Bid(wait=(BASELINE, PLANNED), block=(again,))
        if event.type == BASELINE:
            reason = "" if event.detail.get("prose") else "Generate writes no plans"
        else:
            reason = "a plan stands already"


def plan_open() -> Thread:
    """Block completion, and nothing else, while an item of the plan that names a tracked file is open."""
    left = ""

    def unfinished(event: Event) -> str | None:
        return f"the plan is not done: {left}" if left and event.type == Action.TASK_COMPLETE else None

    while True:
        event = yield Bid(wait=(PLANNED, TICKED), block=(unfinished,))
        left = event.text("open")
