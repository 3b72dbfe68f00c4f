"""The JSON of a delegation and its exit codes, and what a person is shown."""

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from agent.domain.action import Action, Refusal
from agent.domain.edit import Change
from agent.domain.result import Judgement, Outcome, RunResult, Usage, Verdict
from agent.domain.suite import Case, Status, SuiteRun
from deploy.delegate.document import document, exit_code, not_started, write
from deploy.delegate.show import diff_stat, show

DIFF = "--- a/m.py\n+++ b/m.py\n@@ -1,2 +1,2 @@\n-x = 1\n--- y\n+x = 2\n+++ y\n"
WANTED = {
    *("outcome", "outcome_reason", "verdict", "reason", "kept_edits", "diff", "baseline", "final", "fixed"),
    *("broken", "usage", "refusals", "branch", "trace"),
}


def _suite(*cases: tuple[str, Status]) -> SuiteRun:
    return SuiteRun(
        exit_code=1, timed_out=False, seconds=1.5, output="", cases=tuple(Case(id=i, status=s) for i, s in cases)
    )


def _result(verdict: Verdict | None, outcome: Outcome = Outcome.COMPLETED) -> RunResult:
    judgement = None
    if verdict is not None:
        judgement = Judgement(
            verdict=verdict,
            reason="verified by existing tests [bold]",
            final=_suite(("t::a", Status.PASSED)),
            tree="0" * 40,
            fixed=("t::a",),
            evidence=("t::a",),
        )
    return RunResult(
        run_id="r1",
        outcome=outcome,
        outcome_reason="the goal is reached",
        judgement=judgement,
        changes=(Change(path="m.py", before=b"x = 1\n", after=b"x = 2\n"),) if judgement else (),
        diff=DIFF if judgement else "",
        baseline=_suite(("t::a", Status.FAILED), ("t::b", Status.PASSED)),
        usage=Usage(steps=3),
        refusals=(Refusal(action=Action.APPLY_EDIT, guard="floors", reason="not sure enough"),),
    )


@pytest.mark.parametrize(
    ("verdict", "outcome", "code"),
    [
        (Verdict.VERIFIED, Outcome.COMPLETED, 0),
        (Verdict.VERIFIED, Outcome.OUT_OF_BUDGET, 0),
        (Verdict.UNVERIFIED, Outcome.COMPLETED, 3),
        (Verdict.FAILING, Outcome.STALLED, 3),
        (None, Outcome.ANSWERED, 2),
        (None, Outcome.STALLED, 2),
        (None, Outcome.CANCELLED, 2),
        (None, Outcome.SUITE_UNUSABLE, 1),
    ],
)
def test_exit_codes(verdict: Verdict | None, outcome: Outcome, code: int) -> None:
    assert exit_code(_result(verdict, outcome)) == code


@pytest.mark.parametrize("verdict", [*Verdict, None])
def test_every_end_has_the_same_keys_and_plain_values(verdict: Verdict | None) -> None:
    found = document(_result(verdict), branch=None, base="0" * 40, title="t", sandbox="local")
    assert json.loads(json.dumps(found)) == found
    assert set(found) >= WANTED
    assert set(found) == set(not_started("why"))


def test_a_verified_run_in_words() -> None:
    found = document(_result(Verdict.VERIFIED), branch="bendcoder/t-1", base="b", title="t", sandbox="local")
    assert found["verdict"] == "verified"
    assert found["outcome"] == "completed"
    assert found["kept_edits"] == [{"path": "m.py", "how": "changed"}]
    assert found["baseline"] == {
        "exit_code": 1,
        "timed_out": False,
        "seconds": 1.5,
        "report": True,
        "report_problem": "",
        "tests": 2,
        "counts": {"failed": 1, "passed": 1},
        "red": ["t::a"],
    }
    assert found["refusals"] == [{"action": "apply_edit", "guard": "floors", "reason": "not sure enough"}]


def test_the_document_is_written_whole_whatever_text_it_holds(tmp_path: Path) -> None:
    write(tmp_path / "out.json", not_started("a lone \udcff byte"))
    assert json.loads((tmp_path / "out.json").read_text())["exit_code"] == 1
    assert [path.name for path in tmp_path.iterdir()] == ["out.json"]


def test_diff_stat_counts_lines_that_look_like_headers() -> None:
    assert diff_stat(DIFF) == {"m.py": (2, 2)}


def test_text_of_a_repository_is_not_read_as_markup() -> None:
    console = Console(file=io.StringIO(), width=200)
    show(console, _result(Verdict.VERIFIED), branch="bendcoder/t-1")
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    assert "verified by existing tests [bold]" in shown
    assert "VERIFIED" in shown
    assert "t::a" in shown
    assert "bendcoder/t-1" in shown


def test_without_a_branch_the_person_is_told_that_nothing_changed() -> None:
    console = Console(file=io.StringIO(), width=200)
    show(console, _result(None, Outcome.STALLED), branch=None)
    assert "as it was" in console.file.getvalue()  # type: ignore[attr-defined]
