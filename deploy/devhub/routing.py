"""The table of endpoints and what a handler gets and gives; serves nothing itself."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote

from deploy.devhub.auth import Caller, require
from deploy.devhub.hub import Hub
from deploy.devhub.problems import Json, Problem, not_found, refusal
from deploy.devhub.state import Actor, Issue, Repository
from deploy.devhub.webhooks import Deliveries

MAX_PAGE = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A successful answer; `body` None means no content, bytes go out as they are."""

    body: object = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One REST request, routed and authenticated."""

    hub: Hub
    deliveries: Deliveries
    method: str
    path: str
    parts: Mapping[str, str]
    query: Mapping[str, str]
    raw: bytes
    caller: Caller
    accept: str = ""
    short_tokens: bool = False
    """Whether the caller asked for tokens in the old short form."""

    @property
    def actor(self) -> Actor:
        """On whose account this is done."""
        return self.caller.actor()

    def body(self) -> Json:
        """The JSON object sent; 400 when it is none."""
        if not self.raw:
            return {}
        try:
            parsed = json.loads(self.raw)
        except ValueError:
            raise refusal(400, "Problems parsing JSON") from None
        if not isinstance(parsed, dict):
            raise refusal(400, "Body should be a JSON object")
        return parsed

    def repo(self) -> Repository:
        """The repository of the path; 404 unknown, 301 renamed."""
        store = self.hub.store
        owner, name = self.parts["owner"], self.parts["repo"]
        found = store.repository(owner, name)
        if found is not None:
            return found
        moved = store.renamed.get(f"{owner}/{name}".lower())
        if moved is None or moved not in store.repositories:
            raise not_found()
        tail = self.path.split("/", 4)[4:]
        url = "/".join([f"{self.hub.urls.api}/repositories/{moved}", *tail])
        raise Problem(301, {"message": "Moved Permanently", "url": url}, (("location", url),))

    def issue(self, repo: Repository, key: str = "number") -> Issue:
        """The issue or pull request of the path; 404 unknown, 410 deleted."""
        found = repo.issues.get(self.number(key))
        if found is None:
            raise not_found()
        if found.deleted:
            raise refusal(410, "This issue was deleted")
        return found

    def number(self, key: str) -> int:
        """A whole number of the path; 404 when it is none."""
        if not self.parts[key].isdecimal():
            raise not_found()
        return int(self.parts[key])

    def page(self, items: list[Json]) -> tuple[list[Json], Mapping[str, str]]:
        """The page asked for, and the Link header when there are more."""
        size = min(max(_whole(self.query.get("per_page"), 30), 1), MAX_PAGE)
        page = max(_whole(self.query.get("page"), 1), 1)
        last = max((len(items) + size - 1) // size, 1)
        wanted = {"next": page + 1, "last": last} if page < last else {}
        if page > 1:
            wanted |= {"prev": page - 1, "first": 1}
        links = [f'<{self._page_url(target, size)}>; rel="{name}"' for name, target in wanted.items()]
        return items[(page - 1) * size : page * size], {"link": ", ".join(links)} if links else {}

    def _page_url(self, page: int, size: int) -> str:
        kept = {name: value for name, value in self.query.items() if name not in {"page", "per_page"}}
        query = "&".join(f"{name}={value}" for name, value in (kept | {"per_page": size, "page": page}).items())
        return f"{self.hub.urls.api}{self.path}?{query}"

    def listed(self, items: list[Json]) -> Reply:
        """A paged list as the answer."""
        shown, headers = self.page(items)
        return Reply(body=shown, headers=headers)


def _whole(text: str | None, default: int) -> int:
    return int(text) if text and text.isdecimal() else default


Handler = Callable[[Request], Reply]
RepoHandler = Callable[[Request, Repository], Reply]


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """One endpoint: method, path template (`{name}`, or `{name*}` across slashes) and handler."""

    method: str
    template: str
    handler: Handler
    pattern: re.Pattern[str]


def route(method: str, template: str, handler: Handler) -> Route:
    """An endpoint outside repositories; the handler checks the caller itself."""
    source = re.sub(r"\{(\w+)\*\}", r"(?P<\1>.+)", template)
    source = re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", source)
    return Route(method=method, template=template, handler=handler, pattern=re.compile(source))


def repo_route(method: str, template: str, accepted: str, handler: RepoHandler) -> Route:
    """An endpoint below `/repos/{owner}/{repo}` for installation tokens that hold one of the accepted permissions."""

    def checked(request: Request) -> Reply:
        if request.caller.app is None:
            raise refusal(401, "Requires authentication")
        if request.caller.token is None:
            raise refusal(401, "A JSON web token could not be used here; use an installation token")
        repo = request.repo()
        require(request.hub.store, request.caller, repo, accepted)
        return handler(request, repo)

    return route(method, "/repos/{owner}/{repo}" + template, checked)


def text(body: Json, key: str, *, resource: str = "Request") -> str:
    """A required string of a body."""
    value = body.get(key)
    if not isinstance(value, str):
        raise _missing(resource, key)
    return value


def optional_text(body: Json, key: str) -> str | None:
    """A string of a body that may be absent or null."""
    value = body.get(key)
    if value is not None and not isinstance(value, str):
        raise refusal(422, f"Invalid request.\n\nFor 'properties/{key}', {value!r} is not a string.")
    return value


def _missing(resource: str, key: str) -> Problem:
    error: Json = {"resource": resource, "field": key, "code": "missing_field"}
    return Problem(422, {"message": "Validation Failed", "errors": [error], "status": "422"})


def find(routes: tuple[Route, ...], method: str, path: str) -> tuple[Route | None, dict[str, str]]:
    """The endpoint of a request and the parts of its path, unquoted."""
    for candidate in routes:
        matched = candidate.pattern.fullmatch(path) if candidate.method == method else None
        if matched is not None:
            return candidate, {name: unquote(value) for name, value in matched.groupdict().items()}
    return None, {}
