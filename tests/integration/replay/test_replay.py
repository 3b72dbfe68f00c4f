"""A trace is shown as a table, and a run goes again along it without a model, a sandbox or a test of the repository."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from deploy.cli import app
from tests.support import gitrepo
from tests.support.agent_runs import SCRIPT, SCRIPTED, options, run_agent, trace_of
from tests.support.scripted_models import Say, ScriptedClassifier, ScriptedGenerator

SAYS = [
    Say(action="read_code", read="adder.py"),
    Say(action="apply_edit", edit="adder.py", lines=(6, 6), confidence=0.3),  # under its floor: refused
    Say(action="apply_edit", edit="adder.py", lines=(6, 6)),  # red in the suite
    Say(action="apply_edit", edit="adder.py", lines=(6, 6)),
    Say(action="task_complete"),
]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository on which a run has left its trace."""
    folder = tmp_path_factory.mktemp("replay") / "repo"
    gitrepo.make(folder, {name: content.encode() for name, content in SCRIPTED.items()})
    generator = ScriptedGenerator([b"    return a * b\n", b"    return a + b\n"])
    done = run_agent(folder, ScriptedClassifier(SAYS), generator, chosen=options(verify=SCRIPT))
    assert done.result.diff
    return folder


def test_a_trace_is_shown_step_by_step(run: Path) -> None:
    shown = CliRunner().invoke(app, ["replay", str(trace_of(run)), "--json"])

    assert shown.exit_code == 0, shown.output
    told = json.loads(shown.stdout)
    assert [row["done"].split()[0] for row in told["steps"]] == [
        "read_code", "read_code", "apply_edit", "run_suite", "apply_edit", "run_suite", "task_complete",
    ]  # fmt: skip
    assert any("undone" in row["result"] for row in told["steps"])
    assert "0.30 is under the floor" in told["steps"][1]["refused"][0]
    assert told["measures"]["before_first_change"] == 4
    table = CliRunner().invoke(app, ["replay", str(trace_of(run))], terminal_width=200)
    assert "refusals by guard" in table.stdout


def test_a_run_goes_again_along_its_trace_and_nothing_answers_but_the_trace(run: Path) -> None:
    before = trace_of(run).read_bytes()
    shown = CliRunner().invoke(app, ["replay", str(trace_of(run)), "--repo", str(run), "--json"])

    assert shown.exit_code == 0, shown.output
    assert json.loads(shown.stdout)["again"] == {"events": before.count(b"\n"), "difference": ""}
    assert trace_of(run).read_bytes() == before


def test_a_difference_is_named(run: Path, tmp_path: Path) -> None:
    changed = tmp_path / "changed.jsonl"
    text = trace_of(run).read_text(encoding="utf-8")
    changed.write_text(text.replace('"selected": {"action": "apply_edit"', '"selected": {"action": "run_suite"', 1))

    shown = CliRunner().invoke(app, ["replay", str(changed), "--repo", str(run), "--json"])

    assert shown.exit_code == 2
    assert json.loads(shown.stdout)["again"]["difference"]


@pytest.mark.parametrize(
    ("content", "why"),
    [("nonsense\n", "cannot be read"), ("", "does not begin with a run")],
)
def test_what_is_no_trace_is_said(run: Path, tmp_path: Path, content: str, why: str) -> None:
    path = tmp_path / "no.jsonl"
    path.write_text(content)

    shown = CliRunner().invoke(app, ["replay", str(path), "--repo", str(run)])

    assert shown.exit_code == 1
    assert why in shown.output
