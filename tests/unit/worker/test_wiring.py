"""What a worker is built from: settings that cannot work stop the start, and a run is told step by step."""

from pathlib import Path

import pytest

from agent.adapters.workspace.directory import DirectoryWorkspace
from agent.errors import ModelError, SandboxError
from tests.support.keys import PEM
from worker import wiring
from worker.contract.job import JobRecord, JobState, RepoRef
from worker.errors import ConfigError
from worker.repo_config import RepoConfig
from worker.settings import WorkerSettings


def settings(tmp_path: Path, **changes: object) -> WorkerSettings:
    values = {"app_id": "7", "app_private_key": PEM, "sandbox": "local", "data_dir": tmp_path, "allow": "acme"}
    return WorkerSettings(**(values | changes))


def test_everything_is_built_from_settings(tmp_path):
    chosen = settings(tmp_path, generate_model="small", models="small large", bot_ids="4", git_url="http://127.0.0.1:1")
    built = wiring.build(chosen)
    assert built.rules.allow == ("acme",)
    assert built.rules.bot_ids == frozenset({4})
    assert built.rules.ceiling.models == ("small", "large")
    assert built.rules.git_base == "http://127.0.0.1:1"


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"sandbox": "chroot"}, SandboxError, "BENDCODER_SANDBOX"),
        ({"classify": "oracle"}, ModelError, "BENDCODER_CLASSIFY"),
        ({"generate": "oracle"}, ModelError, "BENDCODER_GENERATE"),
        ({"generate": "chat"}, ModelError, "BENDCODER_GENERATE_URL"),
    ],
)
def test_what_cannot_work_stops_the_start(tmp_path, changes, error, words):
    with pytest.raises(error, match=words):
        wiring.build(settings(tmp_path, **changes))


class Refusing:
    """A store that remembers the one write of a refused job."""

    def __init__(self):
        self.fields = {}

    def update(self, **fields):
        self.fields |= fields


def test_a_runner_refuses_a_repository_outside_the_list_without_any_call(tmp_path):
    repo = RepoRef(id=1, owner="stranger", name="r")
    record = JobRecord(
        job_id="0" * 16, wish="1:1", host="h", installation_id=1, repo=repo, issue=1, title="", body="", triggers=(),
        created=0, updated=0,
    )  # fmt: skip
    store = Refusing()
    wiring.runner(settings(tmp_path, github_api_url="http://127.0.0.1:1"))(record, store)
    assert store.fields["state"] is JobState.FAILED
    assert "BENDCODER_ALLOW" in store.fields["reason"]


def agents(tmp_path: Path) -> wiring.WiredAgents:
    return wiring.build(settings(tmp_path)).agents


def workspace(tmp_path: Path, **files: str) -> DirectoryWorkspace:
    for name, text in files.items():
        (tmp_path / f"{name}.py").write_text(text)
    return DirectoryWorkspace(tmp_path)


def test_commands_are_the_configured_ones_or_detected(tmp_path):
    files = workspace(tmp_path, test_x="def test_x():\n    pass\n")
    wired = agents(tmp_path / "data")
    assert wired.commands(files, RepoConfig()).verify == ("python", "-m", "pytest")
    configured = RepoConfig(verify=("make", "test"), check=("true",))
    assert wired.commands(files, configured).verify == ("make", "test")
    assert wired.commands(files, configured).check == ("true",)


def test_without_any_command_the_setting_is_named(tmp_path):
    with pytest.raises(ConfigError, match="Set `verify` in"):
        agents(tmp_path / "data").commands(workspace(tmp_path, app="x = 1\n"), RepoConfig())


class Kept:
    """A trace that keeps kinds."""

    def __init__(self):
        self.kinds = []

    def emit(self, kind, step, data):
        self.kinds.append(kind)

    def recall(self, kind, about):
        return f"{kind} {about}"


def test_a_run_is_told_in_words_and_kept_whole():
    kept, said = Kept(), []
    telling = wiring._Telling(kept, said.append, 3)
    telling.emit("run_started", 0, {})
    telling.emit("decision", 1, {"selected": {"action": "run_suite"}})
    telling.emit("decision", 7, {"selected": {"action": "apply_edit"}})
    telling.emit("decision", 2, {"selected": None})
    telling.emit("mask", 2, {})
    assert telling.recall("suite", "baseline") == "suite baseline"
    assert kept.kinds == ["run_started", "decision", "decision", "decision", "mask"]
    assert said == [
        "running the suite as it is",
        "step 2 of 3: running the suite",
        "step 3 of 3: writing a change and trying it",
    ]
