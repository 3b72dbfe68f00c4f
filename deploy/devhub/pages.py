"""Pages for people: repositories, issues, pull requests with their diff, check runs; reads only, no script."""

from collections.abc import Callable
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route
from unidiff.errors import UnidiffParseError
from unidiff.patch import PatchSet

from deploy.devhub import markdown
from deploy.devhub.hub import Hub
from deploy.devhub.state import Comment, Event, Issue, Pull, Repository
from deploy.devhub.views.people import stamp

_HERE = Path(__file__).parent
_HEADERS = {
    "content-security-policy": "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'",
    "x-content-type-options": "nosniff",
}


class Missing(Exception):
    """There is no such page."""


class Pages:
    """Renders the pages of one hub."""

    def __init__(self, hub: Hub) -> None:
        self.hub = hub
        self.templates = Environment(
            loader=FileSystemLoader(_HERE / "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self.templates.filters["markdown"] = markdown.render
        self.templates.filters["stamp"] = stamp
        self.css = (_HERE / "static" / "style.css").read_text(encoding="utf-8")

    def render(self, name: str, **values: object) -> Response:
        """One page; the page named `missing.html` answers 404."""
        content = self.templates.get_template(name).render(values)
        return HTMLResponse(content, 404 if name == "missing.html" else 200, _HEADERS)

    def repo(self, request: Request) -> Repository:
        """The repository of the address."""
        found = self.hub.store.repository(request.path_params["owner"], request.path_params["name"])
        if found is None:
            raise Missing
        return found

    def issue(self, request: Request) -> tuple[Repository, Issue]:
        """The issue or pull request of the address."""
        repo = self.repo(request)
        found = repo.issues.get(request.path_params["number"])
        if found is None or found.deleted:
            raise Missing
        return repo, found

    def home(self, _: Request) -> Response:
        """All repositories."""
        return self.render("home.html", repositories=list(self.hub.store.repositories.values()))

    def overview(self, request: Request) -> Response:
        """A repository: pull requests, issues, branches."""
        repo = self.repo(request)
        found = [one for one in reversed(repo.issues.values()) if not one.deleted]
        branches = [ref.removeprefix("refs/heads/") for ref in self.hub.git(repo).refs()]
        return self.render("repository.html", repo=repo, found=found, branches=branches)

    def conversation(self, request: Request) -> Response:
        """An issue or a pull request."""
        repo, issue = self.issue(request)
        values: dict[str, object] = {"repo": repo, "issue": issue, "timeline": timeline(repo, issue)}
        if issue.pull is None:
            return self.render("issue.html", **values)
        text = self.diff_text(repo, issue.pull)
        checks = [one for one in repo.checks.values() if one.head_sha == issue.pull.head_sha]
        commits = self.hub.git(repo).log(f"{issue.pull.base_sha}..{issue.pull.head_sha}")
        values |= {"pull": issue.pull, "files": parsed(text), "raw": text, "checks": checks, "commits": commits}
        return self.render("pull.html", **values)

    def diff_text(self, repo: Repository, pull: Pull) -> str:
        """A pull request's diff, computed by git."""
        git = self.hub.git(repo)
        return git.diff(git.merge_base(pull.base_sha, pull.head_sha) or pull.base_sha, pull.head_sha)

    def diff(self, request: Request) -> Response:
        """The bare diff as text."""
        repo, issue = self.issue(request)
        if issue.pull is None:
            raise Missing
        return PlainTextResponse(self.diff_text(repo, issue.pull), headers=_HEADERS)

    def check(self, request: Request) -> Response:
        """A check run."""
        repo = self.repo(request)
        found = repo.checks.get(request.path_params["number"])
        if found is None:
            raise Missing
        return self.render("check.html", repo=repo, check=found)

    def style(self, _: Request) -> Response:
        """The style sheet."""
        return Response(self.css, media_type="text/css", headers={"cache-control": "max-age=300"})


def timeline(repo: Repository, issue: Issue) -> list[Comment | Event]:
    """Comments and events in their order."""
    said = [one for one in repo.comments.values() if one.number == issue.number]
    both: list[Comment | Event] = [*issue.events, *said]
    return sorted(both, key=lambda one: (one.created, one.id))


def parsed(diff: str) -> PatchSet | None:
    """The diff in files, hunks and lines; None when it cannot be read (binary oddities), so the raw text is shown."""
    try:
        return PatchSet(diff)
    except UnidiffParseError:
        return None


def page_routes(hub: Hub) -> list[Route]:
    """The routes of the pages."""
    pages = Pages(hub)

    def endpoint(view: Callable[[Request], Response]) -> Callable[[Request], Response]:
        def answer(request: Request) -> Response:
            with hub.store.lock:
                try:
                    return view(request)
                except Missing:
                    return pages.render("missing.html")

        return answer

    repo = "/{owner}/{name}"
    return [
        Route("/", endpoint(pages.home)),
        Route("/_assets/style.css", endpoint(pages.style)),
        Route(repo, endpoint(pages.overview)),
        Route(repo + "/issues/{number:int}", endpoint(pages.conversation)),
        Route(repo + "/pull/{number:int}", endpoint(pages.conversation)),
        Route(repo + "/pull/{number:int}.diff", endpoint(pages.diff)),
        Route(repo + "/runs/{number:int}", endpoint(pages.check)),
    ]
