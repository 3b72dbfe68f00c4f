"""Git's smart HTTP protocol on a loopback port, through git's own http-backend, behind one password."""

import os
import subprocess
import threading
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit


@dataclass
class GitServer:
    """What a test sees: the address, the token that is accepted now, and the requests that came."""

    root: Path
    token: str
    port: int = 0
    requests: list[tuple[str, str]] = field(default_factory=list)
    """Path and authorisation header of each request."""

    def url(self, name: str) -> str:
        return f"http://127.0.0.1:{self.port}/{name}"


@contextmanager
def serving(root: Path, token: str) -> Iterator[GitServer]:
    """Serve the bare repositories below `root`."""
    state = GitServer(root=root, token=token)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.0"

        def _answer(self) -> None:
            given = self.headers.get("Authorization", "")
            state.requests.append((self.path, given))
            if given != "Basic " + b64encode(f"x-access-token:{state.token}".encode()).decode():
                self.send_response(401)
                self.send_header("WWW-Authenticate", 'Basic realm="git"')
                self.end_headers()
                return
            body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
            head, _, content = self._backend(body).partition(b"\r\n\r\n")
            headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
            self.send_response(int(headers.pop("Status", "200").split()[0]))
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def _backend(self, body: bytes) -> bytes:
            url = urlsplit(self.path)
            variables = {
                "PATH": os.environ["PATH"],
                "GIT_PROJECT_ROOT": str(state.root),
                "GIT_HTTP_EXPORT_ALL": "1",
                "GIT_CONFIG_COUNT": "1",
                "GIT_CONFIG_KEY_0": "http.receivepack",
                "GIT_CONFIG_VALUE_0": "true",
                "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
                "PATH_INFO": url.path,
                "QUERY_STRING": url.query,
                "REQUEST_METHOD": self.command,
                "CONTENT_TYPE": self.headers.get("Content-Type", ""),
                "CONTENT_LENGTH": str(len(body)),
                "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            }
            done = subprocess.run(["git", "http-backend"], env=variables, input=body, capture_output=True, check=True)
            return done.stdout

        do_GET = do_POST = _answer  # noqa: N815 - the base class looks these names up

        def log_message(self, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
