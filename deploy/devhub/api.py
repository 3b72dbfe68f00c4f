"""The REST pipeline: fault rules, routing, caller, handler, answer, call log; holds no endpoint of its own."""

import asyncio
import hashlib
import json
import re
import time
import uuid
from dataclasses import dataclass
from urllib.parse import unquote

from starlette.requests import Request as HttpRequest
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from deploy.devhub.auth import Caller, identify
from deploy.devhub.calls import Call, fingerprint
from deploy.devhub.connections import hang_up
from deploy.devhub.faults import Fault
from deploy.devhub.hub import Hub
from deploy.devhub.problems import Problem, not_found, refusal
from deploy.devhub.rest import ROUTES
from deploy.devhub.rest.service import check_version, rate
from deploy.devhub.routing import Reply, Request, find
from deploy.devhub.views.people import stamp
from deploy.devhub.webhooks import Deliveries

PREFIX = "/api/v3"
_BY_ID = re.compile(r"/repositories/(\d+)(?=/|$)")
MAX_BODY = 10 * 1024**2
CREATING = ("/comments", "/issues", "/pulls", "/check-runs", "/reactions")
"""Ends of paths whose POST counts as content-creating for the secondary limit."""


@dataclass(slots=True, kw_only=True)
class Served:
    """What became of one request, for the call log."""

    caller: Caller
    known: bool
    status: int


class Api:
    """Serves everything below `/api/v3`."""

    def __init__(self, hub: Hub, deliveries: Deliveries) -> None:
        self.hub = hub
        self.deliveries = deliveries
        self._created: list[float] = []

    async def __call__(self, http: HttpRequest) -> Response:
        """Answer one request, or hang up where a fault rule says so."""
        began = time.monotonic()
        path = http.scope["raw_path"].decode("ascii").removeprefix(PREFIX) or "/"
        fault = self.hub.faults.match(http.method, unquote(path))
        if fault is not None:
            await asyncio.sleep(fault.delay)
        served = Served(caller=Caller(), known=True, status=0)
        if fault is not None and fault.reset == "before":
            response = Response(status_code=500)
        elif fault is not None and fault.status is not None:
            response = faulty(fault)
            served.status = fault.status
        else:
            response = await self._ordinary(http, path, served)
        self._log(http, path, served, began)
        self.deliveries.flush()
        if fault is not None and fault.reset is not None:
            hang_up(http.scope)
        elif fault is not None and fault.body_delay:
            return Slow(response, fault.body_delay)
        return response

    async def _ordinary(self, http: HttpRequest, path: str, served: Served) -> Response:
        raw = await http.body()
        headers = {"x-github-request-id": uuid.uuid4().hex[:20].upper(), "x-github-media-type": "github.v3"}
        try:
            if len(raw) > MAX_BODY:
                raise refusal(413, "Payload too large")
            headers["x-github-api-version-selected"] = check_version(http.headers.get("x-github-api-version"))
            reply = await asyncio.to_thread(self._handle, http, path, raw, served)
        except Problem as problem:
            served.status = problem.status
            content = json.dumps(problem.body).encode()
            headers |= dict(problem.headers) | {"content-type": "application/json; charset=utf-8"}
            return Response(content, problem.status, headers)
        served.status = reply.status
        return self._render(http, reply, headers)

    def _handle(self, http: HttpRequest, path: str, raw: bytes, served: Served) -> Reply:
        store = self.hub.store
        with store.lock:
            served.caller = identify(store, http.headers.get("authorization"))
            path = self._by_name(path)
            route, parts = find(ROUTES, http.method, path)
            served.known = route is not None
            if route is None:
                raise not_found()
            self._limit(http.method, path)
            request = Request(
                hub=self.hub,
                deliveries=self.deliveries,
                method=http.method,
                path=path,
                parts=parts,
                query=dict(http.query_params),
                raw=raw,
                caller=served.caller,
                accept=http.headers.get("accept", ""),
                short_tokens=http.headers.get("x-github-stateless-s2s-token") == "disabled",
            )
            return route.handler(request)

    def _by_name(self, path: str) -> str:
        matched = _BY_ID.match(path)
        if matched is None:
            return path
        repo = self.hub.store.repositories.get(int(matched[1]))
        if repo is None:
            raise not_found()
        return f"/repos/{repo.full_name}{path[matched.end() :]}"

    def _limit(self, method: str, path: str) -> None:
        most = self.hub.store.creations_per_minute
        if most is None or method != "POST" or not path.endswith(CREATING):
            return
        now = time.monotonic()
        self._created = [*(at for at in self._created if now - at < 60), now]
        if len(self._created) > most:
            text = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
            raise refusal(403, text, retry_after="60")

    def _render(self, http: HttpRequest, reply: Reply, headers: dict[str, str]) -> Response:
        headers |= dict(reply.headers)
        if reply.body is None:
            return Response(status_code=reply.status, headers=headers)
        content = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
        headers.setdefault("content-type", "application/json; charset=utf-8")
        limits = rate(0)
        headers |= {f"x-ratelimit-{name}": str(value) for name, value in limits.items()}
        headers["x-ratelimit-resource"] = "core"
        if http.method == "GET":
            headers["etag"] = f'"{hashlib.sha256(content).hexdigest()}"'
            if http.headers.get("if-none-match") == headers["etag"]:
                headers.pop("content-type")
                return Response(status_code=304, headers=headers)
        return Response(content, reply.status, headers)

    def _log(self, http: HttpRequest, path: str, served: Served, began: float) -> None:
        token = served.caller.token
        self.hub.calls.add(
            Call(
                at=stamp(self.hub.store.now()),
                method=http.method,
                path=unquote(path),
                query=str(http.url.query),
                status=served.status,
                who=served.caller.who,
                repository=self._named(path),
                token=None if token is None else fingerprint(token.value),
                known=served.known,
                milliseconds=round((time.monotonic() - began) * 1000, 2),
            )
        )

    def _named(self, path: str) -> str | None:
        matched = _BY_ID.match(path)
        if matched is not None:
            repo = self.hub.store.repositories.get(int(matched[1]))
            return None if repo is None else repo.full_name
        words = path.split("/")
        return f"{words[2]}/{words[3]}" if len(words) > 3 and words[1] == "repos" else None


def faulty(fault: Fault) -> Response:
    """The answer a fault rule dictates."""
    headers: dict[str, str] = dict(fault.headers)
    if isinstance(fault.body, str):
        content = fault.body.encode()
    else:
        content = b"" if fault.body is None else json.dumps(fault.body).encode()
        headers.setdefault("content-type", "application/json; charset=utf-8")
    return Response(content, fault.status or 500, headers)


class Slow(Response):
    """A response whose body comes some seconds after its head."""

    def __init__(self, inner: Response, seconds: float) -> None:
        super().__init__(bytes(inner.body), inner.status_code, dict(inner.headers))
        self.seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send head, wait, send body."""
        del scope, receive
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        await asyncio.sleep(self.seconds)
        await send({"type": "http.response.body", "body": self.body})
