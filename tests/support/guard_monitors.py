"""What must never happen, each as a thread that raises when it does; written from the design, not from the guards."""

from collections.abc import Callable

from agent.domain.action import Action
from agent.guards.events import (
    APPLIED,
    BASELINE,
    BUDGET,
    CANCEL,
    EVIDENCE,
    FAILED,
    PLANNED,
    PROPOSED,
    READ,
    REPRODUCED,
    RESTORED,
    SEARCH_HIT,
    SEARCH_MISS,
    SUITE_GREEN,
    SUITE_RED,
    TICKED,
    UNREPRODUCED,
    Bid,
    Event,
    Thread,
    is_action,
)


def _anything(event: Event) -> bool:
    return True


def no_edit_of_an_unread_file() -> Thread:
    seen: frozenset[str] = frozenset()
    while True:
        event = yield Bid(wait=(_anything,))
        if event.type == READ:
            seen |= {event.text("path")}
        if event.type == Action.APPLY_EDIT and not (event.text("path") in seen or (seen and not event.text("path"))):
            raise AssertionError(f"{event.text('path')} was edited unread")


def no_completion_on_a_red_or_old_suite() -> Thread:
    suite, kept, needs = "base", False, 1.0
    while True:
        event = yield Bid(wait=(_anything,))
        needs = event.number("needs") if event.type == PROPOSED else needs
        if event.type == Action.TASK_COMPLETE and (suite in ("red", "old") or (needs >= 0.5 and not kept)):
            raise AssertionError(f"completed with suite {suite}, kept {kept}")
        if event.type == APPLIED:
            suite = "old"
        elif event.type == SUITE_GREEN:
            kept, suite = kept or suite == "old", "green"
        elif event.type == SUITE_RED or (event.type == FAILED and event.detail["standing"]):
            suite = "red"
        elif event.type == RESTORED:
            suite = "green" if kept else "base"


def the_suite_follows_an_edit() -> Thread:
    due = False
    while True:
        event = yield Bid(wait=(_anything,))
        if due and is_action(event) and event.type != Action.RUN_SUITE:
            raise AssertionError(f"{event.type} came before the suite that an edit needs")
        due = event.type == APPLIED or (due and not is_action(event))


def no_edit_of_a_protected_file() -> Thread:
    while True:
        event = yield Bid(wait=(Action.APPLY_EDIT,))
        if event.text("path").startswith(".github/"):
            raise AssertionError(f"{event.text('path')} was edited")


def no_edit_where_all_failed() -> Thread:
    spent: frozenset[str] = frozenset()
    row = 0
    while True:
        event = yield Bid(wait=(Action.APPLY_EDIT, FAILED, SUITE_GREEN))
        place = event.text("path") + event.text("spot")
        if event.type == Action.APPLY_EDIT and (place in spent or row > 2):
            raise AssertionError(f"{place} was edited again after everything failed")
        if event.type == FAILED:
            row = row + 1 if event.detail["standing"] else 0
            spent = spent if event.detail["standing"] else spent | {place}
        elif event.type == SUITE_GREEN:
            spent, row = frozenset(), 0


def no_repetition() -> Thread:
    done: frozenset[str] = frozenset()
    while True:
        event = yield Bid(wait=(is_action, EVIDENCE))
        what = f"{event.type} {event.text('path')} {event.text('spot')} {event.text('pattern')}"
        if what in done:
            raise AssertionError(f"{what.strip()} was repeated without new evidence")
        done = frozenset() if event.type == EVIDENCE else done | {what}


def nothing_beyond_the_budget() -> Thread:
    steps = 99.0
    while True:
        event = yield Bid(wait=(BUDGET, is_action))
        if event.type == BUDGET:
            steps = event.number("steps")
        elif steps <= 0 or (steps <= 1 and event.type in (Action.READ_CODE, Action.SEARCH_CODE, Action.APPLY_EDIT)):
            raise AssertionError(f"{event.type} with {steps:.0f} steps left")


def no_weak_proposal_at_once() -> Thread:
    """Without two reroutes, a red suite or a landed read, nothing below its floor may act; a runner-up never."""
    rerouted, red = 0, False
    while True:
        event = yield Bid(wait=(is_action, FAILED, SUITE_RED, SUITE_GREEN, RESTORED))
        if not is_action(event):
            red = event.type == SUITE_RED or bool(event.detail.get("standing"))
            continue
        low = event.number("p", 1.0) < (0.65 if event.type == Action.APPLY_EDIT else 0.45)
        excused = rerouted >= 2 or (red and event.type == Action.APPLY_EDIT)
        if low and (not event.detail.get("top") or not excused or event.type == Action.TASK_COMPLETE):
            raise AssertionError(f"{event.type} acted at {event.number('p'):.2f}")
        rerouted = rerouted + 1 if "fallback" in event.detail else 0


def no_three_reroutes() -> Thread:
    row = 0
    while True:
        event = yield Bid(wait=(is_action,))
        row = row + 1 if "fallback" in event.detail else 0
        if row >= 3:
            raise AssertionError("three reroutes in a row")


def nothing_after_cancel() -> Thread:
    over = False
    while True:
        event = yield Bid(wait=(is_action, CANCEL))
        if over and event.type != CANCEL:
            raise AssertionError(f"{event.type} after cancel")
        over = over or event.type == CANCEL


def _about_the_proposal(wrong: Callable[[Event, Event], bool], words: str) -> Thread:
    proposal = Event(PROPOSED)
    while True:
        event = yield Bid(wait=(PROPOSED, is_action))
        if event.type == PROPOSED:
            proposal = event
        elif event.detail.get("top") and wrong(proposal, event):
            raise AssertionError(f"{event.type} {words}")


def nothing_that_failed_before() -> Thread:
    yield from _about_the_proposal(lambda proposal, _: proposal.number("repeats") > 0.6, "repeats a failure")


def no_unasked_danger() -> Thread:
    def wrong(proposal: Event, event: Event) -> bool:
        risky = proposal.number("risk") >= 1.5 and proposal.number("needs") < 0.5
        return risky and event.type in (Action.APPLY_EDIT, Action.RUN_SUITE)

    yield from _about_the_proposal(wrong, "is dangerous and nobody asked for it")


def no_guessed_answer() -> Thread:
    seen = False
    needs, progress = 1.0, 0.0
    while True:
        event = yield Bid(wait=(PROPOSED, READ, Action.GENERATE_ANSWER))
        if event.type == READ:
            seen = True
        elif event.type == PROPOSED:
            needs, progress = event.number("needs"), event.number("progress")
        elif needs >= 0.5 or not (seen or progress >= 1.0):
            raise AssertionError("a guessed answer, or one where a change was asked for")


def no_second_reading() -> Thread:
    whole: frozenset[str] = frozenset()
    while True:
        event = yield Bid(wait=(Action.READ_CODE, READ, APPLIED, RESTORED, FAILED))
        path = event.text("path")
        if event.type == Action.READ_CODE:
            if path in whole:
                raise AssertionError(f"{path} was read twice")
        elif event.type == READ:
            whole |= {path}
        else:
            whole -= {path}


def no_third_miss() -> Thread:
    misses = 0
    while True:
        event = yield Bid(wait=(Action.SEARCH_CODE, SEARCH_MISS, SEARCH_HIT, EVIDENCE))
        if event.type == Action.SEARCH_CODE:
            if misses >= 2:
                raise AssertionError("a third search after two misses")
        else:
            misses = misses + 1 if event.type == SEARCH_MISS else 0


def no_edit_without_lines() -> Thread:
    while True:
        event = yield Bid(wait=(Action.APPLY_EDIT,))
        if not event.text("spot"):
            raise AssertionError("an edit without lines")


def no_edit_before_a_failing_test() -> Thread:
    """Where a test can be written and none fails, nothing is edited until one does or two attempts were in vain."""
    due, needs = 0, 1.0
    while True:
        event = yield Bid(wait=(BASELINE, PROPOSED, REPRODUCED, UNREPRODUCED, APPLIED, Action.APPLY_EDIT))
        if event.type == BASELINE:
            due = 2 if event.detail["writable"] and not event.number("red") else 0
        elif event.type == PROPOSED:
            needs = event.number("needs")
        elif event.type == Action.APPLY_EDIT:
            if due and needs >= 0.5:
                raise AssertionError("an edit before a test fails")
        elif event.type == UNREPRODUCED:
            due = max(0, due - 1)
        else:
            due = 0


def no_useless_test() -> Thread:
    """A test is written at most twice, after reading, before the first edit, and where none fails."""
    able, seen, tries = False, False, 0
    while True:
        event = yield Bid(wait=(BASELINE, READ, APPLIED, REPRODUCED, UNREPRODUCED, Action.REPRODUCE))
        if event.type == BASELINE:
            able = bool(event.detail["writable"]) and not event.number("named")
        elif event.type == READ:
            seen = True
        elif event.type == Action.REPRODUCE:
            if not (able and seen and tries < 2):
                raise AssertionError("a test that proves nothing was asked for")
        elif event.type == UNREPRODUCED:
            tries += 1
        else:
            able = False


def no_second_plan() -> Thread:
    able = False
    while True:
        event = yield Bid(wait=(BASELINE, PLANNED, Action.PLAN))
        if event.type == Action.PLAN and not able:
            raise AssertionError("planned without need")
        able = bool(event.detail.get("prose")) if event.type == BASELINE else able and event.type != PLANNED


def no_end_with_an_open_plan() -> Thread:
    left = ""
    while True:
        event = yield Bid(wait=(PLANNED, TICKED, Action.TASK_COMPLETE))
        if event.type == Action.TASK_COMPLETE and left:
            raise AssertionError(f"completed with an open item: {left}")
        left = event.text("open")


def no_empty_end_while_blocked() -> Thread:
    stuck, kept, old = False, False, False
    while True:
        event = yield Bid(wait=(PROPOSED, APPLIED, RESTORED, SUITE_GREEN, Action.TASK_COMPLETE))
        if event.type == PROPOSED:
            stuck = event.number("blocked") > 0.6
        elif event.type == Action.TASK_COMPLETE and stuck and not kept:
            raise AssertionError("ended without a change though blocked")
        else:
            kept = kept or (event.type == SUITE_GREEN and old)
            old = event.type == APPLIED


MONITORS = (
    no_edit_before_a_failing_test,
    no_useless_test,
    no_second_plan,
    no_end_with_an_open_plan,
    no_empty_end_while_blocked,
    no_edit_without_lines,
    no_edit_of_an_unread_file,
    no_completion_on_a_red_or_old_suite,
    the_suite_follows_an_edit,
    no_edit_of_a_protected_file,
    no_edit_where_all_failed,
    no_repetition,
    nothing_beyond_the_budget,
    no_weak_proposal_at_once,
    no_three_reroutes,
    nothing_after_cancel,
    nothing_that_failed_before,
    no_unasked_danger,
    no_guessed_answer,
    no_second_reading,
    no_third_miss,
)
