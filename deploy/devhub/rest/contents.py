"""Endpoints about commits and file contents."""

from deploy.devhub.problems import Json, not_found, refusal
from deploy.devhub.routing import Reply, Request, repo_route
from deploy.devhub.state import Repository
from deploy.devhub.views import gitdata, pulls

READ = "contents=read"
MAX_INLINE = 1024**2
"""Bytes above which the content field stays empty and `raw` has to be asked for."""


def _commit(request: Request, repo: Repository) -> Reply:
    name, git = request.parts["ref"], request.hub.git(repo)
    sha = git.resolve(name)
    if sha is None:
        raise refusal(422, f"No commit found for SHA: {name}")
    if request.accept.endswith(".sha"):
        return Reply(body=sha.encode(), headers={"content-type": "application/vnd.github.sha"})
    found = git.commit_info(sha)
    files = git.changes(found.parents[0], sha) if found.parents else []
    stats = {"additions": sum(one.additions for one in files), "deletions": sum(one.deletions for one in files)}
    extra: Json = {
        "stats": stats | {"total": sum(stats.values())},
        "files": [pulls.file(request.hub, repo, sha, one) for one in files],
    }
    return Reply(body=gitdata.commit(request.hub, repo, found) | extra)


def _contents(request: Request, repo: Repository) -> Reply:
    path, git = request.parts.get("path", "").strip("/"), request.hub.git(repo)
    ref = request.query.get("ref") or repo.default_branch
    sha = git.resolve(ref)
    if sha is None:
        raise refusal(404, f"No commit found for the ref {ref}")
    entry = git.entry(sha, path)
    if entry is None:
        raise not_found()
    _, kind, object_id = entry
    if kind == "tree":
        return Reply(body=_directory(request, repo, ref, path, object_id))
    data = git.blob(object_id)
    if "raw" in request.accept:
        return Reply(body=data, headers={"content-type": "application/vnd.github.raw; charset=utf-8"})
    document = gitdata.content(request.hub, repo, ref, path, kind="file", sha=object_id, data=data)
    if len(data) > MAX_INLINE:
        document |= {"content": "", "encoding": "none"}
    return Reply(body=document)


def _directory(request: Request, repo: Repository, ref: str, path: str, tree: str) -> list[Json]:
    prefix = f"{path}/" if path else ""
    kinds = {"tree": "dir", "commit": "submodule"}
    return [
        gitdata.content(request.hub, repo, ref, prefix + name, kind=kinds.get(kind, "file"), sha=oid, data=None)
        for _, kind, oid, name in request.hub.git(repo).entries(tree)
    ]


ROUTES = (
    repo_route("GET", "/commits/{ref*}", READ, _commit),
    repo_route("GET", "/contents/", READ, _contents),
    repo_route("GET", "/contents/{path*}", READ, _contents),
)
