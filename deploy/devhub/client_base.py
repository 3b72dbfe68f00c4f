"""The connection of a client to the stand-in, and what is not done by people: watching it, breaking it, its clock."""

import ssl
import time
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Self

import httpx

from deploy.devhub.problems import Json
from deploy.devhub.seen import SeenCall, SeenDelivery, as_list


class DevhubRefused(Exception):
    """The stand-in refused a control request; `args` are status and body."""


class Connection:
    """Speaks to one stand-in; close it, or use it as a context manager."""

    def __init__(self, url: str, timeout: float = 30.0) -> None:
        self.url = url.rstrip("/")
        no_tls = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # trusts nobody, and spares loading the machine's authorities
        self._http = httpx.Client(base_url=f"{self.url}/_sim", trust_env=False, timeout=timeout, verify=no_tls)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def call(
        self, method: str, path: str, body: Mapping[str, object] | None = None, query: Mapping[str, str] | None = None
    ) -> object:
        """One control request; DevhubRefused when it is not answered with success."""
        answer = self._http.request(method, path, json=body, params=dict(query or {}))
        if not answer.is_success:
            raise DevhubRefused(answer.status_code, answer.text)
        result: object = answer.json()
        return result

    def calls(self, *, path: str = "", repository: str = "", method: str = "", token: str = "") -> list[SeenCall]:
        """REST and git requests so far, narrowed by part of the path, owner/name, method or token."""
        query = {"path": path, "repository": repository, "method": method, "token": token}
        return [SeenCall.read(one) for one in as_list(self.call("GET", "/calls", query=query))]

    def clear_calls(self) -> None:
        """Forget the requests so far."""
        self.call("DELETE", "/calls")

    def deliveries(self, event: str | None = None) -> list[SeenDelivery]:
        """Webhook deliveries, oldest first."""
        query = {} if event is None else {"event": event}
        return [SeenDelivery.read(one) for one in as_list(self.call("GET", "/deliveries", query=query))]

    def redeliver(self, delivery_id: int) -> None:
        """Send a delivery again with its GUID."""
        self.call("POST", f"/deliveries/{delivery_id}/redeliver")

    def hold_webhooks(self) -> None:
        """Keep webhooks back until `release_webhooks`."""
        self.call("POST", "/webhooks/hold")

    def release_webhooks(self, *, reverse: bool = False, copies: int = 1) -> None:
        """Send what was kept back, last first when `reverse`, each `copies` times."""
        self.call("POST", "/webhooks/release", {"reverse": reverse, "copies": copies})

    def fault(
        self,
        path: str,
        *,
        method: str = "*",
        preset: str | None = None,
        nth: int = 1,
        times: int | None = 1,
        **answer: object,
    ) -> None:
        """Misbehave on matching requests, from the `nth` on, `times` times (None: for good).

        `preset` is a name of `faults.PRESETS`; `answer` may set status, body, headers, delay, body_delay, reset.
        """
        body: Json = {"path": path, "method": method, "nth": nth, "times": times} | dict(answer)
        self.call("POST", "/faults", body | ({} if preset is None else {"preset": preset}))

    def clear_faults(self) -> None:
        """Behave again."""
        self.call("DELETE", "/faults")

    def clock(self, **changes: float) -> None:
        """`advance` the clock by seconds, or set `token_lag` (s) or `creations_per_minute`."""
        self.call("POST", "/clock", dict(changes))

    def wait(self, condition: Callable[[], bool], seconds: float = 10.0, what: str = "the condition") -> None:
        """Look until it holds; TimeoutError otherwise."""
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                raise TimeoutError(f"{what} did not come true within {seconds} s")
            time.sleep(0.02)

    def settled(self) -> bool:
        """Whether every webhook got its answer."""
        return all(one.status != "pending" for one in self.deliveries())
