"""A delegation killed in the middle goes on along its trace to the same verdict, and asks no model anything twice."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from deploy.cli import main
from deploy.evals.attempt import fresh
from deploy.evals.task import load
from deploy.standin.script import load as load_script
from deploy.standin.server import Standin, standin

ROOT = Path(__file__).parents[3]
TASK = ROOT / "deploy" / "evals" / "tasks" / "two-files"


def _words(folder: Path, server: Standin) -> list[str]:
    return [
        "delegate", "--repo", str(folder / "repo"), "--issue", str(TASK / "issue.md"), "--sandbox", "local",
        "--verify", "python -m unittest", "--trace", str(folder / "trace.jsonl"), "--json", str(folder / "out.json"),
        "--classify", "systemone", "--classify-url", server.classify_url, "--classify-model", "scripted",
        "--generate", "chat", "--generate-url", server.generate_url, "--generate-model", "scripted", "--seconds", "90",
    ]  # fmt: skip


def _kill_after(kind: str, process: subprocess.Popen[bytes], trace: Path) -> None:
    """Kill it, and no child of its is asked, as soon as its trace tells of an event of this kind."""
    end = time.monotonic() + 60
    while time.monotonic() < end and process.poll() is None:
        if trace.exists() and f'"kind": "{kind}"' in trace.read_text():
            os.kill(process.pid, signal.SIGKILL)
            process.wait(10)
            return
        time.sleep(0.01)
    raise AssertionError(f"there was no {kind} in {trace}")


def test_a_killed_run_goes_on_without_asking_anything_twice(tmp_path: Path) -> None:
    fresh(load(TASK), tmp_path / "repo")
    with standin(load_script(TASK / "script.json")) as server:
        words = _words(tmp_path, server)
        with subprocess.Popen(
            [sys.executable, "-m", "deploy.cli", *words], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as process:
            _kill_after("generate", process, tmp_path / "trace.jsonl")
        assert server.record()["left"] == {"says": 1, "replies": 0}  # killed before the end: one step was to come
        assert main([*words, "--resume"]) == 0
        record = server.record()

    found = json.loads((tmp_path / "out.json").read_text())
    assert found["verdict"] == "verified", found["reason"]
    assert [one["path"] for one in found["kept_edits"]] == ["reading.py", "report.py"]
    assert record["problems"] == []
    assert record["left"] == {"says": 0, "replies": 0}
    assert (record["classify"]["calls"], record["generate"]["calls"]) == (5, 1)  # type: ignore[index]
