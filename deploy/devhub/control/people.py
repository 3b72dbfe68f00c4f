"""Control of what people do: open, label, comment, edit, close, review, merge; and the reading back of it."""

from deploy.devhub import acts, pullacts, reviewacts
from deploy.devhub.payloads import emit
from deploy.devhub.problems import not_found
from deploy.devhub.routing import Reply, Request, optional_text, route, text
from deploy.devhub.state import Actor, Comment, Issue, Pull, Repository
from deploy.devhub.views import checks, issues, pulls


def person(request: Request, repo: Repository) -> Actor:
    """Who does it: `as` in the body or the query, else the repository's owner."""
    login = optional_text(request.body(), "as") or request.query.get("as")
    return Actor(user=repo.owner if login is None else request.hub.store.ensure_user(login))


def _place(request: Request) -> tuple[Repository, Issue, Actor]:
    repo = request.repo()
    return repo, request.issue(repo), person(request, repo)


def _pull(request: Request) -> tuple[Repository, Issue, Pull, Actor]:
    repo, issue, actor = _place(request)
    if issue.pull is None:
        raise not_found()
    return repo, issue, issue.pull, actor


def _comment(request: Request, repo: Repository) -> Comment:
    found = repo.comments.get(request.number("comment_id"))
    if found is None:
        raise not_found()
    return found


def _open(request: Request) -> Reply:
    body, repo = request.body(), request.repo()
    labels = body.get("labels")
    names = tuple(str(one) for one in labels) if isinstance(labels, list) else ()
    title, content = text(body, "title"), optional_text(body, "body")
    made = acts.open_issue(request.hub, repo, person(request, repo), title, content, names)
    return Reply(body=issues.issue(request.hub, repo, made), status=201)


def _get(request: Request) -> Reply:
    repo, issue, _ = _place(request)
    return Reply(body=issues.single_issue(request.hub, repo, issue))


def _edit(request: Request) -> Reply:
    repo, issue, actor = _place(request)
    body = request.body()
    acts.edit(request.hub, repo, issue, actor, title=optional_text(body, "title"), body=optional_text(body, "body"))
    if body.get("state") in {"open", "closed"}:
        acts.set_state(request.hub, repo, issue, actor, text(body, "state"))
    issue.locked = body.get("locked") is True or (issue.locked and body.get("locked") is not False)
    issue.deleted = issue.deleted or body.get("deleted") is True
    return Reply(body=issues.single_issue(request.hub, repo, issue))


def _label(request: Request) -> Reply:
    repo, issue, actor = _place(request)
    acts.add_labels(request.hub, repo, issue, actor, [text(request.body(), "label")])
    return Reply(body=issues.issue(request.hub, repo, issue))


def _unlabel(request: Request) -> Reply:
    repo, issue, actor = _place(request)
    if not acts.remove_label(request.hub, repo, issue, actor, request.parts["name"]):
        raise not_found()
    return Reply(body=issues.issue(request.hub, repo, issue))


def _say(request: Request) -> Reply:
    repo, issue, actor = _place(request)
    made = acts.add_comment(request.hub, repo, issue, actor, text(request.body(), "body"))
    return Reply(body=issues.comment(request.hub, repo, made), status=201)


def _comments(request: Request) -> Reply:
    repo, issue, _ = _place(request)
    found = [one for one in repo.comments.values() if one.number == issue.number]
    return Reply(body=[issues.comment(request.hub, repo, one) for one in found])


def _reactions(request: Request) -> Reply:
    repo, issue, _ = _place(request)
    found = list(issue.reactions)
    for one in repo.comments.values():
        found += one.reactions if one.number == issue.number else []
    return Reply(body=[issues.reaction(request.hub, one) for one in found])


def _edit_comment(request: Request) -> Reply:
    repo = request.repo()
    found = _comment(request, repo)
    acts.edit_comment(request.hub, repo, found, person(request, repo), text(request.body(), "body"))
    return Reply(body=issues.comment(request.hub, repo, found))


def _delete_comment(request: Request) -> Reply:
    repo = request.repo()
    acts.delete_comment(request.hub, repo, _comment(request, repo), person(request, repo))
    return Reply(body={})


def _pulls(request: Request) -> Reply:
    repo = request.repo()
    return Reply(body=[pulls.full(request.hub, repo, issue, pull) for issue, pull in repo.pulls()])


def _diff(request: Request) -> Reply:
    repo, _, pull, _ = _pull(request)
    git = request.hub.git(repo)
    base = git.merge_base(pull.base_sha, pull.head_sha) or pull.base_sha
    return Reply(body={"diff": git.diff(base, pull.head_sha)})


def _open_pull(request: Request) -> Reply:
    body, repo = request.body(), request.repo()
    issue = pullacts.open_pull(
        request.hub,
        repo,
        person(request, repo),
        title=text(body, "title"),
        body=optional_text(body, "body"),
        head=text(body, "head"),
        base=optional_text(body, "base") or repo.default_branch,
        draft=body.get("draft") is True,
    )
    return Reply(body=issues.issue(request.hub, repo, issue), status=201)


def _merge(request: Request) -> Reply:
    repo, issue, pull, actor = _pull(request)
    pullacts.merge(request.hub, repo, issue, actor)
    return Reply(body=pulls.full(request.hub, repo, issue, pull))


def _ready(request: Request) -> Reply:
    repo, issue, pull, actor = _pull(request)
    pull.draft = False
    acts.announce(request.hub, repo, issue, actor, "ready_for_review")
    return Reply(body=pulls.full(request.hub, repo, issue, pull))


def _review(request: Request) -> Reply:
    repo, issue, pull, actor = _pull(request)
    body = request.body()
    state = optional_text(body, "state") or "COMMENTED"
    made = reviewacts.submit_review(request.hub, repo, issue, pull, actor, state, optional_text(body, "body") or "")
    return Reply(body=pulls.review(request.hub, repo, issue.number, made), status=201)


def _review_comment(request: Request) -> Reply:
    repo, issue, pull, actor = _pull(request)
    body = request.body()
    line = body.get("line")
    place = (text(body, "path"), line if isinstance(line, int) else 1)
    made = reviewacts.add_review_comment(request.hub, repo, issue, pull, actor, text(body, "body"), place)
    return Reply(body=pulls.review_comment(request.hub, repo, made), status=201)


def _checks(request: Request) -> Reply:
    repo = request.repo()
    return Reply(body=[checks.check_run(request.hub, repo, one) for one in repo.checks.values()])


def _rerequest(request: Request) -> Reply:
    repo = request.repo()
    found = repo.checks.get(request.number("check_run_id"))
    if found is None:
        raise not_found()
    document = {"check_run": checks.check_run_event(request.hub, repo, found)}
    emit(request.hub, "check_run", "rerequested", repo, person(request, repo), dict(document))
    return Reply(body={})


_REPO = "/repos/{owner}/{repo}"
_ISSUE = f"{_REPO}/issues/{{number}}"
_PULL = f"{_REPO}/pulls/{{number}}"
ROUTES = (
    route("POST", f"{_REPO}/issues", _open),
    route("GET", _ISSUE, _get),
    route("PATCH", _ISSUE, _edit),
    route("POST", f"{_ISSUE}/labels", _label),
    route("DELETE", f"{_ISSUE}/labels/{{name*}}", _unlabel),
    route("POST", f"{_ISSUE}/comments", _say),
    route("GET", f"{_ISSUE}/comments", _comments),
    route("GET", f"{_ISSUE}/reactions", _reactions),
    route("PATCH", f"{_REPO}/comments/{{comment_id}}", _edit_comment),
    route("DELETE", f"{_REPO}/comments/{{comment_id}}", _delete_comment),
    route("GET", f"{_REPO}/pulls", _pulls),
    route("POST", f"{_REPO}/pulls", _open_pull),
    route("GET", f"{_PULL}/diff", _diff),
    route("POST", f"{_PULL}/merge", _merge),
    route("POST", f"{_PULL}/ready", _ready),
    route("POST", f"{_PULL}/reviews", _review),
    route("POST", f"{_PULL}/comments", _review_comment),
    route("GET", f"{_REPO}/check-runs", _checks),
    route("POST", f"{_REPO}/check-runs/{{check_run_id}}/rerequest", _rerequest),
)
