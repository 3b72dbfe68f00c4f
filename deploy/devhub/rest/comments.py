"""Endpoints about comments on issues and pull requests."""

from deploy.devhub import acts
from deploy.devhub.problems import invalid, not_found, refusal
from deploy.devhub.rest.issues import READ, WRITE, react
from deploy.devhub.routing import Reply, Request, repo_route, text
from deploy.devhub.state import Comment, Repository
from deploy.devhub.views import issues, people

MAX_BODY = 262_144
"""Bytes a comment may have (the refusal speaks of 65,536 characters all the same)."""


def _comment(request: Request, repo: Repository) -> Comment:
    found = repo.comments.get(request.number("comment_id"))
    if found is None:
        raise not_found()
    return found


def _body(request: Request) -> str:
    body = text(request.body(), "body", resource="IssueComment")
    if not body.strip():
        raise invalid("IssueComment", "unprocessable", field="data", message="Body cannot be blank")
    if len(body.encode()) > MAX_BODY:
        message = "Body is too long (maximum is 65536 characters)"
        raise invalid("IssueComment", "unprocessable", field="data", message=message)
    return body


def _list(request: Request, repo: Repository) -> Reply:
    issue = request.issue(repo)
    since = request.query.get("since", "")
    found = [one for one in repo.comments.values() if one.number == issue.number]
    kept = [one for one in found if people.stamp(one.updated) >= since]
    return request.listed([issues.comment(request.hub, repo, one) for one in kept])


def _create(request: Request, repo: Repository) -> Reply:
    issue, body = request.issue(repo), _body(request)
    if issue.locked:
        raise refusal(403, "Unable to create comment because issue is locked.")
    made = acts.add_comment(request.hub, repo, issue, request.actor, body)
    document = issues.comment(request.hub, repo, made)
    return Reply(body=document, status=201, headers={"location": str(document["url"])})


def _get(request: Request, repo: Repository) -> Reply:
    return Reply(body=issues.comment(request.hub, repo, _comment(request, repo)))


def _patch(request: Request, repo: Repository) -> Reply:
    found = _comment(request, repo)
    acts.edit_comment(request.hub, repo, found, request.actor, _body(request))
    return Reply(body=issues.comment(request.hub, repo, found))


def _delete(request: Request, repo: Repository) -> Reply:
    acts.delete_comment(request.hub, repo, _comment(request, repo), request.actor)
    return Reply(status=204)


def _react(request: Request, repo: Repository) -> Reply:
    return react(request, _comment(request, repo).reactions)


ROUTES = (
    repo_route("GET", "/issues/{number}/comments", READ, _list),
    repo_route("POST", "/issues/{number}/comments", WRITE, _create),
    repo_route("GET", "/issues/comments/{comment_id}", READ, _get),
    repo_route("PATCH", "/issues/comments/{comment_id}", WRITE, _patch),
    repo_route("DELETE", "/issues/comments/{comment_id}", WRITE, _delete),
    repo_route("POST", "/issues/comments/{comment_id}/reactions", WRITE, _react),
)
