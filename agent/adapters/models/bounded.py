"""The transport under the System One SDK: proxy, certificates, size and deadline of a reply; must not read a body.

The SDK brings an HTTP library of its own, so what `http` does for the other clients is done here once more, by the
same rules.
"""

from collections.abc import Callable

import httpx2

from agent.adapters.models.http import read_all
from agent.adapters.models.reach import Reach

_REQUEST_ID = "x-typesafe-request-id"


class BoundedTransport(httpx2.BaseTransport):
    """Reads each reply whole, within the seconds of `begin`; UnreachedError for one that is too large or too slow."""

    def __init__(self, url: str, reach: Reach, clock: Callable[[], float]) -> None:
        self._inner = httpx2.HTTPTransport(verify=reach.trust(url), proxy=reach.proxy_for(url), trust_env=False)
        self._clock, self._end = clock, 0.0
        self.request_id = ""

    def begin(self, seconds: float) -> None:
        """Set the time limit of the next reply."""
        self._end, self.request_id = self._clock() + seconds, ""

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send one request and read its reply."""
        request.headers["Accept-Encoding"] = "identity"
        response = self._inner.handle_request(request)
        stream = response.stream
        if not isinstance(stream, httpx2.SyncByteStream):
            raise TypeError("the reply cannot be read piece by piece")
        try:
            body = read_all(response.headers, stream, lambda: self._clock() > self._end)
        finally:
            response.close()
        identifier = response.headers.get(_REQUEST_ID, "")
        self.request_id = identifier if identifier.isprintable() and len(identifier) <= 200 else ""
        return httpx2.Response(response.status_code, headers=response.headers, content=body, request=request)

    def close(self) -> None:
        """Close the pool."""
        self._inner.close()
