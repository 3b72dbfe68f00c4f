"""Starts the stand-in: binds the port, builds its insides, serves REST, git, pages and control from one process."""

import socket
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from deploy.devhub.api import PREFIX as API_PREFIX
from deploy.devhub.api import Api
from deploy.devhub.connections import TrackedProtocol
from deploy.devhub.control import PREFIX as CONTROL_PREFIX
from deploy.devhub.control import Control
from deploy.devhub.git_http import GitHttp
from deploy.devhub.hub import Hub, Urls
from deploy.devhub.pages import page_routes
from deploy.devhub.webhooks import LIMIT_SECONDS, Deliveries

ALL_METHODS = ["GET", "HEAD", "POST", "PATCH", "PUT", "DELETE"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How to start: `port` 0 takes a free one; `state_dir` None makes a temporary one."""

    host: str = "127.0.0.1"
    port: int = 0
    state_dir: Path | None = None
    app_name: str = "bendcoder"
    app_owner: str = "octo"
    webhook_url: str | None = None
    webhook_seconds: float = LIMIT_SECONDS
    """How long a receiver may take."""


def application(hub: Hub, webhook_seconds: float = LIMIT_SECONDS) -> Starlette:
    """The ASGI application over one hub."""
    deliveries = Deliveries(hub, webhook_seconds)
    api, control, git = Api(hub, deliveries), Control(hub, deliveries), GitHttp(hub, deliveries)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        await deliveries.close()

    async def health(_: Request) -> Response:
        return JSONResponse({"ok": True})

    return Starlette(
        routes=[
            Route(API_PREFIX + "{rest:path}", _endpoint(api), methods=ALL_METHODS),
            Route(CONTROL_PREFIX + "/{rest:path}", _endpoint(control), methods=ALL_METHODS),
            Route("/healthz", health),
            Route("/{owner}/{name}.git/{tail:path}", _endpoint(git), methods=["GET", "POST"]),
            *page_routes(hub),
        ],
        lifespan=lifespan,
    )


def _endpoint(served: Api | Control | GitHttp) -> Callable[[Request], object]:
    async def endpoint(request: Request) -> Response:
        return await served(request)

    return endpoint


class Server:
    """One stand-in: bound when constructed, serving after `run` (in this thread) or `start` (in one of its own)."""

    def __init__(self, settings: Settings) -> None:
        self.socket = socket.create_server((settings.host, settings.port), backlog=256)
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        directory = settings.state_dir
        if directory is None:
            self._temporary = tempfile.TemporaryDirectory(prefix="devhub-")
            directory = Path(self._temporary.name)
        # asyncio sets this only on sockets whose protocol number is spelled out; without it small answers take 40 ms.
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        host, port = self.socket.getsockname()[:2]
        self.hub = Hub(urls=Urls(base=f"http://{host}:{port}"), directory=directory.resolve())
        self.app = self.hub.store.create_app(settings.app_name, settings.app_owner, settings.webhook_url)
        config = uvicorn.Config(
            application(self.hub, settings.webhook_seconds),
            http=TrackedProtocol,
            loop="asyncio",
            ws="none",
            log_level="warning",
            access_log=False,
            timeout_keep_alive=30,
            timeout_graceful_shutdown=1,
        )
        self._server = uvicorn.Server(config)
        self._thread: threading.Thread | None = None

    @property
    def url(self) -> str:
        """Where it is reached."""
        return self.hub.urls.base

    def run(self) -> None:
        """Serve until interrupted."""
        try:
            self._server.run(sockets=[self.socket])
        finally:
            self._clean()

    def start(self, seconds: float = 10.0) -> None:
        """Serve in a thread; returns once requests are answered."""
        self._thread = threading.Thread(target=self._server.run, args=([self.socket],), daemon=True, name="devhub")
        self._thread.start()
        deadline = time.monotonic() + seconds
        while not self._server.started:
            if time.monotonic() > deadline or not self._thread.is_alive():
                raise TimeoutError(f"devhub did not start within {seconds} s")
            time.sleep(0.002)

    def stop(self) -> None:
        """End the thread and remove a temporary state directory."""
        self._server.should_exit = True
        if self._thread is not None:
            self._thread.join(timeout=10)
        self._clean()

    def _clean(self) -> None:
        self.socket.close()
        if self._temporary is not None:
            self._temporary.cleanup()


def serve(
    host: str = "127.0.0.1", port: int = 0, state_dir: Path | None = None, webhook_url: str | None = None
) -> None:
    """Serve in this thread until interrupted, saying where first."""
    try:
        server = Server(Settings(host=host, port=port, state_dir=state_dir, webhook_url=webhook_url))
    except OSError as problem:
        reason = f"devhub: cannot listen on {host}:{port} ({problem.strerror}); nothing was started. Try --port 0."
        raise SystemExit(reason) from problem
    _say(f"devhub: {server.url}  (REST {server.hub.urls.api}, App and keys {server.url}/_sim/app)")
    if host not in {"127.0.0.1", "::1", "localhost"}:
        _say("devhub: everybody who reaches this address owns it: the control API asks for no credentials.")
    server.run()


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201 - a command's own words
