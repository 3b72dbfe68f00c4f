"""Endpoints about pull requests: list, create, get, edit, files, commits."""

from deploy.devhub import acts, pullacts
from deploy.devhub.problems import Json, invalid, not_found
from deploy.devhub.routing import Reply, Request, optional_text, repo_route, text
from deploy.devhub.state import Issue, Pull, Repository
from deploy.devhub.views import gitdata, pulls

READ = "pull_requests=read"
WRITE = "pull_requests=write"


def pull_of(request: Request, repo: Repository) -> tuple[Issue, Pull]:
    """The pull request of the path; 404 when the number is an issue."""
    issue = request.issue(repo)
    if issue.pull is None:
        raise not_found()
    return issue, issue.pull


def _list(request: Request, repo: Repository) -> Reply:
    state, base = request.query.get("state", "open"), request.query.get("base")
    owner, _, branch = request.query.get("head", "").rpartition(":")
    found = [
        (issue, pull)
        for issue, pull in repo.pulls()
        if state in {"all", issue.state}
        and base in {None, pull.base}
        and (not branch or not owner or (pull.head == branch and owner.lower() == repo.owner.login.lower()))
    ]
    newest_first = list(reversed(found))
    return request.listed([pulls.simple(request.hub, repo, issue, pull) for issue, pull in newest_first])


def _create(request: Request, repo: Repository) -> Reply:
    body = request.body()
    issue = pullacts.open_pull(
        request.hub,
        repo,
        request.actor,
        title=text(body, "title", resource="PullRequest"),
        body=optional_text(body, "body"),
        head=text(body, "head", resource="PullRequest"),
        base=text(body, "base", resource="PullRequest"),
        draft=body.get("draft") is True,
    )
    document = _full(request, repo, issue)
    return Reply(body=document, status=201, headers={"location": str(document["url"])})


def _full(request: Request, repo: Repository, issue: Issue) -> Json:
    if issue.pull is None:
        raise not_found()
    return pulls.full(request.hub, repo, issue, issue.pull)


def _get(request: Request, repo: Repository) -> Reply:
    issue, pull = pull_of(request, repo)
    if "diff" in request.accept:
        git = request.hub.git(repo)
        base = git.merge_base(pull.base_sha, pull.head_sha) or pull.base_sha
        diff = git.diff(base, pull.head_sha).encode()
        return Reply(body=diff, headers={"content-type": "application/vnd.github.diff; charset=utf-8"})
    return Reply(body=_full(request, repo, issue))


def _patch(request: Request, repo: Repository) -> Reply:
    issue, _ = pull_of(request, repo)
    body, actor = request.body(), request.actor
    title, content = optional_text(body, "title"), optional_text(body, "body")
    pullacts.check_body(content)
    acts.edit(request.hub, repo, issue, actor, title=title, body=content)
    state = optional_text(body, "state")
    if state is not None:
        if state not in {"open", "closed"}:
            raise invalid("PullRequest", "invalid", field="state")
        acts.set_state(request.hub, repo, issue, actor, state)
    return Reply(body=_full(request, repo, issue))


def _files(request: Request, repo: Repository) -> Reply:
    _, pull = pull_of(request, repo)
    return request.listed(pullacts.files(request.hub, repo, pull))


def _commits(request: Request, repo: Repository) -> Reply:
    _, pull = pull_of(request, repo)
    found = request.hub.git(repo).log(f"{pull.base_sha}..{pull.head_sha}")
    return request.listed([gitdata.commit(request.hub, repo, one) for one in reversed(found)])


ROUTES = (
    repo_route("GET", "/pulls", READ, _list),
    repo_route("POST", "/pulls", WRITE, _create),
    repo_route("GET", "/pulls/{number}", READ, _get),
    repo_route("PATCH", "/pulls/{number}", WRITE, _patch),
    repo_route("GET", "/pulls/{number}/files", READ, _files),
    repo_route("GET", "/pulls/{number}/commits", READ, _commits),
)
