"""`bendcoder demo` as a person runs it: every part a real process, and nothing left running when it ends."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from deploy.demo import programs
from tests.support.demo_bugs import plant

ROOT = Path(__file__).parents[2]
SECONDS = 180
"""What the demo is promised to take at most."""

pytestmark = [pytest.mark.redis, pytest.mark.sandbox, pytest.mark.slow, pytest.mark.timeout(SECONDS + 30)]


def _environment(tmp_path: Path) -> dict[str, str]:
    """A temporary folder of this test's own: what the demo starts can be told by it."""
    return {**os.environ, "TMPDIR": str(tmp_path)}


def _demo(tmp_path: Path, *options: str) -> tuple[int, dict[str, object], str]:
    done = subprocess.run(
        [sys.executable, "-m", "deploy.cli", "demo", "--json", *options],
        env=_environment(tmp_path),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
    )
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout), done.stderr


def _left_behind(tmp_path: Path) -> list[str]:
    """Command lines of living processes that were given our temporary folder."""
    mark = f"TMPDIR={tmp_path}\0".encode()
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (folder / "environ").read_bytes():
                found.append((folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace"))
        except OSError:  # it ended while we looked
            continue
    return found


@pytest.mark.parametrize("name", programs.names())
def test_each_program_ends_in_a_verified_draft(name: str, tmp_path: Path) -> None:
    code, found, told = _demo(tmp_path, "--program", name)
    assert (code, found["verdict"]) == (0, "verified"), f"{found}\n{told}"
    pull = found["pull_request"]
    assert isinstance(pull, dict)
    assert pull["draft"] is True
    assert str(pull["branch"]).startswith("bendcoder/issue-")
    assert f"{name}.py" in str(found["diff"])
    assert found["fixed"]
    assert "labelling issue" in told
    assert _left_behind(tmp_path) == []


def test_a_second_bug_is_repaired_as_well(tmp_path: Path) -> None:
    code, found, told = _demo(tmp_path, "--from", str(plant("ledger", tmp_path)))
    assert (code, found["verdict"]) == (0, "verified"), f"{found}\n{told}"


def test_without_a_change_there_is_no_draft_and_the_reason_is_said(tmp_path: Path) -> None:
    code, found, _told = _demo(tmp_path, "--program", "roman", "--generate", "nothing")
    assert code == 2
    assert found["pull_request"] is None
    assert found["verdict"] is None
    assert found["reason"]
    assert found["comment"]
    assert _left_behind(tmp_path) == []


@pytest.mark.parametrize("name", [signal.SIGINT, signal.SIGTERM])
def test_stopping_it_ends_everything_it_started(name: signal.Signals, tmp_path: Path) -> None:
    words = [sys.executable, "-m", "deploy.cli", "demo", "--program", "maze", "--generate", "nothing", "--stay"]
    with subprocess.Popen(words, env=_environment(tmp_path), cwd=ROOT, stderr=subprocess.PIPE, text=True) as running:
        assert running.stderr is not None
        for line in running.stderr:
            if "labelling" in line:
                break
        time.sleep(0.5)
        running.send_signal(name)
        running.communicate(timeout=30)
    assert running.returncode != 0
    assert _left_behind(tmp_path) == []


def test_an_unknown_program_is_told() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "deploy.cli", "demo", "--program", "none-such"],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == 1
    assert "intervals" in done.stderr
