"""A kept edit that a later one made superfluous is taken back, and one that is needed stays."""

from pathlib import Path

from agent.domain.result import Verdict
from tests.support.agent_runs import ADDER, run_agent, write_tree
from tests.support.scripted_models import Say, ScriptedClassifier, ScriptedGenerator

SOURCE = """def step(a):
    return a - 1


def twice(a):
    return step(a) * 2
"""
TESTS = """from core import step, twice


def test_step():
    assert step(1) == 2


def test_twice():
    assert twice(1) == 4
"""
FILES = {**{name: text for name, text in ADDER.items() if name.endswith((".toml", ".ini"))}, "core.py": SOURCE}
SAYS = [
    Say(action="read_code", read="core.py"),
    Say(action="apply_edit", edit="core.py", lines=(6, 6)),
    Say(action="apply_edit", edit="core.py", lines=(2, 2)),
    Say(action="task_complete"),
]


def folder(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "repo", {**FILES, "test_core.py": TESTS})


def test_an_edit_a_later_one_made_superfluous_is_taken_back(tmp_path: Path) -> None:
    drafts = ScriptedGenerator([b"    return (a + 1) * 2\n"], [b"    return a + 1\n"], repairs=False)

    run = run_agent(folder(tmp_path), ScriptedClassifier(SAYS), drafts)

    assert run.files["core.py"] == SOURCE.replace("a - 1", "a + 1").encode()
    assert run.result.judgement is not None
    assert run.result.judgement.verdict is Verdict.VERIFIED, run.result.judgement
    assert [effect["edit"] for effect in run.of("effect") if effect.get("effect") == "shrink"] == ["core.py:6-6"]


def test_an_edit_that_is_still_needed_stays(tmp_path: Path) -> None:
    source = SOURCE.replace("step(a) * 2", "a * 2")
    files = {**FILES, "core.py": source, "test_core.py": TESTS}
    says = [SAYS[0], SAYS[1], SAYS[2], Say(action="apply_edit", edit="core.py", lines=(6, 6)), SAYS[3]]
    texts = [[b"    return (a + 1) * 2\n"], [b"    return a + 1\n"], [b"    return step(a) * 2\n"]]
    drafts = ScriptedGenerator(*texts, repairs=False)

    run = run_agent(write_tree(tmp_path / "repo", files), ScriptedClassifier(says), drafts)

    assert b"a + 1\n" in run.files["core.py"]
    assert b"return a * 2" not in run.files["core.py"]


def test_what_a_model_wrote_stays_though_no_test_needs_it(tmp_path: Path) -> None:
    drafts = ScriptedGenerator([b"    return (a + 1) * 2\n"], [b"    return a + 1\n"])

    run = run_agent(folder(tmp_path), ScriptedClassifier(SAYS), drafts)

    assert b"return (a + 1) * 2" in run.files["core.py"]
    assert b"return a + 1\n" in run.files["core.py"]
