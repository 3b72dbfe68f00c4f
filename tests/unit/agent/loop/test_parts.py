"""Parts of the loop by themselves: bounded state, budget, windows, what green means, where to look first."""

import json

import pytest

from agent.domain.action import Observation
from agent.domain.answers import Choice, Chosen, Missing, Nouled, Scored
from agent.domain.suite import Case, Status, SuiteRun
from agent.domain.task import Budget
from agent.loop.meter import Meter
from agent.loop.notebook import Notebook
from agent.loop.picking import windows
from agent.loop.proposal import probability, score
from agent.loop.questions import anchor_questions, window_question
from agent.loop.state import bounded, facts, state_of
from agent.loop.suites import missing_or_red
from agent.loop.suspects import focus, traced
from agent.loop.trying import fixed_by


class Watch:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def observations(count: int, size: int) -> list[Observation]:
    return [Observation(label=f"o{number}", text="x" * size) for number in range(count)]


def test_the_newest_observations_fit_and_the_rest_is_counted() -> None:
    kept = bounded(observations(5, 10), total=40)
    assert kept == ["[3 older entries dropped]", "\n[o3]:\n" + "x" * 10, "\n[o4]:\n" + "x" * 10]
    assert bounded([]) == []


def test_one_long_observation_is_cut() -> None:
    (only,) = bounded(observations(1, 50_000))
    assert len(only) == 6_000
    assert only.endswith("[cut here]")


def test_ten_times_the_observations_give_the_same_state() -> None:
    def size(count: int) -> int:
        book = Notebook(observations=observations(count, 3_000), hits=observations(count, 3_000))
        book.red = frozenset(f"test_{number}" * 100 for number in range(count))
        meter = Meter(budget=Budget(), clock=Watch())
        return len(json.dumps(state_of("goal " * 10_000, ["a.py"], book, meter)))

    assert abs(size(200) - size(2_000)) < 100
    assert size(2_000) < 120_000


def test_facts_of_an_empty_notebook_are_plain_json() -> None:
    assert json.loads(json.dumps(facts(Notebook())))["baseline"]["red_count"] == 0


def test_the_meter_keeps_the_verdicts_share() -> None:
    watch = Watch()
    meter = Meter(budget=Budget(steps=3, seconds=100.0, verdict_share=0.2, tokens=50, money=1.0), clock=watch)
    watch.now += 30.0
    assert (meter.elapsed, meter.loop_left, meter.total_left) == (30.0, 50.0, 70.0)
    meter.pay(20, 0.25)
    meter.pay(1)
    meter.steps = 1
    assert meter.left() == {"steps": 2, "seconds": 50.0, "tokens": 29, "money": 0.75}
    watch.now += 1000.0
    assert (meter.loop_left, meter.total_left) == (0.0, 0.0)
    assert meter.usage().tokens == 21
    assert meter.usage().money == 0.25


def test_no_price_is_no_price_and_no_cap_is_no_cap() -> None:
    meter = Meter(budget=Budget(), clock=Watch())
    meter.pay(5)
    assert meter.usage().money is None
    assert set(meter.left()) == {"steps", "seconds"}


def test_windows_hold_whole_blocks_where_a_choice_can() -> None:
    lines = [b"def f():\n", *[b"    x\n"] * 99] * 2 + [b"def g():\n", *[b"    y\n"] * 30, b"z\n"]
    assert windows(lines) == ((1, 200), (201, 232))
    straddling = [b"a\n"] * 190 + [b"def f():\n", *[b"    x\n"] * 40, b"b\n"]
    assert windows(straddling) == ((1, 231), (201, 232))
    endless = [b"def f():\n", *[b"    x\n"] * 600]
    assert [end - begin + 1 for begin, end in windows(endless)] == [255, 255, 201, 1]


def test_questions_stay_within_the_wires_limits() -> None:
    single = anchor_questions(7, ["only"])["edit_anchor"]
    assert isinstance(single, Choice)
    assert list(single.options) == ["7", "none"]
    many = anchor_questions(1, ["x"] * 255)["edit_end"]
    assert isinstance(many, Choice)
    assert len(many.options) == 255
    wide = window_question([(number, number) for number in range(1, 400)])["edit_window"]
    assert isinstance(wide, Choice)
    assert len(wide.options) == 255


def test_missing_side_answers_read_in_the_safe_direction() -> None:
    assert probability(Missing(reason="x"), 0.0) == 0.0
    assert probability(Nouled(probability=0.7), 0.0) == 0.7
    assert score(Chosen(choice="a", probabilities={}, confidence=1.0), 0.0) == 0.0
    assert score(Scored(score=1.5, probabilities={}, confidence=1.0), 0.0) == 1.5


def suite(*cases: tuple[str, Status], code: int | None = 1, timed_out: bool = False, problem: str = "") -> SuiteRun:
    return SuiteRun(
        exit_code=code,
        timed_out=timed_out,
        seconds=1.0,
        output="",
        cases=tuple(Case(id=name, status=status) for name, status in cases) if cases else None,
        report_problem=problem,
    )


GOOD = frozenset({"a", "b"})
A, B = ("a", Status.PASSED), ("b", Status.PASSED)


@pytest.mark.parametrize(
    ("run", "reasons"),
    [
        (suite(A, B), ()),
        (suite(A, B, ("c", Status.FAILED)), ()),
        (suite(A, ("b", Status.ERROR)), ("b error",)),
        (suite(A), ("b did not run",)),
        (suite(A, ("b", Status.SKIPPED)), ("b skipped",)),
        (suite(A, B, problem="the report is torn"), ("the report is torn",)),
        (suite(A, B, code=None, timed_out=True), ("the suite did not end within its limit",)),
        (suite(code=0), ()),
        (suite(code=2), ("the suite ended with exit code 2",)),
    ],
)
def test_green_means_nothing_fails_or_is_missing_that_passed(run: SuiteRun, reasons: tuple[str, ...]) -> None:
    assert missing_or_red(GOOD, run) == reasons


def test_a_file_that_could_not_be_collected_is_fixed_by_its_tests() -> None:
    red = ["t.py", "u.py", "v.py::test_v", "gone.py"]
    run = suite(
        ("t.py::test_a", Status.PASSED), ("t.py::test_b", Status.SKIPPED),
        ("u.py::test_a", Status.PASSED), ("u.py::test_b", Status.FAILED), ("v.py::test_v", Status.PASSED),
    )  # fmt: skip
    assert fixed_by(run, red) == ("t.py", "v.py::test_v")


def test_red_tests_the_goal_speaks_of_come_first() -> None:
    red = frozenset({"t.py::test_total_counts", "t.py::test_leap", "t.py::test_largest"})
    assert focus("Cart.total ignores the count", red, {}) == {"t.py::test_total_counts"}
    assert focus("It is broken", red, {"t.py::test_leap": "nothing"}) == red
    assert focus("leap years", red, {}) == {"t.py::test_leap"}
    assert focus("anything", frozenset(), {}) == frozenset()


def test_with_little_time_red_tests_are_traced_with_the_quickest_green_ones_beside_them() -> None:
    took = {"test_a.py::red": 1.0, "test_a.py::slow": 9.0, "test_a.py::one": 0.5, "test_a.py::two": 2.0}
    good = frozenset({"test_a.py::slow", "test_a.py::one", "test_a.py::two", "test_b.py::far"})
    red = frozenset({"test_a.py::red"})
    assert traced(red, good, took, 4.0) == ("test_a.py::red", "test_a.py::one", "test_a.py::two")
    assert traced(red, good, took, 20.0)[-1] == "test_a.py::slow"
    assert traced(red, good, took, 0.5) == ("test_a.py::red",)
