"""One loopback port that speaks both wires as a script says; must not be reachable from another machine."""

import json
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from deploy.standin import wire
from deploy.standin.player import Player, tokens
from deploy.standin.script import Fault, Script

HOST = "127.0.0.1"
_POLL_SECONDS = 0.02
_LARGEST = 64 * 1024**2
CLASSIFY, GENERATE, MODELS, RECORD = "/v1/systemone", "/v1/chat/completions", "/v1/models", "/record"


@dataclass(frozen=True, slots=True, kw_only=True)
class Standin:
    """A running stand-in: the base address for Classify, and the one for Generate."""

    classify_url: str
    generate_url: str
    player: Player

    def record(self) -> dict[str, object]:
        """What it was asked so far."""
        return self.player.record()


@contextmanager
def standin(script: Script, port: int = 0) -> Iterator[Standin]:
    """Serve a script until the block ends; `port` 0 takes a free one."""
    player = Player(script)
    server = _Server((HOST, port), player)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": _POLL_SECONDS}, daemon=True)
    thread.start()
    url = f"http://{HOST}:{server.server_port}"
    try:
        yield Standin(classify_url=url, generate_url=f"{url}/v1", player=player)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False  # a client may keep its connection open for as long as it lives

    def __init__(self, address: tuple[str, int], player: Player) -> None:
        super().__init__(address, _Handler)
        self.player = player


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1  # head and body leave together
    server: _Server

    def do_GET(self) -> None:
        if self.path == MODELS:
            model = {"name": wire.MODEL, "description": "says what a script says", "release_date": "2026-11-30"}
            self._send(HTTPStatus.OK, {"models": [model], "object": "list", "data": [{"id": wire.MODEL}]})
        elif self.path == RECORD:
            self._send(HTTPStatus.OK, self.server.player.record())
        else:
            self._refuse()

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > _LARGEST:
            self.close_connection = True
            self._send(HTTPStatus.BAD_REQUEST, {"detail": "a Content-Length of at most 64 MB is needed"})
            return
        body = self.rfile.read(int(length))
        try:
            if self.path == CLASSIFY:
                self._classify(body)
            elif self.path == GENERATE:
                self._generate(body)
            else:
                self._refuse()
        except wire.BadRequestError as problem:
            self._send(HTTPStatus.UNPROCESSABLE_ENTITY, {"detail": problem.args[0]})

    def _classify(self, body: bytes) -> None:
        asked = wire.read_asked(body)
        answered, fault = self.server.player.classify(asked.state, asked.plain(), len(body))
        if self._failed(fault):
            return
        self._send(HTTPStatus.OK, wire.answers(answered.answers, asked.model, -(-len(body) // 4)))

    def _generate(self, body: bytes) -> None:
        wanted = wire.read_wanted(body)
        messages = [(message.role, message.content) for message in wanted.messages]
        texts, finish, fault = self.server.player.generate(messages, wanted.n)
        if self._failed(fault):
            return
        read = sum(tokens(text) for _, text in messages)
        self._send(HTTPStatus.OK, wire.completion(texts, finish, read))

    def _failed(self, fault: Fault | None) -> bool:
        """Wait as long as a fault says, and send what it sends; whether that was all there is to send."""
        if fault is None:
            return False
        time.sleep(fault.delay)
        if not fault.fails:
            return False
        status, content, headers = wire.faulty(fault)
        self._write(status, content, headers)
        return True

    def _refuse(self) -> None:
        self._send(HTTPStatus.NOT_FOUND, {"detail": f"there is nothing at {self.path[:200]}"})

    def _send(self, status: int, document: Mapping[str, object]) -> None:
        self._write(status, json.dumps(document).encode(), {})

    def _write(self, status: int, content: bytes, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 - the base class names it so
        """Say nothing: what was asked is in the record."""
