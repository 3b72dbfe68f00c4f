"""Endpoints about no repository: users, rate limit, meta and API versions."""

import time

from deploy.devhub.problems import Json, not_found, refusal
from deploy.devhub.routing import Reply, Request, route
from deploy.devhub.views import people

VERSIONS = ("2026-03-10", "2022-11-28")
"""API versions this stand-in answers to; the documents are the same for both."""
LIMIT = 5000


def rate(used: int) -> Json:
    """One rate window; the stand-in counts but never refuses by itself."""
    return {"limit": LIMIT, "used": used, "remaining": max(LIMIT - used, 0), "reset": int(time.time()) + 3600}


def _user(request: Request) -> Reply:
    found = request.hub.store.user(request.parts["username"])
    if found is None:
        raise not_found()
    return Reply(body=people.public_user(request.hub.urls, found))


def _rate_limit(_: Request) -> Reply:
    core = rate(0)
    resources = {"core": core, "search": rate(0), "graphql": rate(0)}
    return Reply(body={"resources": resources, "rate": core})


def _meta(_: Request) -> Reply:
    return Reply(body={"verifiable_password_authentication": False, "installed_version": "3.99.0"})


def _versions(_: Request) -> Reply:
    return Reply(body=list(VERSIONS))


def check_version(asked: str | None) -> str:
    """The API version to name in the answer; 400 for one that never was, as GitHub does."""
    if asked is None:
        return VERSIONS[1]
    if asked not in VERSIONS:
        raise refusal(400, f'The API version "{asked}" is not supported. Supported: {", ".join(VERSIONS)}')
    return asked


ROUTES = (
    route("GET", "/users/{username}", _user),
    route("GET", "/rate_limit", _rate_limit),
    route("GET", "/meta", _meta),
    route("GET", "/versions", _versions),
)
