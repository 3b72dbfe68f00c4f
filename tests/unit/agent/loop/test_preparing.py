"""What comes before an edit, in whole runs: a failing test where none fails, a plan for several places, free drafts."""

from pathlib import Path

import pytest

from agent.domain.action import Action
from agent.domain.result import Outcome, Verdict
from tests.support.agent_runs import ADDER, Run, run_agent, write_tree
from tests.support.scripted_models import Say, ScriptedClassifier, ScriptedGenerator

GREEN = {
    "adder.py": ADDER["adder.py"],
    "tests/test_twice.py": "from adder import twice\n\n\ndef test_twice():\n    assert twice(4) == 8\n",
    "conftest.py": "",
}
"""The bug of `add` under a suite that does not see it."""
GOAL = "add() gives the difference"
TEST = b"from adder import add\n\n\ndef test_add():\n    assert add(2, 3) == 5\n"
PASSES = b"from adder import twice\n\n\ndef test_again():\n    assert twice(2) == 4\n"
CRASHES = b"from adder import nothing\n\n\ndef test_add():\n    assert nothing\n"
FIX = b"    return a + b\n"
READ = Say(action="read_code", read="adder.py")
WRITE_TEST = Say(action="reproduce")
EDIT = Say(action="apply_edit", edit="adder.py", lines=(6, 6))
DONE = Say(action="task_complete")


def free(*groups: tuple[str, str, str]) -> bytes:
    """A draft that names its own places."""
    return "".join(
        f"<<<PATH>>>\n{path}\n<<<OLD>>>\n{old}\n<<<NEW>>>\n{new}\n<<<END>>>\n" for path, old, new in groups
    ).encode()


def go(tmp_path: Path, files: dict[str, str], says: list[Say], *calls: list[bytes], goal: str = GOAL) -> Run:
    return watched(tmp_path, files, says, *calls, goal=goal)[0]


def watched(
    tmp_path: Path, files: dict[str, str], says: list[Say], *calls: list[bytes], goal: str = GOAL
) -> tuple[Run, str]:
    """A run, and the observations its last question showed."""
    classifier = ScriptedClassifier(says)
    folder = write_tree(tmp_path / "repo", files)
    run = run_agent(folder, classifier, ScriptedGenerator(*calls, prose=True), goal=goal)
    return run, str(classifier.asked[-1][0]["observations"])


def test_a_bug_without_a_failing_test_gets_one_first_and_is_verified_by_it(tmp_path: Path) -> None:
    run = go(tmp_path, GREEN, [READ, WRITE_TEST, EDIT, DONE], [TEST], [FIX])

    judgement = run.result.judgement
    assert judgement is not None, run.result.outcome_reason
    assert judgement.verdict is Verdict.VERIFIED, judgement.reason
    assert "a test this run wrote" in judgement.reason
    assert [change.path for change in run.result.changes] == ["adder.py", "tests/test_add_gives_the_difference.py"]
    assert judgement.evidence == ("tests/test_add_gives_the_difference.py::test_add",)


@pytest.mark.parametrize(
    ("test", "why"),
    [
        (PASSES, "the test passes already"),
        (CRASHES, "neither by an assertion nor by an exception the issue names"),
        (b"", "Generate wrote no test"),
        (b"x = (\n", "neither by an assertion nor"),
        (b"import pytest\n\n\n@pytest.mark.skip\ndef test_x():\n    assert 0\n", "the test passes already"),
    ],
)
def test_a_test_that_shows_nothing_is_taken_back_and_after_two_the_edit_may_come(
    tmp_path: Path, test: bytes, why: str
) -> None:
    again = Say(action="reproduce", confidence=0.9)
    says = [READ, WRITE_TEST, again, EDIT, DONE]
    run, seen = watched(tmp_path, GREEN, says, [test], [test + b"# again\n" if test else b""], [FIX])

    assert why in seen
    assert [change.path for change in run.result.changes] == ["adder.py"]
    assert run.result.judgement is not None
    assert run.result.judgement.verdict is Verdict.UNVERIFIED
    assert "no test tells this change from the base" in run.result.judgement.reason


def test_where_only_another_fault_is_red_a_test_may_still_be_written(tmp_path: Path) -> None:
    other = "def test_weather():\n    assert 'rain' == 'sun'\n"
    run = go(tmp_path, {**GREEN, "tests/test_other.py": other}, [READ, WRITE_TEST, EDIT, DONE], [TEST], [FIX])

    judgement = run.result.judgement
    assert judgement is not None, run.result.outcome_reason
    assert judgement.verdict is Verdict.VERIFIED, judgement.reason
    assert "a test this run wrote" in judgement.reason
    assert judgement.still_red == ("tests/test_other.py::test_weather",)


def test_edits_are_not_offered_before_a_test_fails(tmp_path: Path) -> None:
    run = go(tmp_path, GREEN, [READ, WRITE_TEST, EDIT, DONE], [TEST], [FIX])

    masks = [one["unavailable"] for one in run.of("mask")]
    assert isinstance(masks[1], dict)
    assert "no test fails yet" in masks[1]["apply_edit"]
    assert Action.REPRODUCE not in masks[1]
    assert isinstance(masks[2], dict)
    assert "a test this run wrote fails already" in masks[2]["reproduce"]


def test_the_written_test_may_not_be_changed_by_a_draft(tmp_path: Path) -> None:
    path = "tests/test_add_gives_the_difference.py"
    weaker = free(("adder.py", "a - b", "a * b"), (path, "== 5", "== 6"))
    says = [READ, WRITE_TEST, Say(action="read_code", read=path), Say(action="apply_edit", edit="none"), EDIT, DONE]
    run = go(tmp_path, GREEN, says, [TEST], [weaker], [FIX])

    assert any("this run wrote it as evidence" in str(one["output"]) for one in run.of("draft"))
    assert run.result.judgement is not None
    assert run.result.judgement.verdict is Verdict.VERIFIED


TWO = {
    "first.py": "def first(a):\n    return a - 1\n",
    "second.py": "from first import first\n\n\ndef second(a):\n    return first(a) - 1\n",
    "test_both.py": "from first import first\nfrom second import second\n\n\n"
    "def test_first():\n    assert first(1) == 2\n\n\ndef test_second():\n    assert second(1) == 3\n",
}


def test_a_draft_without_an_anchor_may_change_several_files_that_were_read(tmp_path: Path) -> None:
    both = free(("first.py", "a - 1", "a + 1"), ("second.py", "first(a) - 1", "first(a) + 1"))
    says = [Say(action="read_code", read="first.py"), Say(action="read_code", read="second.py"),
            Say(action="apply_edit", edit="none"), DONE]  # fmt: skip
    run = go(tmp_path, TWO, says, [both], goal="first and second count down")

    assert run.result.judgement is not None, run.result.outcome_reason
    assert run.result.judgement.verdict is Verdict.VERIFIED
    assert [change.path for change in run.result.changes] == ["first.py", "second.py"]


def test_a_draft_that_names_an_unread_file_is_refused_and_the_file_is_read_next(tmp_path: Path) -> None:
    both = free(("first.py", "a - 1", "a + 1"), ("second.py", "first(a) - 1", "first(a) + 1"))
    says = [Say(action="read_code", read="first.py"), Say(action="apply_edit", edit="none"),
            Say(action="read_code", read="none"), Say(action="apply_edit", edit="none"), DONE]  # fmt: skip
    run = go(tmp_path, TWO, says, [both], [both], goal="first and second count down")

    drafts = run.of("draft")
    assert "second.py: it was not read in this run; read it first" in str(drafts[0]["output"])
    assert drafts[0]["applied"] is False
    assert [one["path"] for one in map(selected, run.of("decision")) if one["action"] == "read_code"] == [
        "first.py",
        "second.py",
    ]
    assert run.result.judgement is not None
    assert run.result.judgement.verdict is Verdict.VERIFIED


def selected(decision: object) -> dict[str, object]:
    assert isinstance(decision, dict)
    return dict(decision["selected"] or {"action": ""})


def test_a_plan_holds_back_the_end_until_its_items_are_kept(tmp_path: Path) -> None:
    says = [
        Say(action="read_code", read="first.py"),
        Say(action="read_code", read="second.py"),
        Say(action="plan"),
        Say(action="apply_edit", edit="first.py", lines=(2, 2)),
        Say(action="apply_edit", edit="second.py", lines=(5, 5)),
        DONE,
    ]
    plan = b"1. first.py: count up\n2. second.py: count up\n3. tell everybody\n"
    run = go(tmp_path, TWO, says, [plan], [b"    return a + 1\n"], [b"    return first(a) + 1\n"], goal="count up")

    assert run.result.outcome is Outcome.COMPLETED
    assert len(run.result.changes) == 2
    assert any("plan-open: the plan is not done: second.py" in str(mask["unavailable"]) for mask in run.of("mask"))
    assert sum(selected(one)["action"] == "plan" for one in run.of("decision")) == 1


def test_a_planned_step_need_not_fix_anything_yet_but_may_break_nothing(tmp_path: Path) -> None:
    """One test that passes only when both files have changed: without a plan its first half would be no progress."""
    tests = (
        "from second import second\n\n\ndef test_second():\n    assert second(1) == 3\n\n\ndef test_ok():\n    pass\n"
    )
    says = [
        Say(action="read_code", read="first.py"),
        Say(action="read_code", read="second.py"),
        Say(action="plan"),
        Say(action="apply_edit", edit="first.py", lines=(2, 2)),
        Say(action="apply_edit", edit="second.py", lines=(5, 5)),
        DONE,
    ]
    plan = b"first.py: count up\nsecond.py: count up\n"
    calls = [[plan], [b"    return a + 1\n"], [b"    return first(a) + 1\n"]]
    run = go(tmp_path, {**TWO, "test_both.py": tests}, says, *calls, goal="second counts down")

    assert [one["fixed"] for one in run.of("kept")] == [[], ["test_both.py::test_second"]]
    assert run.result.judgement is not None
    assert run.result.judgement.verdict is Verdict.VERIFIED
    says.pop(2)
    alone = go(tmp_path / "unplanned", {**TWO, "test_both.py": tests}, says, *calls[1:], goal="second counts down")
    assert alone.of("kept") == []


def test_a_file_can_be_created_and_another_deleted_in_one_change(tmp_path: Path) -> None:
    files = {**TWO, "old.py": "unused = 1\n"}
    change = free(
        ("first.py", "a - 1", "step(a)"),
        ("first.py", "def first", "from step import step\n\n\ndef first"),
        ("step.py", "", "def step(a):\n    return a + 1"),
        ("second.py", "first(a) - 1", "first(a) + 1"),
    )
    gone = b"<<<PATH>>>\nold.py\n<<<DELETE>>>\n<<<END>>>\n"
    says = [Say(action="read_code", read=name) for name in ("first.py", "second.py", "old.py")]
    says += [Say(action="apply_edit", edit="none"), DONE]
    run = go(tmp_path, files, says, [change + gone], goal="first and second count down; old.py can go")

    assert run.result.judgement is not None, run.result.outcome_reason
    assert "old.py" in run.result.judgement.reason  # no test can run what is gone, so the verdict does not claim it
    assert {one.path: (one.before is None, one.after is None) for one in run.result.changes} == {
        "first.py": (False, False), "old.py": (False, True), "second.py": (False, False), "step.py": (True, False),
    }  # fmt: skip
    assert "old.py" not in run.files


def test_a_reply_that_is_no_draft_is_told_to_its_author(tmp_path: Path) -> None:
    says = [Say(action="read_code", read="first.py"), Say(action="apply_edit", edit="none"), DONE]
    run = go(tmp_path, TWO, says, [b"I would change line 2."], goal="first counts down")

    assert "no change was written" in str(run.of("draft")[0]["output"])
    assert run.result.judgement is None
