"""A sandbox is chosen by name; one that does not work is refused before anything runs."""

import itertools
from pathlib import Path

import pytest

from agent.adapters.sandbox import sandbox_named
from agent.adapters.sandbox.bubblewrap import probe
from agent.adapters.sandbox.container import ContainerBox, ContainerSandbox
from agent.domain.environment import Environment
from agent.errors import SandboxError
from agent.ports import Limits


@pytest.mark.parametrize("name", ["", "docker", "Local", "none", "container", "container:"])
def test_an_unknown_name_is_refused_with_the_setting(name: str) -> None:
    with pytest.raises(SandboxError, match="BENDCODER_SANDBOX"):
        sandbox_named(name)


def test_names_make_sandboxes() -> None:
    assert sandbox_named("local").name == "local"
    assert sandbox_named("bubblewrap").name == "bubblewrap"
    assert sandbox_named("container:python:3.12", check=False).name == "container"


def test_the_probe_says_why(tmp_path: Path) -> None:
    assert probe(Environment()) == ""
    assert "does not exist" in probe(Environment(readonly=(str(tmp_path / "gone"),)))
    assert "no-such" in probe(Environment(python="/no-such/python"))


@pytest.fixture
def box(tmp_path: Path) -> ContainerBox:
    for name in ("tree", "private", "venv"):
        (tmp_path / name).mkdir()
    return ContainerBox(
        program="podman",
        image="python:3.12",
        tree=tmp_path / "tree",
        environment=Environment(readonly=(str(tmp_path / "venv"),)),
        private=tmp_path / "private",
        identity=4242,
    )


def test_a_container_gets_no_network_no_capability_and_bounded_everything(box: ContainerBox, tmp_path: Path) -> None:
    limits = Limits(seconds=5, memory=1_000_000, processes=9, file_size=77)
    words = box.command("box-1", ["pytest", "-q", "a b"], limits, {"PYTHONHASHSEED": "0"})
    assert words[:5] == ["podman", "run", "--name", "box-1", "--rm"]
    assert words[-5:] == ["--entrypoint", "pytest", "python:3.12", "-q", "a b"]
    for pair in (
        *(("--network", "none"), ("--cap-drop", "ALL"), ("--security-opt", "no-new-privileges"), ("--pull", "never")),
        *(("--user", "4242:4242"), ("--memory", "1000000"), ("--memory-swap", "1000000"), ("--pids-limit", "9")),
        *(("--ulimit", "fsize=77"), ("--workdir", "/bendcoder/tree"), ("--env", "PYTHONHASHSEED=0")),
        ("--mount", f"type=bind,src={tmp_path}/tree,dst=/bendcoder/tree"),
        ("--mount", f"type=bind,src={tmp_path}/private/git,dst=/bendcoder/tree/.git,readonly"),
        ("--mount", f"type=bind,src={tmp_path}/venv,dst={tmp_path}/venv,readonly"),
    ):
        assert pair in set(itertools.pairwise(words)), pair
    assert "--read-only" in words


def test_a_container_that_cannot_start_is_no_result_of_the_command(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    (tmp_path / "broken").write_text("#!/bin/sh\necho no daemon; exit 125\n")
    (tmp_path / "broken").chmod(0o755)
    sandbox = ContainerSandbox("image", str(tmp_path / "broken"))
    with sandbox.open(tmp_path / "tree", Environment()) as box, pytest.raises(SandboxError, match="no daemon"):
        box.run(["true"], Limits(seconds=5))
