"""All that can happen to the guards in a small world: no deadlock, no broken promise, and each guard is needed."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from agent.domain.action import Action
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
from tests.support.guard_monitors import MONITORS
from tests.support.guard_world import Idea, World, explore

READ_A = Idea(action="read_code", path="a.py")
READ_B = Idea(action="read_code", path="b.py")
EDIT_A = Idea(action="apply_edit", path="a.py", spot="1-2")
EDIT_B = Idea(action="apply_edit", path="b.py", spot="1-2")
READ_CI = Idea(action="read_code", path=".github/ci.yml")
EDIT_CI = Idea(action="apply_edit", path=".github/ci.yml", spot="1-1")
SEARCH = Idea(action="search_code")
SUITE = Idea(action="run_suite")
DONE = Idea(action="task_complete")
WATCHED = tuple((f"monitor {thread.__name__}", thread) for thread in MONITORS)

PLAN = Idea(action="plan")
TEST = Idea(action="reproduce")
FREE_EDIT = Idea(action="apply_edit", spot="free")
ABLE = (("red", 0), ("prose", True), ("writable", True))
OTHERS_RED = (("red", 2), ("named", 0), ("prose", True), ("writable", True))
PROSE = (("red", 1), ("prose", True), ("writable", False))

PREPARED = World(
    ideas=(READ_A, PLAN, TEST, EDIT_A, FREE_EDIT, DONE, Idea(action="task_complete", needs=0.1, blocked=0.9)),
    edits=("applied",),
    base=ABLE,
    steps=5,
    monitors=WATCHED,
)

WIDE = World(
    ideas=(
        READ_A, EDIT_A, EDIT_B, SEARCH, SUITE, DONE,
        Idea(action="apply_edit", path="a.py", spot="1-2", confidence=0.3),
        Idea(action="task_complete", confidence=0.3),
        Idea(action="task_complete", runner_up=Idea(action="apply_edit", path="a.py", spot="1-2", confidence=0.08)),
        READ_CI, EDIT_CI,
    ),
    edits=("applied", "failed", "standing"),
    searches=("hit", "miss"),
    cancels=True,
    steps=4,
    monitors=WATCHED,
)  # fmt: skip


def test_the_whole_set_never_deadlocks_and_keeps_every_promise() -> None:
    found = explore(WIDE)
    assert found.violation == "", found.path
    assert found.ends == {"stop", "task_complete"}
    assert found.states > 100


def test_plans_and_failing_tests_deadlock_nothing_either() -> None:
    found = explore(PREPARED)
    assert found.violation == "", found.path
    assert found.ends == {"stop", "task_complete"}
    assert found.states > 50


def test_where_other_tests_fail_one_may_be_written_and_edits_need_not_wait() -> None:
    found = explore(replace(PREPARED, ideas=(READ_A, TEST, EDIT_A, DONE), base=OTHERS_RED, steps=4))
    assert found.violation == "", found.path
    free = explore(World(ideas=(READ_A, EDIT_A), base=OTHERS_RED, steps=3, monitors=(("watch", never_edited),)))
    assert "an edit" in free.violation
    named = (("red", 2), ("named", 1), ("prose", True), ("writable", True))
    assert explore(World(ideas=(READ_A, TEST), base=named, monitors=(("watch", never_tested),))).violation == ""
    assert explore(World(ideas=(READ_A, TEST), base=OTHERS_RED, monitors=(("watch", never_tested),))).violation


def never_edited() -> Thread:
    yield Bid(wait=(Action.APPLY_EDIT,))
    raise AssertionError("an edit")


def never_tested() -> Thread:
    yield Bid(wait=(Action.REPRODUCE,))
    raise AssertionError("a test")


def small(*ideas: Idea, **more: object) -> World:
    return World(ideas=ideas, monitors=WATCHED, **more)  # type: ignore[arg-type]


FAULTS = {
    "read-before-edit": (small(EDIT_A, EDIT_B), "edited unread"),
    "reads": (small(READ_A, SUITE, suites=("green",)), "was read twice"),
    "picked": (small(READ_A, Idea(action="apply_edit", path="a.py", unpicked="too weak")), "without lines"),
    "searches": (small(*(Idea(action="search_code", pattern=one) for one in "pqr"), steps=6), "third search"),
    "repeat": (small(READ_A, SUITE, suites=("red",)), "repeated without new evidence"),
    "verify-after-edit": (small(READ_A, EDIT_A, READ_B), "before the suite"),
    "green-before-done": (small(READ_A, EDIT_A, DONE, edits=("standing",)), "completed with suite"),
    "repair-cap": (small(READ_A, EDIT_A, READ_B, edits=("failed",)), "after everything failed"),
    "protected-paths": (small(READ_CI, EDIT_CI), "was edited"),
    "budgets": (small(READ_A, READ_B, steps=2), "steps left"),
    "floors": (small(READ_A, Idea(action="apply_edit", path="a.py", spot="1-2", confidence=0.3)), "acted at 0.30"),
    "flail": (small(Idea(action="task_complete", confidence=0.3), steps=6, searches=("hit",)), "three reroutes"),
    "cancel": (small(READ_A, cancels=True), "after cancel"),
    "one-effect": (small(READ_A, EDIT_A), "was not over"),
    "recorded-failure": (small(Idea(action="read_code", path="a.py", repeats=0.9)), "repeats a failure"),
    "risk": (small(READ_A, Idea(action="run_suite", risk=1.8, needs=0.1)), "nobody asked"),
    "answering": (small(Idea(action="generate_answer", needs=1.0)), "guessed answer"),
    "reproduce-first": (small(READ_A, EDIT_A, base=ABLE), "before a test fails"),
    "plan-once": (small(PLAN, base=PROSE), "planned without need"),
    "plan-open": (
        small(READ_A, PLAN, EDIT_A, DONE, base=PROSE, plans=("b.py: mend it",), suites=("green",), steps=6),
        "open item",
    ),
    "blocked": (
        small(Idea(action="read_code", path="a.py", needs=0.1), Idea(action="task_complete", needs=0.1, blocked=0.9)),
        "though blocked",
    ),
    "fallback": (small(Idea(action="run_suite", confidence=0.2)), "deadlock"),
}


@pytest.mark.parametrize("guard", FAULTS)
def test_each_guard_is_needed(guard: str) -> None:
    world, words = FAULTS[guard]
    assert explore(world).violation == ""
    found = explore(world.without(guard))
    assert words in found.violation, found


def test_every_guard_has_a_planted_fault() -> None:
    assert set(FAULTS) | {"classify"} == {name for name, _, _ in WIDE.named}


def green_survives_a_later_red() -> Thread:
    """Faulty: once green, always green."""
    green = False

    def early(event: Event) -> str | None:
        return "not green" if event.type == Action.TASK_COMPLETE and not green else None

    while True:
        event = yield Bid(wait=(APPLIED, FAILED, SUITE_RED, SUITE_GREEN, RESTORED), block=(early,))
        green = green or event.type == SUITE_GREEN


def a_request_counts_as_reading() -> Thread:
    """Faulty: takes the proposal of a read for the read itself."""
    seen: frozenset[str] = frozenset()

    def unread(event: Event) -> str | None:
        return "unread" if event.type == Action.APPLY_EDIT and event.text("path") not in seen | {""} else None

    while True:
        event = yield Bid(wait=(PROPOSED,), block=(unread,))
        candidates = event.detail["candidates"]
        assert isinstance(candidates, tuple)
        seen |= {one.text("path") for one in candidates}


def floors_for_the_top_alone() -> Thread:
    """Faulty: lets a runner-up through whatever its probability."""

    def under(event: Event) -> str | None:
        return "weak" if event.detail.get("top") and event.number("confidence") < 0.65 else None

    while True:
        yield Bid(wait=(is_action,), block=(under,))


MUTANTS: dict[str, tuple[str, Callable[[], Thread], World, str]] = {
    "green survives": (
        "green-before-done",
        green_survives_a_later_red,
        small(READ_A, EDIT_A, DONE, edits=("applied", "standing"), steps=6),
        "completed with suite red",
    ),
    "request is reading": ("read-before-edit", a_request_counts_as_reading, small(EDIT_A), "edited unread"),
    "top floors only": (
        "floors",
        floors_for_the_top_alone,
        small(
            READ_A,
            Idea(
                action="apply_edit",
                path=".github/x",
                spot="1-1",
                runner_up=Idea(action="run_suite", confidence=0.08),
            ),
        ),
        "acted at 0.08",
    ),
}


@pytest.mark.parametrize("fault", MUTANTS)
def test_the_search_finds_faulty_guards(fault: str) -> None:
    guard, thread, world, words = MUTANTS[fault]
    assert explore(world).violation == ""
    found = explore(world.mutated(guard, thread))
    assert words in found.violation, found
    assert found.path
