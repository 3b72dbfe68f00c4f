"""Commits, branches, contents, comparisons as JSON; reads git, changes nothing."""

import base64

from deploy.devhub.git import CommitInfo, Person
from deploy.devhub.hub import Hub
from deploy.devhub.problems import Json
from deploy.devhub.state import Repository
from deploy.devhub.views import people, pulls


def _verification(repo: Repository, sha: str) -> Json:
    signed = sha in repo.signed
    nothing: Json = dict.fromkeys(("signature", "payload", "verified_at"))
    return nothing | {"verified": signed, "reason": "valid" if signed else "unsigned"}


def _signature(person: Person, when: str) -> Json:
    return {"name": person.name, "email": person.email, "date": when}


def git_commit(hub: Hub, repo: Repository, found: CommitInfo) -> Json:
    """A commit as the git data API gives it."""
    api, page = hub.urls.repo(repo), hub.urls.page(repo)
    return {
        "sha": found.sha,
        "node_id": people.node("Commit", repo.id),
        "url": f"{api}/git/commits/{found.sha}",
        "html_url": f"{page}/commit/{found.sha}",
        "author": _signature(found.author, found.authored),
        "committer": _signature(found.committer, found.committed),
        "tree": {"sha": found.tree, "url": f"{api}/git/trees/{found.tree}"},
        "message": found.message,
        "parents": [_parent(api, page, "git/commits", sha) for sha in found.parents],
        "verification": _verification(repo, found.sha),
    }


def _parent(api: str, page: str, kind: str, sha: str) -> Json:
    return {"sha": sha, "url": f"{api}/{kind}/{sha}", "html_url": f"{page}/commit/{sha}"}


def _account(hub: Hub, email: str) -> Json | None:
    local, _, host = email.partition("@")
    if not host.startswith("users.noreply."):
        return None
    account = hub.store.user(local.partition("+")[2] or local)
    return None if account is None else people.user(hub.urls, account)


def commit(hub: Hub, repo: Repository, found: CommitInfo) -> Json:
    """A commit as lists, comparisons and `GET commits/{ref}` give it, without its files."""
    api, page = hub.urls.repo(repo), hub.urls.page(repo)
    return {
        "url": f"{api}/commits/{found.sha}",
        "sha": found.sha,
        "node_id": people.node("Commit", repo.id),
        "html_url": f"{page}/commit/{found.sha}",
        "comments_url": f"{api}/commits/{found.sha}/comments",
        "commit": {
            "url": f"{api}/git/commits/{found.sha}",
            "author": _signature(found.author, found.authored),
            "committer": _signature(found.committer, found.committed),
            "message": found.message,
            "tree": {"sha": found.tree, "url": f"{api}/git/trees/{found.tree}"},
            "comment_count": 0,
            "verification": _verification(repo, found.sha),
        },
        "author": _account(hub, found.author.email),
        "committer": _account(hub, found.committer.email),
        "parents": [_parent(api, page, "commits", sha) for sha in found.parents],
    }


def branch(hub: Hub, repo: Repository, name: str, found: CommitInfo) -> Json:
    """A branch with its head commit."""
    api = f"{hub.urls.repo(repo)}/branches/{name}"
    return {
        "name": name,
        "commit": commit(hub, repo, found),
        "_links": {"self": api, "html": f"{hub.urls.page(repo)}/tree/{name}"},
        "protected": False,
        "protection": {"enabled": False},
        "protection_url": f"{api}/protection",
    }


def content(hub: Hub, repo: Repository, ref: str, path: str, *, kind: str, sha: str, data: bytes | None) -> Json:
    """A file (with its bytes when given) or one entry of a directory."""
    api, page = hub.urls.repo(repo), hub.urls.page(repo)
    own = f"{api}/contents/{path}?ref={ref}"
    git_url = f"{api}/git/{'trees' if kind == 'dir' else 'blobs'}/{sha}"
    html = f"{page}/{'tree' if kind == 'dir' else 'blob'}/{ref}/{path}"
    document: Json = {
        "type": kind,
        "size": len(data or b""),
        "name": path.rsplit("/", 1)[-1],
        "path": path,
        "sha": sha,
        "url": own,
        "git_url": git_url,
        "html_url": html,
        "download_url": None if kind == "dir" else f"{page}/raw/{ref}/{path}",
        "_links": {"self": own, "git": git_url, "html": html},
    }
    if data is None:
        return document
    return document | {"encoding": "base64", "content": base64.encodebytes(data).decode()}


def comparison(hub: Hub, repo: Repository, base: tuple[str, str], head: tuple[str, str], merge_base: str) -> Json:
    """Two commits compared; each side is the name asked for and its sha."""
    git = hub.git(repo)
    ahead, behind = git.log(f"{base[1]}..{head[1]}"), git.log(f"{head[1]}..{base[1]}")
    states = {(False, False): "identical", (True, False): "ahead", (False, True): "behind", (True, True): "diverged"}
    span = f"{base[0]}...{head[0]}"
    api, page = f"{hub.urls.repo(repo)}/compare/{span}", f"{hub.urls.page(repo)}/compare/{span}"
    return {
        "url": api,
        "html_url": page,
        "permalink_url": f"{hub.urls.page(repo)}/compare/{base[1]}...{head[1]}",
        "diff_url": f"{page}.diff",
        "patch_url": f"{page}.patch",
        "base_commit": commit(hub, repo, git.commit_info(base[1])),
        "merge_base_commit": commit(hub, repo, git.commit_info(merge_base)),
        "status": states[bool(ahead), bool(behind)],
        "ahead_by": len(ahead),
        "behind_by": len(behind),
        "total_commits": len(ahead),
        "commits": [commit(hub, repo, one) for one in reversed(ahead)],
        "files": [pulls.file(hub, repo, head[1], one) for one in git.changes(merge_base, head[1])],
    }
