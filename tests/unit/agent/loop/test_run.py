"""Whole runs of the real loop on tiny repositories: real files, real suites, scripted models."""

from pathlib import Path

from agent.domain.result import Outcome, Verdict
from tests.support.agent_runs import ADDER, run_agent, write_tree
from tests.support.scripted_models import Say, ScriptedClassifier, ScriptedGenerator

READ = Say(action="read_code", read="adder.py")
EDIT = Say(action="apply_edit", edit="adder.py", lines=(6, 6))
DONE = Say(action="task_complete")
FIX = b"    return a + b\n"


def test_a_wrong_operator_is_repaired_and_verified(tmp_path: Path) -> None:
    folder = write_tree(tmp_path / "repo", ADDER)
    run = run_agent(folder, ScriptedClassifier([READ, EDIT, DONE]), ScriptedGenerator([FIX]))
    assert run.result.outcome is Outcome.COMPLETED
    assert run.result.judgement is not None
    assert run.result.judgement.verdict is Verdict.VERIFIED, run.result.judgement
    assert run.result.judgement.fixed == ("test_adder.py::test_add",)
    assert "-    return a - b\n+    return a + b\n" in run.result.diff
    assert run.files["adder.py"] == ADDER["adder.py"].replace("a - b", "a + b").encode()
    assert (folder / "adder.py").read_text() == ADDER["adder.py"]
