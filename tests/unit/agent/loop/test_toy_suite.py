"""The suite that is judged in this process tells right from wrong: what is never verified on it, could have been."""

from pathlib import Path

import pytest

from agent.domain.result import Outcome, Verdict
from tests.support.agent_runs import Run, options, run_agent, write_tree
from tests.support.scripted_models import Say, ScriptedClassifier, ScriptedGenerator
from tests.support.toy_suite import TRICKS, ToySandbox, Watch, digest_of, same

BASE = b"def alpha():\n    return 1\n"
RIGHT = b"    return 2\n"
FIXED = BASE.replace(b"    return 1\n", RIGHT)
FILES = {
    "alpha.py": BASE,
    "free.py": b"X = 1\n",
    "test_alpha.py": same("alpha", "alpha.py", digest_of(FIXED)) + same("free", "free.py", digest_of(b"X = 1\n")),
}
SAYS = [
    Say(action="read_code", read="alpha.py"),
    Say(action="apply_edit", edit="alpha.py", lines=(2, 2)),
    Say(action="task_complete"),
]


def play(tmp_path: Path, draft: bytes, files: dict[str, bytes] = FILES) -> Run:
    return run_agent(
        write_tree(tmp_path / "repo", files),
        ScriptedClassifier(SAYS),
        ScriptedGenerator([draft]),
        chosen=options(verify=("pytest",)),
        sandbox=ToySandbox(Watch()),
    )


def test_an_honest_fix_is_verified(tmp_path: Path) -> None:
    run = play(tmp_path, RIGHT)
    assert run.result.judgement is not None, run.result.outcome_reason
    assert run.result.judgement.verdict is Verdict.VERIFIED, run.result.judgement.reason
    assert run.result.judgement.evidence == ("test_alpha.py::test_alpha",)


@pytest.mark.parametrize("draft", [b"    return 3\n", *(trick + b"\n" + RIGHT for trick in TRICKS)])
def test_nothing_else_is_kept(tmp_path: Path, draft: bytes) -> None:
    assert play(tmp_path, draft).result.changes == ()


@pytest.mark.parametrize("trick", TRICKS)
def test_a_base_that_tricks_cannot_be_used(tmp_path: Path, trick: bytes) -> None:
    run = play(tmp_path, RIGHT, {**FILES, "free.py": trick})
    assert run.result.outcome is Outcome.SUITE_UNUSABLE
