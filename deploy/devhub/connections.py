"""Lets the application hang up on a client in the middle of a request, as a broken network would.

ASGI has no word for it, so the HTTP protocol class keeps its transports where the application can find them.
"""

import asyncio
import socket
import struct
from collections.abc import MutableMapping
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

_OPEN: dict[tuple[str, int], asyncio.Transport] = {}
_RESET_ON_CLOSE = struct.pack("ii", 1, 0)


class TrackedProtocol(H11Protocol):
    """uvicorn's h11 protocol that remembers its connections by the client's address."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Note the connection."""
        super().connection_made(transport)
        if self.client is not None:
            _OPEN[self.client] = transport

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget it."""
        if self.client is not None:
            _OPEN.pop(self.client, None)
        super().connection_lost(exc)


def hang_up(scope: MutableMapping[str, Any]) -> None:
    """Reset the connection of a request; what is sent afterwards reaches nobody."""
    client = scope.get("client")
    transport = _OPEN.get(tuple(client)) if client else None
    if transport is None:
        return
    raw: socket.socket | None = transport.get_extra_info("socket")
    if raw is not None:
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
    transport.abort()
