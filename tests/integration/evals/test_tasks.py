"""The project's own tasks through `bendcoder eval`, scripted models over real HTTP: each ends as it says it does."""

import json
from pathlib import Path

import pytest

from deploy.cli import main
from deploy.evals.task import find

TASKS = Path(__file__).parents[3] / "deploy" / "evals" / "tasks"
NAMES = [task.name for task in find([TASKS])]
SCRIPTED = ("--classify", "scripted", "--generate", "scripted")


def _eval(out: Path, *options: str, sandbox: str = "local") -> tuple[int, list[dict[str, object]]]:
    code = main(["eval", str(TASKS), *SCRIPTED, "--sandbox", sandbox, "--out", str(out), *options])
    return code, json.loads((out / "results.json").read_text())["rows"]


def test_every_task_ends_as_expected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One evaluation for all of them: their processes are forked from one server that has everything imported."""
    code, rows = _eval(tmp_path)

    told = [{key: row[key] for key in ("task", "ending", "hidden", "reason", "problems")} for row in rows]
    assert [one for one, row in zip(told, rows, strict=True) if not row["as_expected"] or row["problems"]] == []
    assert code == 0
    assert [row["task"] for row in rows] == NAMES
    assert {row["hidden"] for row in rows} == {"pass"}
    report = capsys.readouterr().out
    assert all(f"| {name} |" in report for name in NAMES)


@pytest.mark.sandbox
def test_tasks_and_their_checks_run_in_the_sandbox(tmp_path: Path) -> None:
    code, rows = _eval(tmp_path, "--task", "protected-workflow", "--task", "already-fixed", sandbox="bubblewrap")

    assert (code, [row["hidden"] for row in rows]) == (0, ["pass", "pass"]), rows
