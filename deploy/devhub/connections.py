"""Lets the application hang up on a client in the middle of a request, as a broken network would.

ASGI has no word for it, so the HTTP protocol class keeps its transports where the application can find them.
"""

import asyncio
import socket
import struct
from collections.abc import MutableMapping
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

_OPEN: dict[tuple[object, ...], asyncio.Transport] = {}
"""Transports by client and server address together: one client port may speak to several servers."""
_RESET_ON_CLOSE = struct.pack("ii", 1, 0)


class TrackedProtocol(H11Protocol):
    """uvicorn's h11 protocol that remembers its connections by their addresses."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Note the connection."""
        super().connection_made(transport)
        _OPEN[self.client, self.server] = transport

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget it."""
        _OPEN.pop((self.client, self.server), None)
        super().connection_lost(exc)


def hang_up(scope: MutableMapping[str, Any]) -> None:
    """Reset the connection of a request; what is sent afterwards reaches nobody."""
    transport = _OPEN.get((scope["client"], scope["server"]))
    if transport is None:
        return
    raw: socket.socket | None = transport.get_extra_info("socket")
    if raw is not None:
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
    transport.abort()
