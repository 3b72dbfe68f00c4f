"""A local OpenAI-compatible endpoint with scripted replies, over real HTTP; stands in for somebody else's model."""

import json
import ssl
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One scripted HTTP answer."""

    status: int = 200
    body: bytes = b"{}"
    headers: tuple[tuple[str, str], ...] = ()


def text_reply(*texts: str, finish: str = "stop", tokens_in: int = 100, tokens_out: int = 10) -> Reply:
    """A well-formed completion with one choice per text."""
    choices = [
        {"index": i, "message": {"role": "assistant", "content": t}, "finish_reason": finish}
        for i, t in enumerate(texts)
    ]
    usage = {"prompt_tokens": tokens_in, "completion_tokens": tokens_out, "total_tokens": tokens_in + tokens_out}
    return Reply(body=json.dumps({"model": "scripted", "choices": choices, "usage": usage}).encode())


@dataclass(slots=True)
class ChatServer:
    """Where the stand-in listens and what it was asked."""

    url: str = ""
    requests: list[dict[str, object]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)


@contextmanager
def chat_server(
    replies: Sequence[Reply] | Callable[[dict[str, object]], Reply], tls: ssl.SSLContext | None = None
) -> Iterator[ChatServer]:
    """Answer each request with the next reply, the last one again and again, or with what a function makes of it."""
    seen = ChatServer()
    queue = [] if callable(replies) else list(replies)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            asked = json.loads(body)
            seen.requests.append(asked)
            seen.keys.append(self.headers.get("Authorization", ""))
            seen.paths.append(self.path)
            reply = replies(asked) if callable(replies) else queue.pop(0) if len(queue) > 1 else queue[0]
            self.send_response(reply.status)
            for name, value in reply.headers:
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(reply.body)))
            self.end_headers()
            self.wfile.write(reply.body)

        def log_message(self, *_: object) -> None:
            """Keep the test output quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    seen.url = f"http{'s' if tls else ''}://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield seen
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
