"""The control API below `/_sim`: what people would do by hand on GitHub, and what tests need besides.

It asks for no credentials; the stand-in is for loopback only.
"""

import asyncio
import json

from starlette.requests import Request as HttpRequest
from starlette.responses import Response

from deploy.devhub.auth import Caller
from deploy.devhub.control import apps, observe, people, repositories
from deploy.devhub.hub import Hub
from deploy.devhub.problems import Problem, not_found, refusal
from deploy.devhub.routing import Reply, Request, Route, find
from deploy.devhub.webhooks import Deliveries

PREFIX = "/_sim"
ROUTES: tuple[Route, ...] = (*apps.ROUTES, *repositories.ROUTES, *people.ROUTES, *observe.ROUTES)


class Control:
    """Serves everything below `/_sim`."""

    def __init__(self, hub: Hub, deliveries: Deliveries) -> None:
        self.hub = hub
        self.deliveries = deliveries

    async def __call__(self, http: HttpRequest) -> Response:
        """Answer one request; a body must call itself JSON, so that no web page elsewhere can post here."""
        raw = await http.body()
        try:
            if raw and not http.headers.get("content-type", "").startswith("application/json"):
                raise refusal(415, "send application/json")
            reply = await asyncio.to_thread(self._handle, http, raw)
        except Problem as problem:
            return Response(json.dumps(problem.body), problem.status, dict(problem.headers), "application/json")
        self.deliveries.flush()
        return Response(json.dumps(reply.body), reply.status, dict(reply.headers), "application/json")

    def _handle(self, http: HttpRequest, raw: bytes) -> Reply:
        path = http.scope["raw_path"].decode("ascii").removeprefix(PREFIX)
        with self.hub.store.lock:
            route, parts = find(ROUTES, http.method, path)
            if route is None:
                raise not_found()
            request = Request(
                hub=self.hub,
                deliveries=self.deliveries,
                method=http.method,
                path=path,
                parts=parts,
                query=dict(http.query_params),
                raw=raw,
                caller=Caller(),
            )
            return route.handler(request)
