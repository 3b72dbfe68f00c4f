"""Starting and stopping: as a program, on a free port, and the control API's own refusals."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from deploy.devhub.client import DevhubClient, DevhubRefused
from deploy.devhub.proc_receive import decide
from deploy.devhub.server import Server, Settings, serve
from tests.support.devhub import Devhub, running_devhub

ROOT = Path(__file__).resolve().parents[4]


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Devhub]:
    with running_devhub(tmp_path) as made:
        yield made


def test_as_a_program(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "deploy.devhub", "--port", "0", "--state-dir", str(tmp_path)]
    child = subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True, env=dict(os.environ))
    try:
        assert child.stdout is not None
        said = child.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:\d+", said)
        assert found is not None
        with DevhubClient(found[0]) as control:
            control.wait(lambda: httpx.get(f"{found[0]}/healthz", trust_env=False).is_success)
            assert control.app().slug == "bendcoder"
        child.send_signal(signal.SIGTERM)
        child.wait(timeout=10)
    finally:
        child.kill()
        child.communicate()


def test_a_taken_port_is_named(hub: Devhub) -> None:
    port = int(hub.web_url.rpartition(":")[2])
    with pytest.raises(SystemExit, match=rf"cannot listen on 127\.0\.0\.1:{port} .*Try --port 0"):
        serve(port=port)


def test_a_temporary_state_directory_goes_away() -> None:
    server = Server(Settings())
    directory = server.hub.directory
    server.start()
    assert directory.is_dir()
    server.stop()
    assert not directory.exists()


def test_control_takes_json_only_and_names_mistakes(hub: Devhub) -> None:
    form = httpx.post(f"{hub.web_url}/_sim/users", data={"login": "x"}, trust_env=False)
    assert form.status_code == 415
    for path, body in {
        "/repos": {"owner": "octo", "name": "r", "files": {"a": "no base64!"}},
        "/users": {},
        "/nothing": {},
        "/repos/octo/none/issues": {"title": "t"},
    }.items():
        with pytest.raises(DevhubRefused):
            hub.control.call("POST", path, dict(body))


def test_roles_are_checked_by_name(hub: Devhub) -> None:
    repo = hub.control.create_repository("octo", "demo", {"a": "a"})
    with pytest.raises(DevhubRefused, match="one of none"):
        hub.control.set_role(repo, "mona", "boss")
    with pytest.raises(DevhubRefused, match="exists"):
        hub.control.create_repository("octo", "demo", {"a": "a"})


def test_deleting_a_branch_is_never_refused_for_its_content() -> None:
    assert decide({"workflows": False, "signed": True}, "0" * 40, "refs/heads/x") is None
    assert decide({"refuse": {"refs/heads/x": "no"}}, "0" * 40, "refs/heads/x") == "no"
