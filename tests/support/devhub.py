"""Starts a GitHub stand-in for a test: `with running_devhub(tmp_path) as devhub: ...`."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from deploy.devhub.client import DevhubClient
from deploy.devhub.server import Server, Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Devhub:
    """A running stand-in: its addresses, its App's credentials, and `control` to act as people."""

    api_url: str
    web_url: str
    git_url: str
    app_id: int
    app_slug: str
    private_key_pem: str
    webhook_secret: str
    control: DevhubClient


@contextmanager
def running_devhub(tmp_path: Path, webhook_url: str | None = None) -> Iterator[Devhub]:
    """A stand-in on a free loopback port, in a thread of this process; ends with the block."""
    server = Server(Settings(state_dir=tmp_path / "devhub", webhook_url=webhook_url))
    server.start()
    try:
        with DevhubClient(server.url) as control:
            app = control.app()
            yield Devhub(
                api_url=server.hub.urls.api,
                web_url=server.url,
                git_url=server.url,
                app_id=app.id,
                app_slug=app.slug,
                private_key_pem=app.private_key,
                webhook_secret=app.webhook_secret,
                control=control,
            )
    finally:
        server.stop()
