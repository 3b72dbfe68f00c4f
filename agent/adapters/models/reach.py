"""How an endpoint is reached, as values: proxies, hosts without one, certificates; must not read the surroundings."""

import ssl
from dataclasses import dataclass, field
from functools import lru_cache
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from agent.errors import ModelError


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """How an endpoint is reached. Proxy addresses may hold a password and stay out of `repr`."""

    https_proxy: str = field(default="", repr=False)
    http_proxy: str = field(default="", repr=False)
    no_proxy: str = ""
    """Hosts that need none, separated by commas: names cover their subdomains, `*` is everything."""
    ca_file: str = ""
    """Certificates in PEM form to trust instead of the usual ones."""

    def proxy_for(self, url: str) -> str | None:
        """The proxy of an address; None for one that is reached directly, this machine's own always among them."""
        parts = urlsplit(url)
        host = (parts.hostname or "").lower()
        proxy = self.https_proxy if parts.scheme == "https" else self.http_proxy
        return (
            None if not proxy or _local(host) or any(_covers(one, host) for one in self.no_proxy.split(",")) else proxy
        )

    def trust(self, url: str) -> ssl.SSLContext:
        """Which certificates an address is held against; ModelError when the file of them cannot be used."""
        if urlsplit(url).scheme == "http":
            return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # trusts nobody: reading the usual ones takes a while
        if not self.ca_file:
            return _usual()
        if not Path(self.ca_file).is_file():
            raise ModelError(f"the certificates {self.ca_file!r} are not a file: check SSL_CERT_FILE")
        try:
            return ssl.create_default_context(cafile=self.ca_file)
        except (OSError, ssl.SSLError):
            raise ModelError(f"{self.ca_file!r} holds no certificates in PEM form: check SSL_CERT_FILE") from None


@lru_cache(maxsize=1)
def _usual() -> ssl.SSLContext:
    """The usual certificates, read once per process."""
    import httpx  # costs a tenth of a second, and a run without served models needs none of it

    return httpx.create_ssl_context(trust_env=False)


def _local(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _covers(entry: str, host: str) -> bool:
    name = entry.strip().lower()
    bare = name.lstrip(".").partition(":")[0] if name.count(":") <= 1 else name.strip("[]")
    return name == "*" or (bool(bare) and (host == bare or host.endswith(f".{bare}")))
