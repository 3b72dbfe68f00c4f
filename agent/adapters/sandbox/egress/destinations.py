"""Where set-up may connect to: public addresses on the web's ports. Decides; opens no connection.

An address is looked up once, all of them are checked, and the checked ones are what is connected to: a name that
changes its mind between two look-ups gains nothing.
"""

import ipaddress
import socket
from base64 import b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from agent.errors import SandboxError

Resolver = Callable[[str, int], Sequence[str]]
"""Addresses of a host name as text; OSError when there are none."""

WEB_PORTS = (80, 443)

_PUBLIC_SIX = ipaddress.IPv6Network("2000::/3")
_TRANSLATED = ipaddress.IPv6Network("64:ff9b::/96")
"""Where an IPv6-only network shows IPv4 hosts (RFC 6052): as good as the address in its last four bytes."""
_NOT_PUBLIC = (
    ipaddress.IPv4Network("192.88.99.0/24"),  # relays of 6to4, deprecated (RFC 7526)
    ipaddress.IPv6Network("2001::/23"),  # protocol assignments, Teredo and ORCHID among them
    ipaddress.IPv6Network("2002::/16"),  # 6to4: any IPv4 address in disguise
    ipaddress.IPv6Network("3fff::/20"),  # documentation (RFC 9637), which older Pythons do not know
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why something is not connected to, in words for whoever wrote the set-up command."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Upstream:
    """The proxy this machine itself has to use; it is asked for tunnels to checked addresses, never for names."""

    host: str
    port: int
    authorization: str = field(default="", repr=False)
    """Value of `Proxy-Authorization`, empty without a user."""


def upstream_of(address: str) -> Upstream | None:
    """The proxy of an `http://[user:password@]host[:port]` address, None when empty.

    SandboxError, which does not repeat the address, for anything else.
    """
    if not address:
        return None
    try:
        parts = urlsplit(address if "://" in address else f"http://{address}")
        host, port = parts.hostname, parts.port or 80
    except ValueError:
        host, port, parts = None, 0, urlsplit("")
    if parts.scheme != "http" or not host:
        raise SandboxError(
            "set-up can only go through a proxy named as http://HOST:PORT; HTTPS_PROXY is something else"
        )
    if parts.username is None:
        return Upstream(host=host, port=port)
    secret = f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()
    return Upstream(host=host, port=port, authorization=f"Basic {b64encode(secret).decode()}")


def system_resolver(host: str, port: int) -> Sequence[str]:
    """The machine's own resolver."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


@dataclass(frozen=True, slots=True, kw_only=True)
class Destinations:
    """The rule: `also` names (host as asked for, port) pairs that are let through unseen, for tests alone."""

    resolve: Resolver = system_resolver
    also: tuple[tuple[str, int], ...] = ()

    def addresses(self, host: str, port: int) -> tuple[str, ...] | Refusal:
        """The checked addresses to connect to, in the resolver's order."""
        exempt = (host, port) in self.also
        if not exempt and port not in WEB_PORTS:
            return Refusal(reason=f"port {port} is none of {', '.join(map(str, WEB_PORTS))}")
        try:
            found = tuple(self.resolve(host, port))
        except (OSError, UnicodeError):
            found = ()
        if not found:
            return Refusal(reason="its name cannot be resolved")
        bad = next((address for address in found if not exempt and not is_public(address)), None)
        # one bad address condemns the name: an honest one has no private address beside its public one
        return found if bad is None else Refusal(reason=f"it resolves to {bad[:60]}, which is not a public address")


def is_public(text: str) -> bool:
    """Whether an address belongs to the open internet: unicast, global, and no other address in disguise."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    if isinstance(address, ipaddress.IPv6Address):
        if address.scope_id:
            return False
        if address in _TRANSLATED:
            return is_public(str(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)))
        if address not in _PUBLIC_SIX:
            return False
    elif address.is_reserved:
        return False
    special = any(address in network for network in _NOT_PUBLIC if network.version == address.version)
    return address.is_global and not address.is_multicast and not special
