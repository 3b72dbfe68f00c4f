"""Endpoints about a repository as a whole: itself, roles and branches."""

from deploy.devhub.problems import not_found, refusal
from deploy.devhub.routing import Reply, Request, repo_route
from deploy.devhub.state import Repository
from deploy.devhub.views import gitdata, people, repositories


def _get(request: Request, repo: Repository) -> Reply:
    writes = request.caller.may("contents", "write")
    return Reply(body=repositories.full(request.hub, repo, writes=writes))


def _permission(request: Request, repo: Repository) -> Reply:
    account = request.hub.store.user(request.parts["username"])
    if account is None:
        raise refusal(404, f"{request.parts['username']} is not a user")
    return Reply(body=people.permission(request.hub.urls, repo, account))


def _branches(request: Request, repo: Repository) -> Reply:
    api = request.hub.urls.repo(repo)
    found = request.hub.git(repo).refs()
    rows = [
        {
            "name": ref.removeprefix("refs/heads/"),
            "commit": {"sha": sha, "url": f"{api}/commits/{sha}"},
            "protected": False,
        }
        for ref, sha in found.items()
    ]
    return request.listed([dict(row) for row in rows])


def _branch(request: Request, repo: Repository) -> Reply:
    name, git = request.parts["branch"], request.hub.git(repo)
    sha = git.resolve(f"refs/heads/{name}")
    if sha is None:
        raise refusal(404, "Branch not found")
    return Reply(body=gitdata.branch(request.hub, repo, name, git.commit_info(sha)))


def _compare(request: Request, repo: Repository) -> Reply:
    left, dots, right = request.parts["basehead"].partition("...")
    git = request.hub.git(repo)
    base, head = git.resolve(left), git.resolve(right)
    if not dots or base is None or head is None:
        raise not_found()
    merge_base = git.merge_base(base, head)
    if merge_base is None:
        raise refusal(404, f"No common ancestor between {left} and {right}.")
    return Reply(body=gitdata.comparison(request.hub, repo, (left, base), (right, head), merge_base))


ROUTES = (
    repo_route("GET", "", "metadata=read", _get),
    repo_route("GET", "/collaborators/{username}/permission", "metadata=read", _permission),
    repo_route("GET", "/branches", "contents=read", _branches),
    repo_route("GET", "/branches/{branch*}", "contents=read", _branch),
    repo_route("GET", "/compare/{basehead*}", "contents=read", _compare),
)
