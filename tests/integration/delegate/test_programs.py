"""The demo's programs through `bendcoder delegate`: both bugs of each are repaired and verified."""

import json
import sys
from pathlib import Path

import pytest

from deploy.cli import main
from deploy.demo import programs
from tests.support import gitrepo
from tests.support.demo_bugs import plant

pytestmark = [pytest.mark.sandbox, pytest.mark.slow]


def _clone(source: Path, folder: Path) -> Path:
    program = programs.load_from(source)
    gitrepo.make(folder, program.files)
    return folder


def _delegate(source: Path, tmp_path: Path, *options: str) -> tuple[int, dict[str, object]]:
    folder = _clone(source, tmp_path / "clone")
    before = gitrepo.fingerprint(folder)
    target = tmp_path / "out.json"
    words = ["--repo", str(folder), "--issue", str(source / "issue.md"), "--json", str(target), "--seconds", "60"]
    code = main(["delegate", *words, "--env", sys.prefix, *options])
    after = gitrepo.fingerprint(folder)
    assert {name: after[name] for name in before} == before
    added = {name.split("/")[1] for name in after.keys() - before.keys()}
    assert added <= {"objects", "refs"}
    return code, json.loads(target.read_text())


@pytest.mark.parametrize("bug", ["shipped", "second"])
@pytest.mark.parametrize("name", programs.names())
def test_each_bug_is_repaired_and_verified(name: str, bug: str, tmp_path: Path) -> None:
    source = programs.PROGRAMS / name if bug == "shipped" else plant(name, tmp_path)
    code, found = _delegate(source, tmp_path, "--trace", str(tmp_path / "trace.jsonl"))
    assert (code, found["verdict"]) == (0, "verified"), found["reason"]
    assert found["fixed"]
    assert found["broken"] == []
    changed = gitrepo.git(tmp_path / "clone", "diff", "--name-only", "main", str(found["branch"]))
    assert changed == f"{name}.py"
    assert (tmp_path / "trace.jsonl").stat().st_size > 1000


@pytest.mark.parametrize("name", programs.names())
def test_nothing_written_leaves_nothing(name: str, tmp_path: Path) -> None:
    code, found = _delegate(programs.PROGRAMS / name, tmp_path, "--generate", "nothing")
    assert code == 2
    assert found["verdict"] is None
    assert found["branch"] is None
    assert found["outcome_reason"]
    assert found["baseline"]["red"]  # type: ignore[index]
    assert gitrepo.git(tmp_path / "clone", "branch", "--list", "bendcoder/*") == ""
