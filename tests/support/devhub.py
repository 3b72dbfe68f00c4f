"""Starts a GitHub stand-in for a test: `with running_devhub(tmp_path) as devhub: ...`."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import jwt

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
def running_devhub(tmp_path: Path, webhook_url: str | None = None, webhook_seconds: float = 10.0) -> Iterator[Devhub]:
    """A stand-in on a free loopback port, in a thread of this process; ends with the block."""
    server = Server(Settings(state_dir=tmp_path / "devhub", webhook_url=webhook_url, webhook_seconds=webhook_seconds))
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


def app_jwt(devhub: Devhub, *, lifetime: float = 300, issuer: object = None, key: str | None = None) -> str:
    """A JWT of the App, or of another issuer, or signed with another key; `lifetime` in seconds."""
    now = int(time.time())
    claims = {"iat": now - 30, "exp": now + int(lifetime), "iss": str(devhub.app_id if issuer is None else issuer)}
    return jwt.encode(claims, key or devhub.private_key_pem, algorithm="RS256")


def rest(devhub: Devhub, bearer: str) -> httpx.Client:
    """A plain HTTP client of the REST API with this bearer; close it."""
    headers = {"authorization": f"Bearer {bearer}"}
    return httpx.Client(base_url=devhub.api_url, headers=headers, trust_env=False, timeout=20)


def installation_token(
    devhub: Devhub,
    owner: str,
    *,
    repositories: Sequence[str] | None = None,
    permissions: Mapping[str, str] | None = None,
) -> str:
    """An installation token, narrowed as given."""
    wanted = {"repositories": repositories, "permissions": permissions}
    body = {name: value for name, value in wanted.items() if value is not None}
    path = f"/app/installations/{devhub.control.installation_id(owner)}/access_tokens"
    with rest(devhub, app_jwt(devhub)) as client:
        answer = client.post(path, json=body)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["token"])
