"""Values of the agent: limits of the wire, the one confidence formula, what a suite run says."""

import pickle

import pytest

from agent import errors
from agent.domain.action import Action, Candidate
from agent.domain.answers import Choice, Score, choice_confidence
from agent.domain.suite import Case, Spectrum, Status, SuiteRun
from agent.domain.task import Task


@pytest.mark.parametrize("count", [0, 1, 256])
def test_a_choice_has_2_to_255_options(count: int) -> None:
    with pytest.raises(ValueError, match="2 to 255"):
        Choice(instructions="", options={str(number): "" for number in range(count)})
    assert len(Choice(instructions="", options={str(number): "" for number in range(255)}).options) == 255


@pytest.mark.parametrize("count", [1, 11])
def test_a_score_has_2_to_10_levels(count: int) -> None:
    with pytest.raises(ValueError, match="2 to 10"):
        Score(instructions="", levels=("x",) * count)


def test_confidence_is_nought_for_a_flat_choice_and_one_for_a_certain_one() -> None:
    assert choice_confidence({"a": 0.5, "b": 0.5}) == 0.0
    assert choice_confidence({"a": 1.0, "b": 0.0}) == 1.0
    assert choice_confidence({"a": 0.7, "b": 0.2, "c": 0.1}) == pytest.approx(0.55)
    assert choice_confidence({"a": 0.3}) == 1.0


def test_a_goal_is_title_and_body() -> None:
    assert Task(run_id="r", title="T", body="").goal == "T"
    assert Task(run_id="r", title="T", body="B\n").goal == "T\n\nB"


def test_a_candidate_knows_its_arguments() -> None:
    candidate = Candidate(action=Action.READ_CODE, arguments=(("path", "a"),))
    assert candidate.argument("path") == "a"
    assert candidate.argument("spot") is None


def test_a_suite_run_sorts_its_tests() -> None:
    cases = tuple(Case(id=status.value, status=status) for status in Status)
    run = SuiteRun(exit_code=1, timed_out=False, seconds=1.0, output="", cases=cases)
    assert run.red() == {"failed", "error"}
    assert run.passed() == {"passed"}
    assert run.status()["xfailed"] is Status.XFAILED
    assert run.finished
    assert not SuiteRun(exit_code=None, timed_out=True, seconds=1.0, output="").finished
    assert not SuiteRun(exit_code=0, timed_out=False, seconds=1.0, output="", report_problem="torn").finished


def test_a_spectrum_by_file_holds_only_tests_that_reach_it() -> None:
    spectrum = Spectrum(lines={"t1": {"a.py": frozenset({1})}, "t2": {"b.py": frozenset({2}), "a.py": frozenset()}})
    assert spectrum.of_file("a.py") == {"t1": frozenset({1})}


@pytest.mark.parametrize("name", ["SandboxError", "WorkspaceError", "ModelError", "GuardError", "TraceError"])
def test_errors_survive_the_way_between_processes(name: str) -> None:
    error = getattr(errors, name)("what", 3)
    again = pickle.loads(pickle.dumps(error))  # noqa: S301  our own bytes
    assert type(again) is type(error)
    assert again.args == ("what", 3)
    assert isinstance(again, errors.AgentError)
