"""What the proxy understands of what foreign code sends it: two shapes of request, and nothing by mistake."""

import re
from http import HTTPStatus

import h11
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.adapters.sandbox.egress.requests import HEAD_LIMIT, Asked, Malformed, Reading


def read(data: bytes) -> Asked | Malformed | None:
    return Reading().feed(data)


def connect(target: str, rest: str = "") -> Asked | Malformed | None:
    return read(f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n{rest}\r\n".encode("latin-1"))


def test_a_tunnel_with_what_was_said_too_early() -> None:
    asked = read(b"CONNECT Files.Example:443 HTTP/1.1\r\nHost: elsewhere:1\r\n\r\n\x16\x03\x01")
    assert asked == Asked(host="files.example", port=443, head=None, early=b"\x16\x03\x01")
    assert connect("[2606:4700::1111]:443") == Asked(host="2606:4700::1111", port=443, head=None)


@pytest.mark.parametrize(
    "target",
    [
        *(
            "example.com",
            ":443",
            "example.com:",
            "example.com:0",
            "example.com:65536",
            "example.com:0x50",
            "example.com:+80",
        ),
        *("user@example.com:443", "127.0.0.1:80@example.com:443", "http://example.com:443", "example.com:80/", "/x:80"),
        *(
            "[::1%25lo]:80",
            "[fe80::1%eth0]:80",
            "a..b\\c:80",
            "example.com#:80",
            "exa%6dple.com:80",
            "[::1:80",
            "::1:80",
        ),
    ],
)
def test_a_tunnel_to_anything_that_is_not_plainly_a_host_and_a_port_is_refused(target: str) -> None:
    assert connect(target) == Malformed(status=HTTPStatus.BAD_REQUEST, reason="CONNECT needs host:port")


def test_a_plain_fetch_is_written_anew() -> None:
    asked = read(
        b"GET http://Files.example:8080/a?b=c#d HTTP/1.1\r\nHost: 169.254.169.254\r\nUser-Agent: pip\r\n"
        b"Proxy-Authorization: Basic x\r\nConnection: keep-alive\r\nProxy-Connection: keep-alive\r\n\r\n"
    )
    assert isinstance(asked, Asked)
    assert (asked.host, asked.port) == ("files.example", 8080)
    assert asked.head is not None
    lines = asked.head.split(b"\r\n")
    assert lines[0] == b"GET /a?b=c HTTP/1.1"
    assert sorted(line.lower() for line in lines[1:] if line) == [
        *(b"connection: close", b"host: files.example:8080", b"user-agent: pip")
    ]


@pytest.mark.parametrize(
    ("target", "path"), [("http://x.example", b"/"), ("HTTP://x.example?q", b"/?q"), ("http://x.example/#f", b"/")]
)
def test_odd_but_honest_addresses(target: str, path: bytes) -> None:
    asked = read(f"HEAD {target} HTTP/1.0\r\n\r\n".encode())
    assert isinstance(asked, Asked)
    assert (asked.host, asked.port) == ("x.example", 80)
    assert (asked.head or b"").startswith(b"HEAD " + path + b" HTTP/1.1\r\n")


@pytest.mark.parametrize(
    "target",
    [
        *("/relative", "*", "//127.0.0.1/", "https://example.com/", "ftp://example.com/", "http:/example.com/"),
        *("http://good.example@127.0.0.1/", "http://127.0.0.1:80@good.example/", "http://good.example\\@127.0.0.1/"),
        *("http://", "http:///x", "http://:80/", "http://x.example:/", "http://x.example:80:80/", "http://[::1%25lo]/"),
        *("http://x.example:99999/", "http://ex%61mple.com/", "http://http://127.0.0.1/"),
    ],
)
def test_a_fetch_of_anything_else_is_refused(target: str) -> None:
    assert isinstance(read(f"GET {target} HTTP/1.1\r\nHost: x\r\n\r\n".encode()), Malformed)


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "TRACE", "get"])
def test_other_methods_are_not_served(method: str) -> None:
    found = read(f"{method} http://x.example/ HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    assert isinstance(found, Malformed)
    assert found.status is HTTPStatus.METHOD_NOT_ALLOWED


def test_bodies_are_not_passed_on() -> None:
    for header in ("Content-Length: 5", "Transfer-Encoding: chunked"):
        assert isinstance(read(f"GET http://x.example/ HTTP/1.1\r\nHost: x\r\n{header}\r\n\r\n".encode()), Malformed)
        assert isinstance(connect("x.example:443", f"{header}\r\n"), Malformed)
    assert isinstance(read(b"GET http://x.example/ HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"), Asked)


def test_a_head_without_end_is_refused() -> None:
    reading, found = Reading(), None
    for _ in range(HEAD_LIMIT // 1000 + 2):
        found = reading.feed(b"x" * 1000)
        if found:
            break
    assert isinstance(found, Malformed)


def test_bytes_may_come_one_by_one() -> None:
    reading = Reading()
    found = [reading.feed(bytes([byte])) for byte in b"CONNECT a.example:443 HTTP/1.1\r\nHost: a\r\n\r\n"]
    assert found[-1] == Asked(host="a.example", port=443, head=None)
    assert set(found[:-1]) == {None}


def test_a_client_that_leaves() -> None:
    assert isinstance(read(b""), Malformed)


PIECES = st.sampled_from(
    [
        *(
            b"CONNECT ",
            b"GET ",
            b"HEAD ",
            b"POST ",
            b"http://",
            b"HTTP://",
            b"a.example",
            b"127.0.0.1",
            b"[::1]",
            b":80",
            b":443",
        ),
        *(
            b"@",
            b"/",
            b"\\",
            b"?",
            b"#",
            b" ",
            b"\r\n",
            b"\n",
            b"\r",
            b"\0",
            b"\t",
            b" HTTP/1.1\r\n",
            b"Host: x\r\n",
            b"\r\n\r\n",
        ),
        *(
            b"Content-Length: 3\r\n",
            b"Transfer-Encoding: chunked\r\n",
            b"Connection: x\r\n",
            b"X: \xff\r\n",
            b"%00",
            b"abc",
        ),
    ]
)


@given(st.lists(PIECES | st.binary(max_size=4), max_size=12).map(b"".join), st.integers(1, 20))
def test_whatever_is_sent_is_answered_or_names_one_plain_destination(data: bytes, size: int) -> None:
    reading = Reading()
    found = None
    for start in range(0, len(data), size):
        found = reading.feed(data[start : start + size])
        if found is not None:
            break
    found = found or reading.feed(b"")
    if isinstance(found, Asked):
        assert re.fullmatch(r"[a-z0-9._-]+|[0-9a-f:.]+", found.host)
        assert 0 < found.port < 65536
        if found.head is not None:
            # what goes to the far side is exactly one request, and for that host
            server = h11.Connection(h11.SERVER)
            server.receive_data(found.head)
            request = server.next_event()
            assert isinstance(request, h11.Request)
            assert found.host in dict(iter(request.headers))[b"host"].decode().lower()
            assert isinstance(server.next_event(), h11.EndOfMessage)
            assert server.trailing_data[0] == b""
    else:
        assert isinstance(found, Malformed)
