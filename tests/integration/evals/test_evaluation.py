"""An evaluation around its tasks: what cannot start, breaks or hangs, what is compared; one never spoils another."""

import json
import multiprocessing
from collections.abc import Mapping
from pathlib import Path

import pytest

from agent.adapters.models.options import ModelOptions
from deploy.cli import main
from deploy.evals.attempt import Order
from deploy.evals.running import run_all
from deploy.evals.task import load
from tests.support.agent_runs import write_tree

TOML = 'title = "A question"\nexpect = "unchanged"\nverify = "true"\nseconds = 20\nsteps = 2\n'
DONE = {"says": [{"action": "task_complete", "nouls": {"needs_code_change": 0.0}}]}
READ = {"action": "read_code", "read": "a.py", "nouls": {"needs_code_change": 0.0}}
SCRIPT = json.dumps({"says": [READ, *DONE["says"]]})
FILES = {"task.toml": TOML, "issue.md": "# Nothing\n", "repo/a.py": "x = 1\n", "script.json": SCRIPT}


def _task(folder: Path, name: str, files: Mapping[str, str] | None = None) -> None:
    write_tree(folder / name, {**FILES, **(files or {})})


def _eval(tasks: Path, out: Path, *options: str) -> tuple[int, list[dict[str, object]]]:
    words = ["eval", str(tasks), "--classify", "scripted", "--generate", "scripted", "--sandbox", "local"]
    code = main([*words, "--out", str(out), *options])
    path = out / "results.json"
    return code, json.loads(path.read_text())["rows"] if path.exists() else []


def test_what_breaks_or_hangs_or_fails_spoils_no_other(tmp_path: Path) -> None:
    """A check that kills its parent, one that hangs, one that says no, one that cannot tell, and an honest one."""
    tasks = tmp_path / "tasks"
    slow = TOML + "check_seconds = 1\n"
    _task(tasks, "a-breaks", {"check.sh": 'kill -9 "$PPID"; exit 0\n'})
    _task(tasks, "b-hangs", {"task.toml": slow, "check.sh": "sleep 60\n"})
    _task(tasks, "c-fails", {"check.sh": "echo it is wrong; exit 1\n"})
    _task(tasks, "d-skips", {"check.sh": "exit 77\n"})
    _task(tasks, "e-passes", {"check.sh": 'test -f "$1/a.py" && grep -q \'"outcome": "completed"\' "$2"\n'})
    code, rows = _eval(tasks, tmp_path / "out", "--jobs", "2")

    assert code == 2
    assert [row["hidden"] for row in rows[1:]] == ["fail", "fail", "skip", "pass"]
    assert [row["as_expected"] for row in rows[1:]] == [False, False, True, True]
    assert rows[0]["as_expected"] is False
    assert "it is wrong" in str(rows[2]["problems"])
    assert "did not end" in str(rows[1]["problems"])
    assert [row["task"] for row in rows] == ["a-breaks", "b-hangs", "c-fails", "d-skips", "e-passes"]


def test_an_attempt_beyond_its_limit_is_ended(tmp_path: Path) -> None:
    stalls = json.dumps({"says": [{**READ, "fault": {"delay": 9}}]})
    quick = TOML.replace("20", "1") + "check_seconds = 1\n"
    _task(tmp_path, "stalls", {"task.toml": quick, "script.json": stalls})
    models = ModelOptions(classify="scripted", generate="scripted")
    order = Order(task=load(tmp_path / "stalls"), attempt=1, models=models, sandbox="local")
    (row,) = run_all([order], 1, lambda _row: None, grace=0.5)

    assert (row.ending.value, row.as_expected) == ("killed", False)
    assert 2.5 <= row.seconds < 8
    assert multiprocessing.active_children() == []


def test_the_check_is_not_in_the_tree_and_sees_no_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENROUTER_API_KEY", "sk-secret")
    look = 'test ! -e "$1/check.sh" && test ! -e "$1/../check.sh" && ! env | grep -q -e sk-secret -e BENDCODER\n'
    _task(tmp_path / "tasks", "looks", {"check.sh": look})
    code, rows = _eval(tmp_path / "tasks", tmp_path / "out")

    assert (code, rows[0]["hidden"]) == (0, "pass"), rows
    assert "sk-secret" not in "".join(path.read_text() for path in (tmp_path / "out").iterdir() if path.is_file())


def test_a_task_that_needs_a_missing_program_is_skipped_and_says_so(tmp_path: Path) -> None:
    _task(
        tmp_path / "tasks", "one", {"task.toml": TOML + 'needs = ["sh", "no-such-program"]\n', "check.sh": "exit 1\n"}
    )
    code, rows = _eval(tmp_path / "tasks", tmp_path / "out")

    assert (code, rows[0]["ending"], rows[0]["hidden"]) == (0, "skipped", "skip")
    assert "no-such-program" in str(rows[0]["problems"])


def test_hidden_files_reach_the_check_alone(tmp_path: Path) -> None:
    check = 'test ! -e "$1/tests" && tar -xf "$3" -C "$1" && grep -q "x == 1" "$1/tests/test_a.py"\n'
    _task(tmp_path / "tasks", "one", {"check.sh": check, "hidden/tests/test_a.py": "assert x == 1\n"})
    code, rows = _eval(tmp_path / "tasks", tmp_path / "out")

    assert (code, rows[0]["hidden"]) == (0, "pass"), rows


def test_a_baseline_is_compared_and_an_unlike_one_refused_before_anything_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _task(tmp_path / "tasks", "one", {"check.sh": "exit 0\n"})
    before = tmp_path / "out" / "results.json"
    assert _eval(tmp_path / "tasks", tmp_path / "out", "--repeat", "2")[0] == 0
    assert _eval(tmp_path / "tasks", tmp_path / "again", "--baseline", str(before))[0] == 0
    assert "Compared with the baseline" in capsys.readouterr().out

    (tmp_path / "tasks" / "one" / "repo" / "a.py").write_text("x = 2\n")
    code, rows = _eval(tmp_path / "tasks", tmp_path / "third", "--baseline", str(before))
    assert (code, rows) == (1, [])
    assert "the files of task one have changed" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--task", "none"), "no task none"),
        (("--baseline", "absent.json"), "absent.json cannot be read"),
        (("--sandbox", "cellar"), "it must be one of"),
        (("--generate", "chat"), "BENDCODER_GENERATE_URL"),
        (("--generate", "poet"), "there is no Generate backend"),
    ],
)
def test_what_cannot_start_says_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], told: str
) -> None:
    _task(tmp_path / "tasks", "one")
    code, rows = _eval(tmp_path / "tasks", tmp_path / "out", *options)

    assert (code, rows) == (1, [])
    assert told in " ".join(capsys.readouterr().err.split())


def test_a_script_with_a_mistake_is_told_before_anything_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _task(tmp_path / "tasks", "one", {"script.json": '{"says": [{"acton": "read_code"}]}'})
    assert _eval(tmp_path / "tasks", tmp_path / "out")[0] == 1
    assert "says.0.action" in capsys.readouterr().err.replace("\n", "")
