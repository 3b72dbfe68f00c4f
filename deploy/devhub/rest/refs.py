"""Endpoints of the git data API: refs, blobs, trees, commits."""

import base64
import binascii

from deploy.devhub import gitobjects, pullacts
from deploy.devhub.git import ZERO, GitFailed
from deploy.devhub.problems import Json, not_found, refusal
from deploy.devhub.routing import Reply, Request, repo_route, text
from deploy.devhub.state import Repository
from deploy.devhub.views import gitdata, repositories

READ = "contents=read"
WRITE = "contents=write"


def _get(request: Request, repo: Repository) -> Reply:
    name = f"refs/{request.parts['ref']}"
    sha = request.hub.git(repo).refs("refs/").get(name)
    if sha is None:
        raise not_found()
    return Reply(body=repositories.ref(request.hub, repo, name, sha))


def _matching(request: Request, repo: Repository) -> Reply:
    found = request.hub.git(repo).refs(f"refs/{request.parts['ref']}")
    return Reply(body=[repositories.ref(request.hub, repo, name, sha) for name, sha in found.items()])


def _move(request: Request, repo: Repository, ref: str, new: str, old: str | None) -> None:
    git = request.hub.git(repo)
    before = git.refs()
    try:
        git.update_ref(ref, new, old)
    except GitFailed:
        raise refusal(409, "Reference cannot be updated") from None
    pullacts.refs_moved(request.hub, repo, request.actor, before, git.refs())


def _create(request: Request, repo: Repository) -> Reply:
    body, git = request.body(), request.hub.git(repo)
    ref, sha = text(body, "ref", resource="Reference"), text(body, "sha", resource="Reference")
    if not ref.startswith("refs/heads/") or not git.valid_branch(ref.removeprefix("refs/heads/")):
        raise refusal(422, "Reference name must start with 'refs/' and be a valid ref name")
    if ref in git.refs():
        raise refusal(422, "Reference already exists")
    if git.resolve(sha) is None:
        raise refusal(422, "Object does not exist")
    _move(request, repo, ref, sha, ZERO)
    return Reply(body=repositories.ref(request.hub, repo, ref, sha), status=201)


def _update(request: Request, repo: Repository) -> Reply:
    body, git = request.body(), request.hub.git(repo)
    ref, sha = f"refs/{request.parts['ref']}", text(body, "sha", resource="Reference")
    old = git.refs().get(ref)
    if old is None:
        raise refusal(422, "Reference does not exist")
    if git.resolve(sha) is None:
        raise refusal(422, "Object does not exist")
    if body.get("force") is not True and not git.contains(old, sha):
        raise refusal(422, "Update is not a fast forward")
    _move(request, repo, ref, sha, old)
    return Reply(body=repositories.ref(request.hub, repo, ref, sha))


def _delete(request: Request, repo: Repository) -> Reply:
    ref = f"refs/{request.parts['ref']}"
    old = request.hub.git(repo).refs().get(ref)
    if old is None:
        raise refusal(422, "Reference does not exist")
    _move(request, repo, ref, ZERO, old)
    return Reply(status=204)


def _blob(request: Request, repo: Repository) -> Reply:
    body = request.body()
    content = text(body, "content", resource="Blob").encode()
    if body.get("encoding") == "base64":
        try:
            content = base64.b64decode(content)
        except binascii.Error:
            raise refusal(422, "content is not valid Base64") from None
    sha = gitobjects.write_blob(request.hub.git(repo), content)
    return Reply(body={"sha": sha, "url": f"{request.hub.urls.repo(repo)}/git/blobs/{sha}"}, status=201)


def _tree(request: Request, repo: Repository) -> Reply:
    body, git = request.body(), request.hub.git(repo)
    base, entries = body.get("base_tree"), body.get("tree")
    if not isinstance(entries, list) or not all(isinstance(one, dict) for one in entries):
        raise refusal(422, "Invalid tree info")
    try:
        sha = gitobjects.write_tree(git, str(base) if base else None, entries)
    except GitFailed:
        raise refusal(422, "GitRPC::BadObjectState") from None
    return Reply(body=_tree_json(request, repo, sha), status=201)


def _tree_json(request: Request, repo: Repository, sha: str) -> Json:
    api, git = request.hub.urls.repo(repo), request.hub.git(repo)
    rows = [
        {"path": name, "mode": mode, "type": kind, "sha": oid, "url": f"{api}/git/{kind}s/{oid}"}
        for mode, kind, oid, name in git.entries(sha)
    ]
    return {"sha": sha, "url": f"{api}/git/trees/{sha}", "tree": rows, "truncated": False}


def _commit(request: Request, repo: Repository) -> Reply:
    body, git = request.body(), request.hub.git(repo)
    parents = body.get("parents")
    names = [str(one) for one in parents] if isinstance(parents, list) else []
    message, tree = text(body, "message", resource="Commit"), text(body, "tree", resource="Commit")
    author = gitobjects.person(body.get("author"), request.actor.user)
    try:
        sha = gitobjects.write_commit(git, tree, names, message, author, request.hub.store.now())
    except GitFailed:
        raise refusal(422, "Tree SHA does not exist") from None
    if not body.keys() & {"author", "committer", "signature"}:
        repo.signed.add(sha)
    return Reply(body=gitdata.git_commit(request.hub, repo, git.commit_info(sha)), status=201)


ROUTES = (
    repo_route("GET", "/git/ref/{ref*}", READ, _get),
    repo_route("GET", "/git/matching-refs/{ref*}", READ, _matching),
    repo_route("POST", "/git/refs", WRITE, _create),
    repo_route("PATCH", "/git/refs/{ref*}", WRITE, _update),
    repo_route("DELETE", "/git/refs/{ref*}", WRITE, _delete),
    repo_route("POST", "/git/blobs", WRITE, _blob),
    repo_route("POST", "/git/trees", WRITE, _tree),
    repo_route("POST", "/git/commits", WRITE, _commit),
)
