"""A small web server and a forward proxy on loopback, which remember what they were asked."""

import select
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit


@dataclass
class Web:
    """A running server; `files` are served by path."""

    port: int = 0
    paths: list[str] = field(default_factory=list)
    hosts: list[str] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)


@contextmanager
def web() -> Iterator[Web]:
    """`/hello`, `/big` (a million bytes), `/redirect?to=URL`, and whatever is put into `files`."""
    state = Web(files={"/hello": b"hello from the server\n", "/big": b"x" * 1_000_000})

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            state.paths.append(self.path)
            state.hosts.append(self.headers.get("Host", ""))
            if parts.path == "/redirect":
                self.send_response(302)
                self.send_header("Location", parse_qs(parts.query)["to"][0])
                self.end_headers()
                return
            body = state.files.get(parts.path)
            self.send_response(404 if body is None else 200)
            self.send_header("Content-Type", "text/html" if parts.path.endswith("/") else "application/octet-stream")
            self.send_header("Content-Length", str(len(body or b"")))
            self.end_headers()
            try:
                self.wfile.write(body or b"")
            except OSError:
                return  # whoever asked has had enough

        def log_message(self, *_: object) -> None:
            """Quiet."""

    with _serving(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as port:
        state.port = port
        yield state


@dataclass
class Proxy:
    """A forward proxy; `asked` holds request lines without version, and the authorisation given."""

    port: int = 0
    asked: list[tuple[str, str]] = field(default_factory=list)


@contextmanager
def upstream_proxy() -> Iterator[Proxy]:
    """Makes tunnels to wherever it is asked."""
    state = Proxy()

    class Handler(BaseHTTPRequestHandler):
        def do_CONNECT(self) -> None:
            state.asked.append((f"CONNECT {self.path}", self.headers.get("Proxy-Authorization", "")))
            host, _, port = self.path.rpartition(":")
            with socket.create_connection((host.strip("[]"), int(port)), 5) as far:
                self.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
                _carry(self.connection, far)

        def log_message(self, *_: object) -> None:
            """Quiet."""

    with _serving(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as port:
        state.port = port
        yield state


def _carry(near: socket.socket, far: socket.socket) -> None:
    while True:
        for source in select.select([near, far], [], [], 10)[0] or [None]:
            data = source.recv(65536) if source else b""
            if not data:
                return
            (far if source is near else near).sendall(data)


@contextmanager
def _serving(server: ThreadingHTTPServer) -> Iterator[int]:
    with server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join(5)
