"""The proxy itself: a unix socket, a thread per connection, and nothing that outlives the block it is opened in."""

import logging
import os
import socket
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path

from agent.adapters.sandbox.egress.destinations import Destinations, Refusal, Upstream
from agent.adapters.sandbox.egress.requests import Asked, Malformed, Reading
from agent.adapters.sandbox.egress.tunnel import Allowance, connect, relay
from agent.adapters.workspace.paths import remove_tree

logger = logging.getLogger(__name__)

NAME = "proxy"
"""File name of the socket in the folder a box is shown."""

_HEAD_SECONDS = 15.0
_CLOSE_SECONDS = 3.0
_CHUNK = 65536
_REMEMBERED = 20
"""Refusals kept for the report; more of them say nothing new."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """What one set-up may use of the network: connections at once, bytes in all, seconds without a byte."""

    connections: int = 64
    total: int = 4 * 1024**3
    idle: float = 120.0


@dataclass(slots=True)
class Egress:
    """A running proxy; `folder` holds its socket, `refused` what was not connected to and why, in words."""

    folder: Path
    destinations: Destinations
    upstream: Upstream | None
    bounds: Bounds
    allowance: Allowance
    refused: list[str] = field(default_factory=list)
    _live: set[socket.socket] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def accept(self, listener: socket.socket) -> None:
        """Serve connections until the listener is shut down."""
        free = threading.BoundedSemaphore(self.bounds.connections)
        threads: list[threading.Thread] = []
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                break
            threads = [thread for thread in threads if thread.is_alive()]
            if not free.acquire(blocking=False):
                client.close()  # whoever opens this many at once is no installer
                continue
            thread = threading.Thread(target=self._serve, args=(client, free), daemon=True)
            thread.start()
            threads.append(thread)
        with self._lock:
            for end in self._live:
                with suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)
        deadline = time.monotonic() + _CLOSE_SECONDS
        for thread in threads:  # one that still looks a name up finds its client gone
            thread.join(max(0.0, deadline - time.monotonic()))

    def _serve(self, client: socket.socket, free: threading.BoundedSemaphore) -> None:
        try:
            with suppress(OSError), self._held(client):  # OSError: the client or the far side broke off
                self._answer(client)
        finally:
            free.release()

    @contextmanager
    def _held(self, end: socket.socket) -> Iterator[None]:
        """Closed when the block ends, and shut down when the proxy is."""
        with end:
            with self._lock:
                self._live.add(end)
            try:
                yield
            finally:
                with self._lock:
                    self._live.discard(end)

    def _answer(self, client: socket.socket) -> None:
        asked = _read(client)
        match asked:
            case Malformed():
                _say(client, asked.status, asked.reason)
            case Asked():
                found = self.destinations.addresses(asked.host, asked.port)
                if isinstance(found, Refusal):
                    self._refuse(client, asked, found.reason)
                else:
                    self._connect(client, asked, found)

    def _connect(self, client: socket.socket, asked: Asked, addresses: tuple[str, ...]) -> None:
        far = connect(addresses, asked.port, self.upstream)
        if far is None:
            _say(client, HTTPStatus.BAD_GATEWAY, f"{asked.host} cannot be reached")
            return
        with self._held(far):
            if asked.head is None:
                client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
                far.sendall(asked.early)
            else:
                far.sendall(asked.head)
            # what a client sends after a plain request would be a second request nobody has looked at
            relay(client, far, self.allowance, self.bounds.idle, upwards=asked.head is None)

    def _refuse(self, client: socket.socket, asked: Asked, reason: str) -> None:
        sentence = f"{asked.host}:{asked.port} was refused: {reason}"
        logger.warning("set-up: %s", sentence)
        with self._lock:
            if len(self.refused) < _REMEMBERED and sentence not in self.refused:
                self.refused.append(sentence)
        _say(client, HTTPStatus.FORBIDDEN, sentence)


@contextmanager
def serving(
    destinations: Destinations, upstream: Upstream | None = None, bounds: Bounds | None = None
) -> Iterator[Egress]:
    """Run the proxy for the time of the block; afterwards every connection of it is closed."""
    bounds = bounds or Bounds()
    with ExitStack() as stack:
        # nobody else of this machine passes the outer folder; the box is shown the inner one
        outer = Path(tempfile.mkdtemp(prefix="bendcoder-box-egress-"))
        stack.callback(remove_tree, outer)
        folder = outer / "socket"
        folder.mkdir(mode=0o755)
        folder.chmod(0o755)
        listener = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
        listener.bind(str(folder / NAME))
        os.chmod(folder / NAME, 0o666)  # noqa: PTH101, S103 - the box runs under an id of its own
        listener.listen(bounds.connections)
        egress = Egress(
            folder=folder,
            destinations=destinations,
            upstream=upstream,
            bounds=bounds,
            allowance=Allowance(left=bounds.total),
        )
        thread = threading.Thread(target=egress.accept, args=(listener,), daemon=True)
        thread.start()
        try:
            yield egress
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join(2 * _CLOSE_SECONDS)


def _read(client: socket.socket) -> Asked | Malformed:
    """The client's request, within its time."""
    reading = Reading()
    deadline = time.monotonic() + _HEAD_SECONDS
    while (left := deadline - time.monotonic()) > 0:
        client.settimeout(left)
        try:
            data = client.recv(_CHUNK)
        except TimeoutError:
            break
        found = reading.feed(data)
        if found is not None:
            return found
    return Malformed(status=HTTPStatus.REQUEST_TIMEOUT, reason="no whole request came")


def _say(client: socket.socket, status: HTTPStatus, reason: str) -> None:
    """A plain answer; the status line says it too, because that is all most programs show of a refused tunnel."""
    phrase = f"{status.phrase} ({''.join(c if 32 <= ord(c) < 127 else '?' for c in reason)})"
    body = f"bendcoder: {reason}\n".encode()
    head = f"HTTP/1.1 {status.value} {phrase}\r\nContent-Type: text/plain; charset=utf-8\r\n"
    client.sendall(f"{head}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode("latin-1") + body)
