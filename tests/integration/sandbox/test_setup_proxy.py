"""The proxy by itself, spoken to over its socket: bounds, endings, and answers a person can read."""

import logging
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing

import pytest

from agent.adapters.sandbox.egress import Bounds, Destinations, Egress, serving
from agent.adapters.sandbox.egress.server import NAME
from tests.support.web import Web, web


@pytest.fixture
def server() -> Iterator[Web]:
    with web() as running:
        yield running


def destinations(*hosts: tuple[str, int]) -> Destinations:
    return Destinations(resolve=lambda name, port: ["127.0.0.1"], also=hosts)


def dial(egress: Egress) -> socket.socket:
    link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    link.settimeout(10)
    link.connect(str(egress.folder / NAME))
    return link


def ask(egress: Egress, words: bytes) -> bytes:
    with dial(egress) as link:
        link.sendall(words)
        return b"".join(iter(lambda: link.recv(65536), b""))


def test_an_answer_says_why(server: Web, caplog: pytest.LogCaptureFixture) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        closed = free.getsockname()[1]
    with serving(destinations(("gone.example", closed))) as egress, caplog.at_level(logging.WARNING):
        refused = ask(egress, b"CONNECT inside.example:443 HTTP/1.1\r\nHost: x\r\n\r\n")
        assert refused.startswith(b"HTTP/1.1 403 Forbidden (inside.example:443 was refused: it resolves to 127.0.0.1")
        assert refused.endswith(b"which is not a public address\n")
        assert ask(egress, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").startswith(b"HTTP/1.1 400 ")
        assert ask(egress, b"POST http://x/ HTTP/1.1\r\nHost: x\r\n\r\n").startswith(b"HTTP/1.1 405 ")
        assert ask(egress, b"\x16\x03\x01\x02\x00\r\n\r\n").startswith(b"HTTP/1.1 400 ")
        gone = ask(egress, b"CONNECT gone.example:%d HTTP/1.1\r\nHost: x\r\n\r\n" % closed)
        assert gone.startswith(b"HTTP/1.1 502 Bad Gateway (gone.example cannot be reached)")
    assert [record.getMessage() for record in caplog.records] == [
        "set-up: inside.example:443 was refused: it resolves to 127.0.0.1, which is not a public address"
    ]


def test_only_so_many_at_once(server: Web) -> None:
    with serving(destinations(), bounds=Bounds(connections=2)) as egress:
        first, second = dial(egress), dial(egress)
        with first, second, dial(egress) as third:
            assert third.recv(10) == b""
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            try:
                if ask(egress, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"):
                    return
            except OSError:
                time.sleep(0.02)  # the others' places are not free yet
        raise AssertionError("a place never became free")


def test_many_refusals_are_not_all_remembered() -> None:
    with serving(destinations()) as egress:
        for number in range(40):
            ask(egress, b"CONNECT h%d.example:443 HTTP/1.1\r\nHost: x\r\n\r\n" % number)
        ask(egress, b"CONNECT h0.example:443 HTTP/1.1\r\nHost: x\r\n\r\n")
        assert len(egress.refused) == 20
        assert len(set(egress.refused)) == 20


def test_a_tunnel_is_closed_with_the_proxy_and_after_silence(server: Web) -> None:
    words = b"CONNECT a.example:%d HTTP/1.1\r\nHost: x\r\n\r\n" % server.port
    before = threading.active_count()
    with serving(destinations(("a.example", server.port))) as egress:
        link = dial(egress)
        link.sendall(words)
        assert b"200" in link.recv(100)
    with closing(link):
        assert link.recv(10) == b""
    with serving(destinations(("a.example", server.port)), bounds=Bounds(idle=0.3)) as egress, dial(egress) as link:
        link.sendall(words)
        assert b"200" in link.recv(100)
        begin = time.monotonic()
        assert link.recv(10) == b""
        assert time.monotonic() - begin < 5
    assert not egress.folder.exists()
    deadline = time.monotonic() + 10
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.02)  # the test server's own threads
    assert threading.active_count() <= before
