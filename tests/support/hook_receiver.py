"""A plain HTTP receiver that keeps the webhooks it is sent, and answers as a test wishes."""

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """One webhook as it came in; header names are lower case."""

    headers: Mapping[str, str]
    raw: bytes


@dataclass(slots=True, kw_only=True)
class Receiver:
    """What came in, and how the next ones are answered."""

    url: str = ""
    status: int = 202
    pause: float = 0.0
    """Seconds before it answers."""
    received: list[Received] = field(default_factory=list)

    def wait(self, count: int, seconds: float = 10.0) -> list[Received]:
        """The webhooks once there are at least `count`."""
        deadline = time.monotonic() + seconds
        while len(self.received) < count:
            assert time.monotonic() < deadline, f"{len(self.received)} webhooks of {count} came"
            time.sleep(0.01)
        return list(self.received)


@contextmanager
def running_receiver() -> Iterator[Receiver]:
    """A receiver on a free loopback port."""
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["content-length"]))
            receiver.received.append(Received(headers={k.lower(): v for k, v in self.headers.items()}, raw=raw))
            time.sleep(receiver.pause)
            self.send_response(receiver.status)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the base class
            """Stay silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    receiver.url = f"http://127.0.0.1:{server.server_address[1]}/hook"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()
        thread.join(timeout=5)
