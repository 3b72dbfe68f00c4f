"""The whole house on one machine: GitHub stand-in, Redis-protocol server, receiver, worker; on loopback alone."""

import secrets
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from deploy.demo.children import Child, child
from deploy.devhub.client import DevhubClient
from deploy.devhub.server import Server, Settings
from deploy.redis_server import redis_server
from worker.contract.runs import Records

OWNER = "ada"
LABEL = "bendcoder"
START_SECONDS = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """What may vary between two demos."""

    sandbox: str
    classify: str = "embedded"
    generate: str = "embedded"
    seconds: float = 120.0
    """Wall clock of the run itself."""
    redis_url: str | None = None
    """None: start one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """The running parts."""

    hub: DevhubClient
    records: Records
    receiver: Child
    worker: Child
    receiver_url: str
    folder: Path

    def check(self) -> None:
        """ChildDied when a part is gone."""
        self.receiver.check()
        self.worker.check()


@contextmanager
def stage(folder: Path, setup: Setup) -> Iterator[Stage]:
    """Start everything; all of it is ended, by process id, when the block ends."""
    with redis_server(setup.redis_url) as redis_url, _devhub(folder / "devhub") as hub:
        app = hub.app()
        secret = secrets.token_hex(20)
        port = free_port()
        receiver_url = f"http://127.0.0.1:{port}"
        common = {"BENDCODER_REDIS_URL": redis_url, "BENDCODER_LABEL": LABEL, "BENDCODER_GITHUB_WEB_URL": hub.url}
        receiving = common | {"BENDCODER_WEBHOOK_SECRETS": secret}
        working = common | {
            "BENDCODER_ALLOW": OWNER,
            "BENDCODER_APP_ID": str(app.id),
            "BENDCODER_APP_PRIVATE_KEY": app.private_key,
            "BENDCODER_GITHUB_API_URL": f"{hub.url}/api/v3",
            "BENDCODER_GIT_URL": hub.url,
            "BENDCODER_CLASSIFY": setup.classify,
            "BENDCODER_GENERATE": setup.generate,
            "BENDCODER_SANDBOX": setup.sandbox,
            "BENDCODER_SECONDS": str(setup.seconds),
            "BENDCODER_DATA_DIR": str(folder / "data"),
        }
        with (
            child("receiver", ["serve", "--port", str(port)], receiving, folder) as receiver,
            child("worker", ["work", "--concurrency", "1"], working, folder) as worker,
        ):
            await_ready(receiver, f"{receiver_url}/healthz")
            hub.set_webhook_url(f"{receiver_url}/webhooks/github", secret)
            records = Records(redis_url)
            try:
                yield Stage(
                    hub=hub,
                    records=records,
                    receiver=receiver,
                    worker=worker,
                    receiver_url=receiver_url,
                    folder=folder,
                )
            finally:
                records.close()


@contextmanager
def _devhub(folder: Path) -> Iterator[DevhubClient]:
    folder.mkdir()
    server = Server(Settings(state_dir=folder))
    server.start()
    try:
        with DevhubClient(server.url) as hub:
            yield hub
    finally:
        server.stop()


def await_ready(waited_for: Child, url: str) -> None:
    """Wait until an address answers; ChildDied when its process ends first, TimeoutError when it never does."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        waited_for.check()
        try:
            if httpx.get(url, timeout=2, trust_env=False).is_success:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.03)
    raise TimeoutError(
        f"The {waited_for.name} did not answer within {START_SECONDS:.0f} s. Its log:\n{waited_for.tail()}"
    )


def free_port() -> int:
    """A loopback port nobody listens on at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
