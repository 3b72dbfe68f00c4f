"""A scene on the stand-in and every REST call the contract tests make on it, each through githubkit."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import httpx
from githubkit import AppAuthStrategy, GitHub, Response, TokenAuthStrategy
from githubkit.cache import MemCacheStrategy

from deploy.devhub.client import RepoName
from deploy.devhub.seen import SeenIssue, as_dict
from tests.support.devhub import Devhub, running_devhub

OWNER, NAME = "octo", "demo"
_COUNT = count(1)
Answer = Response[Any, Any]
PERMISSIONS: Mapping[str, str] = {
    "contents": "write",
    "issues": "write",
    "pull_requests": "write",
    "checks": "write",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One request and its answer, as they went over the wire; the path is still quoted."""

    method: str
    path: str
    sent: bytes
    status: int
    content_type: str
    received: bytes


class Recorder(httpx.HTTPTransport):
    """A transport that keeps what passes through it."""

    def __init__(self) -> None:
        super().__init__()
        self.exchanges: list[Exchange] = []

    def close(self) -> None:
        """Clients come and go; the connections stay until `shut`."""

    def shut(self) -> None:
        super().close()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        answer = super().handle_request(request)
        answer.read()
        self.exchanges.append(
            Exchange(
                method=request.method,
                path=request.url.raw_path.decode().partition("?")[0].removeprefix("/api/v3"),
                sent=request.read(),
                status=answer.status_code,
                content_type=answer.headers.get("content-type", ""),
                received=answer.content,
            )
        )
        return answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A repository with an issue, a comment, two branches, a pull request, a check run and a delivery."""

    hub: Devhub
    recorder: Recorder
    repo: RepoName
    app: GitHub[AppAuthStrategy]
    inst: GitHub[TokenAuthStrategy]
    installation: int
    head_sha: str
    issue: int
    comment: int
    pull: int
    review_comment: int
    check: int
    delivery: int


@contextmanager
def running_scene(tmp_path: Path) -> Iterator[Scene]:
    """The scene on a stand-in of its own."""
    recorder = Recorder()
    with running_devhub(tmp_path, webhook_url="http://127.0.0.1:9/hook") as hub:
        control = hub.control
        repo = control.create_repository("octo", "demo", {"a.py": "x = 1\n", "dir/b.txt": "b\n"})
        control.set_role(repo, "mona", "write")
        head = control.commit(repo, {"a.py": "x = 2\n"}, branch="topic", start="main", message="Change x")
        control.commit(repo, {"c.py": "c = 1\n"}, branch="other", start="main")
        issue = control.create_issue(repo, "A bug", "It fails.", actor="mona", labels=("bug",))
        comment = control.comment(repo, issue, "Seen.", actor="mona")
        pull = _pull(hub, repo)
        app = GitHub(AppAuthStrategy(hub.app_id, hub.private_key_pem), **_options(hub, recorder))
        installation = control.installation_id("octo")
        token = mint(app, installation, repo)
        inst = GitHub(TokenAuthStrategy(token), **_options(hub, recorder))
        check = inst.rest.checks.create(
            "octo", "demo", name="seed", head_sha=head, status="in_progress", output=_OUTPUT
        ).parsed_data.id
        remark = control.call("POST", f"/repos/{repo.full}/pulls/{pull}/comments", {"path": "a.py", "body": "why?"})
        control.call("POST", f"/repos/{repo.full}/pulls/{pull}/reviews", {"state": "COMMENTED", "body": "hm"})
        yield Scene(
            hub=hub,
            recorder=recorder,
            repo=repo,
            app=app,
            inst=inst,
            installation=installation,
            head_sha=head,
            issue=issue,
            comment=comment,
            pull=pull,
            review_comment=int(str(as_dict(remark)["id"])),
            check=check,
            delivery=control.deliveries()[0].id,
        )
    recorder.shut()


def _pull(hub: Devhub, repo: RepoName) -> int:
    made = hub.control.call(
        "POST", f"/repos/{repo.full}/pulls", {"title": "Change x", "head": "topic", "body": "b", "draft": True}
    )
    return SeenIssue.read(made).number


def _options(hub: Devhub, recorder: Recorder) -> dict[str, Any]:
    return {
        "base_url": hub.api_url,
        "http_cache": False,
        "auto_retry": False,
        "timeout": 20,
        "transport": recorder,
        "cache_strategy": MemCacheStrategy(),
    }


def mint(app: GitHub[AppAuthStrategy], installation: int, repo: RepoName) -> str:
    """A token for one repository with the permissions of the product."""
    body = {"repositories": [repo.name], "permissions": dict(PERMISSIONS)}
    return app.rest.apps.create_installation_access_token(installation, data=body).parsed_data.token


_OUTPUT = {
    "title": "t",
    "summary": "s",
    "text": "x",
    "annotations": [{"path": "a.py", "start_line": 1, "end_line": 1, "annotation_level": "notice", "message": "look"}],
}


def _manifest(scene: Scene) -> Answer:
    made = scene.hub.control.call("POST", "/manifests", {"name": f"other {next(_COUNT)}", "owner": "octo"})
    return scene.inst.rest.apps.create_from_manifest(str(as_dict(made)["code"]))


def _own_comment(scene: Scene) -> int:
    return scene.inst.rest.issues.create_comment(OWNER, NAME, scene.issue, body="mine").parsed_data.id


def _own_ref(scene: Scene) -> str:
    name = f"made/{next(_COUNT)}"
    scene.inst.rest.git.create_ref(OWNER, NAME, ref=f"refs/heads/{name}", sha=scene.head_sha)
    return f"heads/{name}"


def _create_pull(scene: Scene) -> Answer:
    branch = f"new-{next(_COUNT)}"
    scene.hub.control.commit(scene.repo, {"n.py": branch}, branch=branch, start="main")
    return scene.inst.rest.pulls.create(OWNER, NAME, title="t", head=branch, base="main", body="b", draft=True)


def _create_tree(scene: Scene) -> Answer:
    entry = {"path": "z.txt", "mode": "100644", "type": "blob", "content": "z"}
    return scene.inst.rest.git.create_tree(OWNER, NAME, base_tree=scene.head_sha, tree=[entry])


def _create_commit(scene: Scene) -> Answer:
    tree = scene.inst.rest.git.create_tree(
        OWNER, NAME, tree=[{"path": "z", "mode": "100644", "type": "blob", "content": "z"}]
    )
    sha = tree.parsed_data.sha
    return scene.inst.rest.git.create_commit(OWNER, NAME, message="m", tree=sha, parents=[scene.head_sha])


def _revoke(scene: Scene) -> Answer:
    token = mint(scene.app, scene.installation, scene.repo)
    client = GitHub(TokenAuthStrategy(token), **_options(scene.hub, scene.recorder))
    return client.rest.apps.revoke_installation_access_token()


def _labelled(scene: Scene, label: str) -> Scene:
    scene.inst.rest.issues.add_labels(OWNER, NAME, scene.issue, data={"labels": [label]})
    return scene


def _move(scene: Scene) -> Answer:
    ref = _own_ref(scene)
    sha = _create_commit(scene).parsed_data.sha
    return scene.inst.rest.git.update_ref(OWNER, NAME, ref, sha=sha)


OPERATIONS: Mapping[str, Callable[[Scene], Answer]] = {
    "app": lambda s: s.app.rest.apps.get_authenticated(),
    "app installations": lambda s: s.app.rest.apps.list_installations(),
    "app installation": lambda s: s.app.rest.apps.get_installation(s.installation),
    "access token": lambda s: s.app.rest.apps.create_installation_access_token(
        s.installation, data={"repositories": [NAME]}
    ),
    "hook config": lambda s: s.app.rest.apps.get_webhook_config_for_app(),
    "deliveries": lambda s: s.app.rest.apps.list_webhook_deliveries(),
    "delivery": lambda s: s.app.rest.apps.get_webhook_delivery(s.delivery),
    "redeliver": lambda s: s.app.rest.apps.redeliver_webhook_delivery(s.delivery),
    "manifest": _manifest,
    "repository installation": lambda s: s.app.rest.apps.get_repo_installation(OWNER, NAME),
    "installation repositories": lambda s: s.inst.rest.apps.list_repos_accessible_to_installation(),
    "revoke": _revoke,
    "user": lambda s: s.inst.rest.users.get_by_username("mona"),
    "bot user": lambda s: s.inst.rest.users.get_by_username("bendcoder[bot]"),
    "rate limit": lambda s: s.inst.rest.rate_limit.get(),
    "meta": lambda s: s.inst.rest.meta.get(),
    "versions": lambda s: s.inst.rest.meta.get_all_versions(),
    "repository": lambda s: s.inst.rest.repos.get(OWNER, NAME),
    "permission": lambda s: s.inst.rest.repos.get_collaborator_permission_level(OWNER, NAME, "mona"),
    "permission of a stranger": lambda s: s.inst.rest.repos.get_collaborator_permission_level(OWNER, NAME, "octo"),
    "branches": lambda s: s.inst.rest.repos.list_branches(OWNER, NAME),
    "branch": lambda s: s.inst.rest.repos.get_branch(OWNER, NAME, "topic"),
    "compare": lambda s: s.inst.rest.repos.compare_commits(OWNER, NAME, "main...topic"),
    "commit": lambda s: s.inst.rest.repos.get_commit(OWNER, NAME, "topic"),
    "root contents": lambda s: s.inst.rest.repos.get_content(OWNER, NAME, ""),
    "file": lambda s: s.inst.rest.repos.get_content(OWNER, NAME, "a.py", ref="topic"),
    "directory": lambda s: s.inst.rest.repos.get_content(OWNER, NAME, "dir"),
    "ref": lambda s: s.inst.rest.git.get_ref(OWNER, NAME, "heads/topic"),
    "matching refs": lambda s: s.inst.rest.git.list_matching_refs(OWNER, NAME, "heads/to"),
    "create ref": lambda s: s.inst.rest.git.create_ref(OWNER, NAME, ref=f"refs/heads/x{next(_COUNT)}", sha=s.head_sha),
    "update ref": _move,
    "delete ref": lambda s: s.inst.rest.git.delete_ref(OWNER, NAME, _own_ref(s)),
    "create blob": lambda s: s.inst.rest.git.create_blob(OWNER, NAME, content="aGk=", encoding="base64"),
    "create tree": _create_tree,
    "create commit": _create_commit,
    "issues": lambda s: s.inst.rest.issues.list_for_repo(OWNER, NAME, state="all"),
    "issue": lambda s: s.inst.rest.issues.get(OWNER, NAME, s.issue),
    "edit issue": lambda s: s.inst.rest.issues.update(OWNER, NAME, s.issue, body="It fails again."),
    "issue events": lambda s: s.inst.rest.issues.list_events(OWNER, NAME, s.issue),
    "timeline": lambda s: s.inst.rest.issues.list_events_for_timeline(OWNER, NAME, s.issue),
    "comments": lambda s: s.inst.rest.issues.list_comments(OWNER, NAME, s.issue),
    "comment": lambda s: s.inst.rest.issues.get_comment(OWNER, NAME, s.comment),
    "create comment": lambda s: s.inst.rest.issues.create_comment(OWNER, NAME, s.issue, body="hello"),
    "edit comment": lambda s: s.inst.rest.issues.update_comment(OWNER, NAME, _own_comment(s), body="edited"),
    "delete comment": lambda s: s.inst.rest.issues.delete_comment(OWNER, NAME, _own_comment(s)),
    "react to issue": lambda s: s.inst.rest.reactions.create_for_issue(OWNER, NAME, s.issue, content="eyes"),
    "reactions of issue": lambda s: s.inst.rest.reactions.list_for_issue(OWNER, NAME, s.issue),
    "react to comment": lambda s: s.inst.rest.reactions.create_for_issue_comment(
        OWNER, NAME, s.comment, content="rocket"
    ),
    "labels of issue": lambda s: s.inst.rest.issues.list_labels_on_issue(OWNER, NAME, s.issue),
    "add labels": lambda s: s.inst.rest.issues.add_labels(OWNER, NAME, s.issue, data={"labels": ["needs triage"]}),
    "remove label": lambda s: _labelled(s, "gone soon").inst.rest.issues.remove_label(
        OWNER, NAME, s.issue, "gone soon"
    ),
    "labels of repository": lambda s: s.inst.rest.issues.list_labels_for_repo(OWNER, NAME),
    "create label": lambda s: s.inst.rest.issues.create_label(OWNER, NAME, name=f"l{next(_COUNT)}", color="ff0000"),
    "pulls": lambda s: s.inst.rest.pulls.list(OWNER, NAME, state="all", head="octo:topic"),
    "pull": lambda s: s.inst.rest.pulls.get(OWNER, NAME, s.pull),
    "create pull": _create_pull,
    "edit pull": lambda s: s.inst.rest.pulls.update(OWNER, NAME, s.pull, body="new body"),
    "pull files": lambda s: s.inst.rest.pulls.list_files(OWNER, NAME, s.pull),
    "pull commits": lambda s: s.inst.rest.pulls.list_commits(OWNER, NAME, s.pull),
    "reviews": lambda s: s.inst.rest.pulls.list_reviews(OWNER, NAME, s.pull),
    "review comments": lambda s: s.inst.rest.pulls.list_review_comments(OWNER, NAME, s.pull),
    "reply": lambda s: s.inst.rest.pulls.create_reply_for_review_comment(
        OWNER, NAME, s.pull, s.review_comment, body="so"
    ),
    "react to review comment": lambda s: s.inst.rest.reactions.create_for_pull_request_review_comment(
        OWNER, NAME, s.review_comment, content="+1"
    ),
    "request reviewers": lambda s: s.inst.rest.pulls.request_reviewers(
        OWNER, NAME, s.pull, data={"reviewers": ["mona"]}
    ),
    "create check": lambda s: s.inst.rest.checks.create(
        OWNER, NAME, name="bendcoder", head_sha=s.head_sha, status="completed", conclusion="neutral", output=_OUTPUT
    ),
    "check": lambda s: s.inst.rest.checks.get(OWNER, NAME, s.check),
    "edit check": lambda s: s.inst.rest.checks.update(OWNER, NAME, s.check, output=_OUTPUT),
    "annotations": lambda s: s.inst.rest.checks.list_annotations(OWNER, NAME, s.check),
    "checks of commit": lambda s: s.inst.rest.checks.list_for_ref(OWNER, NAME, s.head_sha),
}
"""Every endpoint of the stand-in, by a name of ours; each entry makes what it destroys."""
