"""Stopping a local delegation: Ctrl-C ends it at its next step, TERM at once; nothing is left behind either way."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from deploy.demo import programs
from tests.support import gitrepo

ROOT = Path(__file__).parents[3]

pytestmark = pytest.mark.sandbox


def _stopped(tmp_path: Path, how: signal.Signals) -> tuple[int, dict[str, object]]:
    folder, target, room = tmp_path / "clone", tmp_path / "out.json", tmp_path / "tmp"
    room.mkdir()
    gitrepo.make(folder, programs.load("roman").files)
    before = gitrepo.fingerprint(folder)
    issue = programs.PROGRAMS / "roman" / "issue.md"
    words = [sys.executable, "-m", "deploy.cli", "delegate", "--repo", str(folder), "--issue", str(issue)]
    with subprocess.Popen(
        [*words, "--json", str(target)],
        cwd=ROOT, env={"PATH": "/usr/bin:/bin", "TMPDIR": str(room)}, stderr=subprocess.PIPE, text=True,
    ) as running:  # fmt: skip
        assert running.stderr is not None
        for line in running.stderr:
            if "the suite as it is" in line:
                break
        running.send_signal(how)
        running.communicate(timeout=60)
    assert gitrepo.fingerprint(folder) == before
    left = [path.name for path in room.rglob("*") if path.name not in (".door", f"bendcoder-{folder.stat().st_uid}")]
    assert left == []
    return running.returncode, json.loads(target.read_text())


def test_interrupting_ends_the_run_at_its_next_step(tmp_path: Path) -> None:
    code, found = _stopped(tmp_path, signal.SIGINT)
    assert (code, found["outcome"]) == (2, "cancelled")
    assert found["branch"] is None


def test_terminating_ends_it_at_once(tmp_path: Path) -> None:
    code, found = _stopped(tmp_path, signal.SIGTERM)
    assert code == 130
    assert "Interrupted" in str(found["outcome_reason"])
