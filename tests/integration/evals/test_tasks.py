"""The project's own tasks through `bendcoder eval`, scripted models over real HTTP: each ends as it says it does."""

import json
from pathlib import Path

import pytest

from deploy.cli import main
from deploy.evals.task import find

TASKS = Path(__file__).parents[3] / "deploy" / "evals" / "tasks"
NAMES = [task.name for task in find([TASKS]) if not task.missing]  # a machine without node has no node task
PARTS = 5
SCRIPTED = ("--classify", "scripted", "--generate", "scripted")


def _eval(out: Path, *options: str, sandbox: str = "local") -> tuple[int, list[dict[str, object]]]:
    code = main(["eval", str(TASKS), *SCRIPTED, "--sandbox", sandbox, "--out", str(out), *options])
    return code, json.loads((out / "results.json").read_text())["rows"]


@pytest.mark.parametrize("part", range(PARTS))
def test_every_task_ends_as_expected(part: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Several tasks a test: their processes are forked from one server that has everything imported."""
    names = NAMES[part::PARTS]
    code, rows = _eval(tmp_path, *(word for name in names for word in ("--task", name)))

    told = [{key: row[key] for key in ("task", "ending", "hidden", "reason", "problems")} for row in rows]
    assert [one for one, row in zip(told, rows, strict=True) if not row["as_expected"] or row["problems"]] == []
    assert code == 0
    assert [row["task"] for row in rows] == names
    assert {row["hidden"] for row in rows} == {"pass"}
    report = capsys.readouterr().out
    assert all(f"| {name} |" in report for name in names)


def test_the_tasks_cover_what_evaluations_are_for() -> None:
    """Every end a run can choose is expected somewhere, and the attacks and refusals are there by name."""
    tasks = find([TASKS])
    tags = {tag for task in tasks for tag in task.settings.tags}

    assert len(tasks) >= 12
    assert {"fixed", "unverified", "refused", "answered", "unchanged", "unusable"} <= {
        task.settings.expect.value for task in tasks
    }
    assert {"misleading", "hostile", "two files", "plan", "reproduce", "repair", "faults", "new file", "bytes"} <= tags
    assert all(task.hidden for task in tasks)


@pytest.mark.sandbox
def test_tasks_and_their_checks_run_in_the_sandbox(tmp_path: Path) -> None:
    code, rows = _eval(tmp_path, "--task", "two-files", "--task", "already-fixed", sandbox="bubblewrap")

    assert (code, [row["hidden"] for row in rows]) == (0, ["pass", "pass"]), rows


def test_what_needs_no_model_is_repaired_without_one(tmp_path: Path) -> None:
    (name,) = [task.name for task in find([TASKS]) if "embedded" in task.settings.tags]
    code = main(["eval", str(TASKS), "--task", name, "--sandbox", "local", "--out", str(tmp_path)])
    (row,) = json.loads((tmp_path / "results.json").read_text())["rows"]

    assert (code, row["verdict"], row["hidden"]) == (0, "verified", "pass"), row["reason"]
    assert row["tokens"] == 0
