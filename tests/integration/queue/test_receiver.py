"""The real public process over HTTP: what it loads, what it answers, and how soon when the queue is a black hole."""

import http.client
import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.payloads import SECRET, labeled, signed
from tests.support.redis_server import process_environment
from worker.contract.runs import Records

pytestmark = [pytest.mark.redis, pytest.mark.xdist_group("queue")]


class Receiver:
    """One running process and its port."""

    def __init__(self, process: subprocess.Popen[bytes], port: int) -> None:
        self.process = process
        self.port = port

    def get(self, path: str) -> int:
        return self._ask("GET", path, None, {})[0]

    def post(self, event: str, payload: object, **headers: str) -> tuple[int, dict[str, str]]:
        usual, body = signed(event, payload, **headers)
        status, text = self._ask("POST", "/webhooks/github", body, usual)
        return status, json.loads(text)

    def _ask(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()


@contextmanager
def receiver(url: str, log: Path, *python_options: str) -> Iterator[Receiver]:
    port = _free_port()
    command = [sys.executable, *python_options, "-m", "bot", "--port", str(port)]
    environment = process_environment(url, BENDCODER_WEBHOOK_SECRETS=SECRET)
    with log.open("wb") as output:
        process = subprocess.Popen(command, env=environment, stderr=output)
    try:
        _wait_until_it_answers(process, port)
        yield Receiver(process, port)
    finally:
        process.terminate()
        process.wait(timeout=20)


def test_a_signed_label_over_http_is_a_record(redis_url: str, tmp_path: Path) -> None:
    with receiver(redis_url, tmp_path / "log") as counter:
        status, answer = counter.post("issues", labeled(), delivery="d-1")
        assert (status, counter.post("issues", labeled(), delivery="d-1")) == (202, (202, answer))
        assert counter.post("issues", labeled(), x_hub_signature_256="sha256=" + "0" * 64)[0] == 401
        assert counter.get("/readyz") == 200
    record = Records(redis_url).load(answer["job"])
    assert record is not None
    assert record.repo.full_name == "acme/sums"
    assert SECRET not in (tmp_path / "log").read_text()


def test_after_a_signed_delivery_nothing_is_loaded_that_holds_keys_or_touches_code(
    redis_url: str, tmp_path: Path
) -> None:
    with receiver(redis_url, tmp_path / "log", "-X", "importtime") as counter:
        assert counter.post("issues", labeled())[0] == 202
    loaded = {line.rsplit("|", 1)[1].strip() for line in (tmp_path / "log").read_text().splitlines() if "|" in line}
    assert {"bot.app", "worker.contract.queue", "redis"} <= loaded  # the list is one of imports indeed
    roots = {name.split(".")[0] for name in loaded}
    assert not roots & {"githubkit", "git", "agent", "deploy", "celery", "kombu", "httpx"}
    ours = {name for name in loaded if name.startswith("worker.")}
    assert all(name.startswith("worker.contract") for name in ours)


@pytest.mark.parametrize("accepts", [True, False], ids=["takes-and-never-answers", "never-takes"])
def test_a_black_holed_queue_is_503_within_five_seconds(tmp_path: Path, accepts: bool) -> None:
    with _black_hole(accepts) as url, receiver(url, tmp_path / "log") as counter:
        for _ in range(2):  # the second must not wait for the first one's thread
            started = time.monotonic()
            status, answer = counter.post("issues", labeled())
            assert time.monotonic() - started < 5
            assert status == 503
            assert answer["error"]
        assert counter.get("/healthz") == 200


def test_a_queue_that_refuses_is_503_at_once_and_202_when_it_is_there(redis_url: str, tmp_path: Path) -> None:
    with receiver(f"redis://127.0.0.1:{_free_port()}/0", tmp_path / "log") as counter:
        started = time.monotonic()
        assert counter.post("issues", labeled())[0] == 503
        assert time.monotonic() - started < 2


def test_it_refuses_to_start_with_a_secret_of_the_workers() -> None:
    environment = process_environment(
        "redis://x", BENDCODER_WEBHOOK_SECRETS=SECRET, BENDCODER_APP_PRIVATE_KEY="hush-hush"
    )
    done = subprocess.run([sys.executable, "-m", "bot"], env=environment, capture_output=True, text=True, timeout=30)
    assert done.returncode == 2
    assert "BENDCODER_APP_PRIVATE_KEY belongs to the worker" in done.stderr
    assert "hush-hush" not in done.stderr
    assert "Traceback" not in done.stderr


@contextmanager
def _black_hole(accepts: bool) -> Iterator[str]:
    """The address of something that listens and says nothing; its backlog is full unless it `accepts`."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(128 if accepts else 0)
        port: int = listener.getsockname()[1]
        fillers = []
        for _ in range(0 if accepts else 8):
            filler = socket.socket()
            filler.setblocking(False)
            filler.connect_ex(("127.0.0.1", port))
            fillers.append(filler)
        try:
            yield f"redis://127.0.0.1:{port}/0"
        finally:
            for filler in fillers:
                filler.close()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_until_it_answers(process: subprocess.Popen[bytes], port: int) -> None:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and process.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    raise AssertionError("the receiver did not come up")
