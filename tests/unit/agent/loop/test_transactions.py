"""A draft may write several files at once: all of them or none, and none that is protected or was not read."""

from pathlib import Path

import pytest

from agent.domain.edit import Draft, Hunk
from agent.domain.result import Verdict
from agent.ports import WriteRequest, Written
from tests.support.agent_runs import ADDER, Run, run_agent, write_tree
from tests.support.scripted_models import Say, ScriptedClassifier

FIXED = (
    ADDER["adder.py"]
    .replace("    return a - b", "    return plus(a, b)")
    .replace('"""Adds."""', "from sums import plus")
)
SUMS = b"def plus(a, b):\n    return a + b\n"
SAYS = [
    Say(action="read_code", read="adder.py"),
    Say(action="apply_edit", edit="adder.py", lines=(6, 6)),
    Say(action="task_complete"),
]


class WholeFiles:
    """A scripted Generate that writes the same whole files whenever it is asked."""

    label, repairs, prose, room = "scripted", True, False, 96_000

    def __init__(self, files: dict[str, bytes]) -> None:
        self._hunks = tuple(Hunk(path=path, old=ADDER.get(path, ""), new=text.decode()) for path, text in files.items())

    def write(self, request: WriteRequest, n: int) -> Written:
        assert request.anchor is not None
        return Written(drafts=(Draft(hunks=self._hunks),), model="scripted/1")


def run(tmp_path: Path, files: dict[str, bytes]) -> Run:
    return run_agent(write_tree(tmp_path / "repo", ADDER), ScriptedClassifier(SAYS), WholeFiles(files))


def test_an_edit_and_a_new_file_it_needs_are_kept_together_and_verified(tmp_path: Path) -> None:
    done = run(tmp_path, {"sums.py": SUMS, "adder.py": FIXED.encode()})

    assert done.result.judgement is not None
    assert done.result.judgement.verdict is Verdict.VERIFIED, done.result.judgement
    assert [change.path for change in done.result.changes] == ["adder.py", "sums.py"]
    assert "new file" in done.result.diff or "/dev/null" in done.result.diff


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("conftest.py", "judging"),
        ("test_adder.py", "existing tests"),
        (".github/workflows/x.yml", "maintainer"),
        ("../outside.py", "outside"),
        (".git/hooks/pre-push", "outside"),
    ],
)
def test_a_transaction_with_a_forbidden_file_writes_nothing(tmp_path: Path, path: str, why: str) -> None:
    done = run(tmp_path, {"adder.py": FIXED.encode(), "sums.py": SUMS, path: b"x = 1\n"})

    assert done.result.changes == ()
    assert done.result.judgement is None
    assert any(why in str(draft["output"]) for draft in done.of("draft"))
    assert "sums.py" not in done.files
