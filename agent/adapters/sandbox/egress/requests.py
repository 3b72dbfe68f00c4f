"""Reads what a client asks the proxy for, through h11; no IO. The bytes come from foreign code.

Only two shapes are understood: `CONNECT host:port`, and GET or HEAD of an absolute `http://` address without a body.
"""

import re
from dataclasses import dataclass
from http import HTTPStatus

import h11

HEAD_LIMIT = 64 * 1024
"""Bytes a request's head may have."""

_HOST = re.compile(r"[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\]")
_PORT = re.compile(r"[0-9]{1,5}")
_NOT_PASSED_ON = frozenset(
    {
        *(b"connection", b"keep-alive", b"proxy-connection", b"proxy-authorization", b"proxy-authenticate", b"te"),
        *(b"trailer", b"transfer-encoding", b"content-length", b"upgrade", b"expect", b"host", b"http2-settings"),
    }
)
"""What a header of this connection alone is, and what we say ourselves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A destination; `head` is the request to send there, None for a tunnel, whose first bytes are `early`."""

    host: str
    port: int
    head: bytes | None
    early: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class Malformed:
    """Nothing we serve; answered with this status."""

    status: HTTPStatus
    reason: str


class Reading:
    """One connection's request, fed as it comes."""

    def __init__(self) -> None:
        self._connection = h11.Connection(h11.SERVER, max_incomplete_event_size=HEAD_LIMIT)

    def feed(self, data: bytes) -> Asked | Malformed | None:
        """Take bytes (empty: the client has closed); None while the head is not complete."""
        try:
            self._connection.receive_data(data)
            event = self._connection.next_event()
        except h11.RemoteProtocolError as error:
            return Malformed(status=HTTPStatus(error.error_status_hint), reason=str(error)[:200])
        if event is h11.NEED_DATA:
            return None
        if not isinstance(event, h11.Request):
            return Malformed(status=HTTPStatus.BAD_REQUEST, reason="no request")
        if event.method == b"CONNECT":
            return _tunnel(event, self._connection.trailing_data[0])
        return _fetch(event)


def _tunnel(request: h11.Request, early: bytes) -> Asked | Malformed:
    if _has_body(request):
        return Malformed(status=HTTPStatus.BAD_REQUEST, reason="CONNECT with a body")
    host, colon, port = request.target.decode("latin-1").rpartition(":")
    number = _number(port)
    if not colon or number is None or not _HOST.fullmatch(host):
        return Malformed(status=HTTPStatus.BAD_REQUEST, reason="CONNECT needs host:port")
    return Asked(host=_bare(host), port=number, head=None, early=early)


def _fetch(request: h11.Request) -> Asked | Malformed:
    if request.method not in (b"GET", b"HEAD"):
        return Malformed(status=HTTPStatus.METHOD_NOT_ALLOWED, reason="only CONNECT, GET and HEAD are served")
    if _has_body(request):
        return Malformed(status=HTTPStatus.BAD_REQUEST, reason="a body is not passed on")
    target = request.target.decode("latin-1")
    scheme, slashes, rest = target.partition("://")
    # the authority is cut off by hand, at the first of these: parsers differ in what they forgive in there
    authority = re.split(r"[/?#]", rest, maxsplit=1)[0]
    name, port = _split(authority)
    number = 80 if port is None else _number(port)
    if scheme.lower() != "http" or not slashes or number is None or not _HOST.fullmatch(name):
        return Malformed(status=HTTPStatus.BAD_REQUEST, reason="only absolute http:// addresses are served")
    rest = rest[len(authority) :].partition("#")[0]
    path = rest if rest.startswith("/") else f"/{rest}"
    headers = [(key, value) for key, value in request.headers if key not in _NOT_PASSED_ON]
    head = h11.Connection(h11.CLIENT).send(
        h11.Request(
            method=request.method,
            target=path.encode("latin-1"),
            headers=[(b"host", authority.encode("latin-1")), *headers, (b"connection", b"close")],
        )
    )
    return Asked(host=_bare(name), port=number, head=head)


def _split(authority: str) -> tuple[str, str | None]:
    """Name and port; the colons of a bracketed address are its own."""
    if authority.endswith("]") or ":" not in authority:
        return authority, None
    name, _, port = authority.rpartition(":")
    return name, port


def _has_body(request: h11.Request) -> bool:
    found = dict(iter(request.headers))
    return b"transfer-encoding" in found or found.get(b"content-length", b"0") != b"0"


def _number(port: str) -> int | None:
    return int(port) if _PORT.fullmatch(port) and 0 < int(port) < 65536 else None


def _bare(host: str) -> str:
    return host.strip("[]").lower()
