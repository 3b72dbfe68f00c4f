"""Rows, intervals, comparison and table: success and status apart, unlike evaluations refused with what differs."""

from pathlib import Path

import pytest

from agent.measure import Measures
from deploy.evals.hidden import Checked, Hidden
from deploy.evals.results import (
    Configuration,
    Results,
    TaskVersion,
    UnlikeError,
    interval,
    read,
    refuse_unlike,
    right,
    write,
)
from deploy.evals.row import Row, ending_of, row_of
from deploy.evals.table import markdown
from deploy.evals.task import Ending, load

TASKS = Path(__file__).parents[4] / "deploy" / "evals" / "tasks"
VERSION = TaskVersion(digest="d1", steps=6, seconds=60.0)
CONFIGURATION = Configuration(tasks={"a": VERSION}, classify="scripted", generate="scripted", sandbox="local")


def _row(**given: object) -> Row:
    usual = {"task": "a", "attempt": 1, "expected": "fixed", "ending": "fixed", "hidden": "pass", "as_expected": True}
    return Row.model_validate(usual | given)


def _results(*rows: Row, configuration: Configuration = CONFIGURATION) -> Results:
    return Results(commit="abc", repeat=len(rows), configuration=configuration, rows=rows)


@pytest.mark.parametrize(
    ("document", "wanted", "ending"),
    [
        ({"verdict": "verified", "outcome": "completed"}, (), Ending.FIXED),
        ({"verdict": "unverified", "outcome": "completed"}, (), Ending.UNVERIFIED),
        ({"verdict": "failing", "outcome": "stalled"}, (), Ending.FAILING),
        ({"verdict": None, "outcome": "completed"}, (), Ending.UNCHANGED),
        ({"verdict": None, "outcome": "answered"}, (), Ending.ANSWERED),
        ({"verdict": None, "outcome": "stalled"}, (), Ending.STALLED),
        ({"verdict": None, "outcome": "stalled"}, ("floors",), Ending.REFUSED),
        ({"verdict": None, "outcome": "stalled"}, ("floors", "risk"), Ending.STALLED),
        ({"verdict": "verified", "outcome": "completed"}, ("floors",), Ending.FIXED),
        ({"verdict": None, "outcome": "suite_unusable"}, (), Ending.UNUSABLE),
        ({"verdict": None, "outcome": "could_not_start"}, (), Ending.NOT_STARTED),
    ],
)
def test_every_end_has_a_word(document: dict[str, object], wanted: tuple[str, ...], ending: Ending) -> None:
    assert ending_of(document, wanted, ("floors", "repeat")) is ending


@pytest.mark.parametrize(
    ("verdict", "hidden", "expected"),
    [
        ("verified", Hidden.PASS, True),
        ("verified", Hidden.SKIP, True),
        ("verified", Hidden.FAIL, False),
        ("unverified", Hidden.PASS, False),
    ],
)
def test_a_right_end_with_a_wrong_result_is_not_as_expected(verdict: str, hidden: Hidden, expected: bool) -> None:
    task = load(TASKS / "lying-cause")
    document = {"verdict": verdict, "outcome": "completed", "usage": {"tokens": 7, "seconds": 1.5}}
    row = row_of(task, 1, document, Measures(steps=3), Checked(word=hidden, output="said"), ("script: x",))

    assert row.as_expected is expected
    assert (row.steps, row.tokens, row.seconds) == (3, 7, 1.5)
    assert row.problems == ("script: x", "hidden check: said")


@pytest.mark.parametrize(
    ("passed", "of", "low", "high"),
    [(0, 0, 0.0, 1.0), (0, 3, 0.0, 0.5615), (3, 3, 0.4385, 1.0), (1, 2, 0.0945, 0.9055), (81, 263, 0.2553, 0.3662)],
)
def test_the_interval_is_wilsons(passed: int, of: int, low: float, high: float) -> None:
    """The last pair is the worked example of Newcombe 1998, table I (81 of 263)."""
    assert interval(passed, of) == pytest.approx((low, high), abs=1e-4)


def test_what_could_not_tell_counts_neither_way() -> None:
    words = [Hidden.PASS, Hidden.FAIL, Hidden.SKIP, Hidden.NONE]

    assert right([_row(hidden=word) for word in words]) == (1, 2)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"generate": "embedded"}, "generate was scripted and is embedded"),
        ({"classify_model": "m"}, "classify_model was none and is m"),
        ({"sandbox": "bubblewrap"}, "sandbox"),
        ({"settings": {"generate_candidates": "3"}}, "generate_candidates was usual and is 3"),
        ({"tasks": {"a": VERSION, "b": VERSION}}, "task b is only in the new one"),
        ({"tasks": {}}, "task a is only in the old one"),
        ({"tasks": {"a": VERSION.model_copy(update={"steps": 9})}}, "had 6 steps and has 9"),
        ({"tasks": {"a": VERSION.model_copy(update={"seconds": 9.0})}}, "had 60 seconds and has 9"),
        ({"tasks": {"a": VERSION.model_copy(update={"digest": "d2"})}}, "the files of task a have changed"),
    ],
)
def test_unlike_configurations_are_refused_by_what_differs(change: dict[str, object], told: str) -> None:
    other = CONFIGURATION.model_copy(update=change)

    assert other.digest != CONFIGURATION.digest
    with pytest.raises(UnlikeError, match=told):
        refuse_unlike(CONFIGURATION, other)


def test_like_configurations_are_compared() -> None:
    refuse_unlike(CONFIGURATION, CONFIGURATION.model_copy())


def test_a_file_of_results_can_be_read_again(tmp_path: Path) -> None:
    results = _results(_row(refusals={"floors": 2}, money=0.25))
    write(results, tmp_path / "results.json")

    assert read(tmp_path / "results.json") == results


@pytest.mark.parametrize("content", ["", "{}", '{"commit": "a", "repeat": 1, "rows": []}'])
def test_a_file_that_is_none_is_told(tmp_path: Path, content: str) -> None:
    path = tmp_path / "results.json"
    path.write_text(content)

    with pytest.raises(UnlikeError, match="no file of results"):
        read(path)


def test_the_table_keeps_success_and_status_apart() -> None:
    rows = (_row(), _row(attempt=2, ending="unverified", as_expected=False, reason="no `test` | tells"))
    text = markdown(_results(*rows))

    assert "| a | fixed | fixed 1, unverified 1 | 1/2 | pass |" in text
    assert "Right by the hidden check: 2 of 2" in text
    assert "Ended as expected: 1 of 2" in text
    assert "`no 'test' | tells`" in text


def test_few_attempts_do_not_make_a_difference_and_many_do() -> None:
    def of(passed: int) -> Results:
        words = [Hidden.PASS] * passed + [Hidden.FAIL] * (20 - passed)
        return _results(*(_row(attempt=place, hidden=word) for place, word in enumerate(words)))

    assert "cannot tell the two apart" in markdown(of(11), of(10))
    assert "more than chance" in markdown(of(19), of(5))
    assert "5/20 → 19/20" in markdown(of(19), of(5))
