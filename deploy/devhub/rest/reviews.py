"""Endpoints about reviews and review comments of pull requests."""

from deploy.devhub.problems import not_found
from deploy.devhub.rest.issues import react
from deploy.devhub.rest.pulls import READ, WRITE, pull_of
from deploy.devhub.reviewacts import add_review_comment
from deploy.devhub.routing import Reply, Request, repo_route, text
from deploy.devhub.state import Repository, ReviewComment
from deploy.devhub.views import pulls


def _reviews(request: Request, repo: Repository) -> Reply:
    issue, pull = pull_of(request, repo)
    return request.listed([pulls.review(request.hub, repo, issue.number, one) for one in pull.reviews])


def _comments(request: Request, repo: Repository) -> Reply:
    issue, _ = pull_of(request, repo)
    found = [one for one in repo.review_comments.values() if one.number == issue.number]
    return request.listed([pulls.review_comment(request.hub, repo, one) for one in found])


def _comment(request: Request, repo: Repository) -> ReviewComment:
    found = repo.review_comments.get(request.number("comment_id"))
    if found is None:
        raise not_found()
    return found


def _reply(request: Request, repo: Repository) -> Reply:
    issue, pull = pull_of(request, repo)
    parent = _comment(request, repo)
    body = text(request.body(), "body", resource="PullRequestReviewComment")
    place = (parent.path, parent.line)
    made = add_review_comment(request.hub, repo, issue, pull, request.actor, body, place, reply_to=parent.id)
    return Reply(body=pulls.review_comment(request.hub, repo, made), status=201)


def _react(request: Request, repo: Repository) -> Reply:
    return react(request, _comment(request, repo).reactions)


def _request_reviewers(request: Request, repo: Repository) -> Reply:
    issue, pull = pull_of(request, repo)
    names = request.body().get("reviewers")
    for name in names if isinstance(names, list) else []:
        found = request.hub.store.user(str(name))
        if found is not None and found not in pull.reviewers:
            pull.reviewers.append(found)
    return Reply(body=pulls.simple(request.hub, repo, issue, pull), status=201)


ROUTES = (
    repo_route("GET", "/pulls/{number}/reviews", READ, _reviews),
    repo_route("GET", "/pulls/{number}/comments", READ, _comments),
    repo_route("POST", "/pulls/{number}/comments/{comment_id}/replies", WRITE, _reply),
    repo_route("POST", "/pulls/{number}/requested_reviewers", WRITE, _request_reviewers),
    repo_route("POST", "/pulls/comments/{comment_id}/reactions", WRITE, _react),
)
