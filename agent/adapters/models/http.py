"""One bounded HTTP POST for every model client: proxy, certificates, deadline and size; must not retry or read a body.

Nothing of the surroundings is read here: proxies and certificates are values. Redirects are answered, not followed, so
a key never travels to an address nobody chose, and no error of this module holds a header.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import httpx

from agent.adapters.models.reach import Reach
from agent.adapters.models.sendable import plain
from agent.errors import ModelError

MAX_REPLY = 8 * 1024**2
"""Bytes of a reply: the longest answer any model in use can write is under 1 MB."""
CONNECT_SECONDS = 10.0
_LEAST_SECONDS = 0.05


class UnreachedError(Exception):
    """No whole reply came: `reason` says why, in words without headers, bodies or addresses."""

    def __init__(self, reason: str, *, again: bool = True) -> None:
        super().__init__(reason, again)
        self.reason, self.again = reason, again  # again: another try may end differently


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One HTTP reply, whatever its status."""

    status: int
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes = field(repr=False)

    @property
    def json_like(self) -> bool:
        """The server does not claim that the body is something other than JSON."""
        kind = self.headers.get("content-type", "").partition(";")[0].strip().lower()
        return kind in ("", "text/plain", "application/octet-stream") or "json" in kind


def checked_url(url: str, setting: str, path: str) -> str:
    """The address without its final slash and without `path`, which people copy along; ModelError when it is none."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or url != url.strip():
        raise ModelError(f"{setting} must be an http or https address")
    if parts.username or parts.password or parts.query:
        raise ModelError(f"{setting} must not hold a user name or a query: the key has a setting of its own")
    return url.rstrip("/").removesuffix(path).rstrip("/")


def checked_key(key: str, setting: str) -> str:
    """The key without surrounding blanks; ModelError, which does not show it, when no header can hold it."""
    key = key.strip()
    if not key.isascii() or not key.isprintable() or " " in key:
        raise ModelError(f"{setting} holds characters that a key cannot have: copy it again")
    return key


class Endpoint:
    """One address with its key; a pool of connections that lives as long as the object."""

    def __init__(self, *, url: str, key: str, reach: Reach, clock: Callable[[], float]) -> None:
        # identity: the cap on a reply's size then counts what would be read into memory
        headers = {"Accept": "application/json", "Accept-Encoding": "identity"}
        if key:
            headers["Authorization"] = f"Bearer {key}"
        self._clock = clock
        self._client = httpx.Client(
            base_url=url,
            headers=headers,
            proxy=reach.proxy_for(url),
            verify=reach.trust(url),
            trust_env=False,
            follow_redirects=False,
        )

    def __repr__(self) -> str:
        """The address alone."""
        return f"Endpoint({str(self._client.base_url)!r})"

    def close(self) -> None:
        """Close the pool."""
        self._client.close()

    def post(self, path: str, body: Mapping[str, object], seconds: float) -> Reply:
        """Send JSON, read the whole reply within `seconds`; UnreachedError when there is none, or too much of it."""
        end = self._clock() + seconds
        limit = max(_LEAST_SECONDS, seconds)
        timeout = httpx.Timeout(limit, connect=min(CONNECT_SECONDS, limit))
        problem = ""
        try:
            with self._client.stream("POST", path, json=plain(body), timeout=timeout) as response:
                content = self._read(response, end)
                headers = {name.lower(): value for name, value in response.headers.items()}
                return Reply(status=response.status_code, headers=headers, body=content)
        except httpx.TimeoutException:
            problem = f"no reply within {seconds:.0f} s"
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
            problem = type(error).__name__
        raise UnreachedError(problem)  # outside: the original's request would come along, with the key in its headers

    def _read(self, response: httpx.Response, end: float) -> bytes:
        return read_all(response.headers, response.iter_raw(), lambda: self._clock() > end)


def read_all(headers: Mapping[str, str], chunks: Iterable[bytes], late: Callable[[], bool]) -> bytes:
    """A whole body within size and time; UnreachedError for one that is too large, too slow or compressed."""
    if headers.get("content-encoding", "identity").strip().lower() not in ("", "identity"):
        raise UnreachedError("the reply is compressed though plain bytes were asked for", again=False)
    read = bytearray()
    for chunk in chunks:
        read += chunk
        if len(read) > MAX_REPLY:
            raise UnreachedError(f"the reply is larger than {MAX_REPLY // 1024**2} MB", again=False)
        if late():
            raise UnreachedError("the reply did not end in time")
    return bytes(read)
