"""Endpoints about labels, on issues and of the repository."""

from urllib.parse import unquote

from deploy.devhub import acts
from deploy.devhub.problems import Json, Problem, invalid, refusal
from deploy.devhub.rest.issues import READ, WRITE
from deploy.devhub.routing import Reply, Request, optional_text, repo_route, text
from deploy.devhub.state import Issue, Repository
from deploy.devhub.views import issues


def _shown(request: Request, repo: Repository, issue: Issue) -> list[Json]:
    return [issues.label(request.hub, repo, one) for one in issue.labels]


def _list(request: Request, repo: Repository) -> Reply:
    return request.listed(_shown(request, repo, request.issue(repo)))


def _names(body: Json) -> list[str]:
    labels = body.get("labels")
    if not isinstance(labels, list):
        raise _wrong()
    names = [one.get("name") if isinstance(one, dict) else one for one in labels]
    if not all(isinstance(name, str) and name for name in names):
        raise _wrong()
    return [str(name) for name in names]


def _wrong() -> Problem:
    return refusal(422, "Invalid request.\n\nFor 'properties/labels', an array of label names is expected.")


def _add(request: Request, repo: Repository) -> Reply:
    issue = request.issue(repo)
    acts.add_labels(request.hub, repo, issue, request.actor, _names(request.body()))
    return Reply(body=_shown(request, repo, issue))


def _remove(request: Request, repo: Repository) -> Reply:
    issue = request.issue(repo)
    if not acts.remove_label(request.hub, repo, issue, request.actor, unquote(request.parts["name"])):
        raise refusal(404, "Label does not exist")
    return Reply(body=_shown(request, repo, issue))


def _of_repository(request: Request, repo: Repository) -> Reply:
    return request.listed([issues.label(request.hub, repo, one) for one in repo.labels.values()])


def _create(request: Request, repo: Repository) -> Reply:
    body = request.body()
    name = text(body, "name", resource="Label")
    if name.lower() in repo.labels:
        raise invalid("Label", "already_exists", field="name")
    made = acts.ensure_label(request.hub, repo, name, optional_text(body, "color") or "ededed")
    made.description = optional_text(body, "description")
    return Reply(body=issues.label(request.hub, repo, made), status=201)


ROUTES = (
    repo_route("GET", "/issues/{number}/labels", READ, _list),
    repo_route("POST", "/issues/{number}/labels", WRITE, _add),
    repo_route("DELETE", "/issues/{number}/labels/{name*}", WRITE, _remove),
    repo_route("GET", "/labels", READ, _of_repository),
    repo_route("POST", "/labels", WRITE, _create),
)
