"""Rules of how sure Classify must be: floors, and an end to being rerouted; must know a backend by its profile only."""

from agent.domain.action import Action
from agent.domain.profiles import BENDCODER, Profile
from agent.domain.thresholds import FLAIL_AFTER, SPENT_AFTER
from agent.guards.events import (
    FAILED,
    PROPOSED,
    READ,
    RESTORED,
    STOP,
    SUITE_GREEN,
    SUITE_RED,
    Bid,
    Event,
    Thread,
    is_action,
)


def floors(profile: Profile = BENDCODER) -> Thread:
    """Block every proposal of Classify under its floor; spent floor, red suite and landed read excuse the top one.

    A floor is spent by two reroutes in a row: a weak wish that stays the same may act then, but may not finish the run.
    """
    low, weak, red, met = 0, False, False, ""

    def under(event: Event) -> str | None:
        value, floor = sureness(event), floor_of(event.type, profile)
        if value is None or value >= floor:
            return None
        edit = event.type == Action.APPLY_EDIT
        excused = (low >= SPENT_AFTER and event.type != Action.TASK_COMPLETE) or (
            edit and (red or (met != "" and met == event.text("path")))
        )
        return None if excused and event.detail.get("top") else f"{value:.2f} is under the floor of {floor:.2f}"

    while True:
        event = yield Bid(wait=(PROPOSED, READ, FAILED, RESTORED, SUITE_GREEN, SUITE_RED, is_action), block=(under,))
        if event.type == PROPOSED:
            weak = event.number("confidence") < floor_of(event.text("top"), profile)
        elif event.type == READ:
            met = event.text("path") if event.detail.get("wanted") else met
        elif is_action(event):
            low, weak = (low + 1 if weak and "fallback" in event.detail else 0), False
            met = "" if event.type == Action.APPLY_EDIT else met
        else:
            red = event.type == SUITE_RED or bool(event.detail.get("standing"))


def flail() -> Thread:
    """Block the third reroute in a row: the run then stops and says why."""
    row = 0

    def third(event: Event) -> str | None:
        if "fallback" in event.detail and event.type != STOP and row >= FLAIL_AFTER - 1:
            return f"it would be reroute {row + 1} in a row"
        return None

    while True:
        event = yield Bid(wait=(is_action,), block=(third,))
        row = row + 1 if "fallback" in event.detail else 0


def recorded_failure(profile: Profile = BENDCODER) -> Thread:
    """Block the top proposal when Classify itself says that it repeats a recorded failure."""
    repeats = 0.0

    def known(event: Event) -> str | None:
        most = profile.repeats.value
        if is_action(event) and event.detail.get("top") and repeats > most:
            return f"it repeats a recorded failure ({repeats:.2f} over {most:.2f})"
        return None

    while True:
        event = yield Bid(wait=(PROPOSED,), block=(known,))
        repeats = event.number("repeats")


def floor_of(action: str, profile: Profile) -> float:
    """The least confidence an action needs, 0 to 1."""
    return (profile.edit if action == Action.APPLY_EDIT else profile.action).value


def sureness(event: Event) -> float | None:
    """How sure Classify was of a proposal: confidence of the top one, else probability; None when not Classify's."""
    if not is_action(event) or "p" not in event.detail:
        return None
    return event.number("confidence" if event.detail.get("top") else "p")
