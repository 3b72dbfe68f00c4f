"""Connects to a checked address and carries bytes both ways, within an allowance. Never resolves a name twice."""

import selectors
import socket
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import h11

from agent.adapters.sandbox.egress.destinations import Upstream

_CONNECT_SECONDS = 20.0
_CHUNK = 65536


@dataclass(slots=True)
class Allowance:
    """Bytes one set-up may still move, both ways together."""

    left: int
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, count: int) -> bool:
        """False when there are not that many left."""
        with self._lock:
            self.left -= count
            return self.left >= 0


def connect(addresses: Sequence[str], port: int, upstream: Upstream | None) -> socket.socket | None:
    """A connection to the first address that answers, directly or by a tunnel of the upstream proxy; None: none did."""
    for address in addresses:
        try:
            if upstream is None:
                return socket.create_connection((address, port), _CONNECT_SECONDS)
            through = _through(upstream, address, port)
        except OSError:
            continue
        if through is not None:
            return through
    return None


def _through(upstream: Upstream, address: str, port: int) -> socket.socket | None:
    """A tunnel to the address; None when the proxy refuses it."""
    authority = (f"[{address}]" if ":" in address else address) + f":{port}"
    headers = [("host", authority)]
    if upstream.authorization:
        headers.append(("proxy-authorization", upstream.authorization))
    link = socket.create_connection((upstream.host, upstream.port), _CONNECT_SECONDS)
    opened = False
    try:
        protocol = h11.Connection(h11.CLIENT)
        link.sendall(protocol.send(h11.Request(method="CONNECT", target=authority, headers=headers)) or b"")
        link.sendall(protocol.send(h11.EndOfMessage()) or b"")
        opened = _accepted(link, protocol)
    finally:
        if not opened:
            link.close()
    return link if opened else None


def _accepted(link: socket.socket, protocol: h11.Connection) -> bool:
    """Whether the proxy opened the tunnel; the server speaks second on both ports, so nothing follows its answer."""
    with suppress(h11.RemoteProtocolError):
        while True:
            event = protocol.next_event()
            if event is h11.NEED_DATA:
                protocol.receive_data(link.recv(_CHUNK))
            elif isinstance(event, h11.Response):
                return 200 <= event.status_code < 300
            elif not isinstance(event, h11.InformationalResponse):
                return False
    return False


def relay(near: socket.socket, far: socket.socket, allowance: Allowance, idle: float, *, upwards: bool) -> None:
    """Carry bytes until the far side has closed, nobody says anything for `idle` seconds, or the allowance is gone.

    Without `upwards`, what the near side says is thrown away. OSError when an end breaks off.
    """
    other = {near: far, far: near}
    for end in other:
        end.settimeout(idle)
    with selectors.DefaultSelector() as waiting:
        for end in other:
            waiting.register(end, selectors.EVENT_READ)
        while ready := waiting.select(idle):
            for source in (end for end in other if any(key.fileobj is end for key, _ in ready)):
                data = source.recv(_CHUNK)
                if not allowance.take(len(data)) or (not data and source is far):
                    return
                if not data:
                    waiting.unregister(near)
                    _finish(far, upwards)
                elif source is far or upwards:
                    other[source].sendall(data)


def _finish(far: socket.socket, upwards: bool) -> None:
    """Tell the far side that the client has said all it will; a plain request had said so itself."""
    if upwards:
        far.shutdown(socket.SHUT_WR)
