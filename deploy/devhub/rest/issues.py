"""Endpoints about issues: get, edit, events, timeline and reactions."""

from deploy.devhub import acts
from deploy.devhub.problems import Json, invalid
from deploy.devhub.routing import Reply, Request, optional_text, repo_route, text
from deploy.devhub.state import Reaction, Repository
from deploy.devhub.views import issues

READ = "issues=read; pull_requests=read"
WRITE = "issues=write; pull_requests=write"


def _get(request: Request, repo: Repository) -> Reply:
    return Reply(body=issues.single_issue(request.hub, repo, request.issue(repo)))


def _list(request: Request, repo: Repository) -> Reply:
    wanted = request.query.get("state", "open")
    found = [one for one in reversed(repo.issues.values()) if not one.deleted and wanted in {"all", one.state}]
    return request.listed([issues.issue(request.hub, repo, one) for one in found])


def _patch(request: Request, repo: Repository) -> Reply:
    issue, body, actor = request.issue(repo), request.body(), request.actor
    title, content = optional_text(body, "title"), optional_text(body, "body")
    acts.edit(request.hub, repo, issue, actor, title=title, body=content)
    state = optional_text(body, "state")
    if state is not None:
        if state not in {"open", "closed"}:
            raise invalid("Issue", "invalid", field="state")
        acts.set_state(request.hub, repo, issue, actor, state, optional_text(body, "state_reason"))
    return Reply(body=issues.single_issue(request.hub, repo, issue))


def _events(request: Request, repo: Repository) -> Reply:
    issue = request.issue(repo)
    return request.listed([issues.event(request.hub, repo, one) for one in issue.events])


def _timeline(request: Request, repo: Repository) -> Reply:
    issue = request.issue(repo)
    rows = [(one.created, one.id, issues.event(request.hub, repo, one)) for one in issue.events]
    said = [one for one in repo.comments.values() if one.number == issue.number]
    rows += [(one.created, one.id, issues.commented(request.hub, repo, one)) for one in said]
    return request.listed([row[2] for row in sorted(rows, key=lambda row: row[:2])])


def react(request: Request, reactions: list[Reaction]) -> Reply:
    """Add the reaction of the body: 201 new, 200 when it was there."""
    content = text(request.body(), "content", resource="Reaction")
    if content not in issues.CONTENTS:
        raise invalid("Reaction", "invalid", field="content")
    found, new = acts.react(request.hub, reactions, request.actor, content)
    return Reply(body=issues.reaction(request.hub, found), status=201 if new else 200)


def _react(request: Request, repo: Repository) -> Reply:
    return react(request, request.issue(repo).reactions)


def _reactions(request: Request, repo: Repository) -> Reply:
    found: list[Json] = [issues.reaction(request.hub, one) for one in request.issue(repo).reactions]
    return request.listed(found)


ROUTES = (
    repo_route("GET", "/issues", READ, _list),
    repo_route("GET", "/issues/{number}", READ, _get),
    repo_route("PATCH", "/issues/{number}", WRITE, _patch),
    repo_route("GET", "/issues/{number}/events", READ, _events),
    repo_route("GET", "/issues/{number}/timeline", READ, _timeline),
    repo_route("GET", "/issues/{number}/reactions", READ, _reactions),
    repo_route("POST", "/issues/{number}/reactions", WRITE, _react),
)
