"""Every webhook of the stand-in parses as githubkit's model of that event, signed and named as GitHub does."""

import hashlib
import hmac
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from uuid import UUID

import pytest
from githubkit import AppAuthStrategy, GitHub, webhooks
from githubkit.cache import MemCacheStrategy

from deploy.devhub.client import RepoName
from tests.support.devhub import Devhub, running_devhub
from tests.support.hook_receiver import Received, Receiver, running_receiver

pytestmark = pytest.mark.xdist_group("devhub-webhooks")

EVENTS = ["issues", "issue_comment", "pull_request", "pull_request_review", "pull_request_review_comment"]


@pytest.fixture(scope="module")
def receiver() -> Iterator[Receiver]:
    with running_receiver() as made:
        yield made


@pytest.fixture(scope="module")
def hub(receiver: Receiver, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Devhub]:
    with running_devhub(tmp_path_factory.mktemp("hub"), webhook_url=receiver.url) as made:
        made.control.call("PATCH", "/app", {"events": [*EVENTS, "push", "repository"]})
        yield made


@pytest.fixture
def repo(hub: Devhub, receiver: Receiver, tmp_path: Path) -> RepoName:
    made = hub.control.create_repository("octo", f"r-{tmp_path.name}", {"a.py": "x = 1\n"})
    hub.control.wait(hub.control.settled)
    receiver.received.clear()
    return made


def _open(hub: Devhub, repo: RepoName) -> int:
    return hub.control.create_issue(repo, "t", "b", actor="mona")


def _pull(hub: Devhub, repo: RepoName) -> int:
    hub.control.commit(repo, {"a.py": "x = 2\n"}, branch="topic", start="main")
    hub.control.call("POST", f"/repos/{repo.full}/pulls", {"title": "t", "head": "topic", "draft": True})
    return hub.control.pulls(repo)[-1].number


def _labelled(hub: Devhub, repo: RepoName) -> None:
    number = _open(hub, repo)
    hub.control.add_label(repo, number, "bendcoder", actor="mona")
    hub.control.remove_label(repo, number, "bendcoder")


def _commented(hub: Devhub, repo: RepoName) -> None:
    made = hub.control.comment(repo, _open(hub, repo), "/bendcoder steps=12", actor="mona")
    hub.control.edit_comment(repo, made, "/bendcoder steps=13", actor="mona")
    hub.control.delete_comment(repo, made)


def _edited(hub: Devhub, repo: RepoName) -> None:
    number = _open(hub, repo)
    hub.control.change_issue(repo, number, title="other", body="words")
    hub.control.change_issue(repo, number, state="closed")
    hub.control.change_issue(repo, number, state="open")


def _moved(hub: Devhub, repo: RepoName) -> None:
    _pull(hub, repo)
    hub.control.commit(repo, {"a.py": "x = 3\n"}, branch="topic")


def _reviewed(hub: Devhub, repo: RepoName) -> None:
    number = _pull(hub, repo)
    hub.control.call("POST", f"/repos/{repo.full}/pulls/{number}/reviews", {"state": "CHANGES_REQUESTED", "body": "n"})
    hub.control.call("POST", f"/repos/{repo.full}/pulls/{number}/comments", {"path": "a.py", "body": "why", "line": 1})


def _merged(hub: Devhub, repo: RepoName) -> None:
    number = _pull(hub, repo)
    hub.control.add_label(repo, number, "bug")
    hub.control.comment(repo, number, "on a pull request")
    hub.control.call("POST", f"/repos/{repo.full}/pulls/{number}/ready", {})
    hub.control.call("POST", f"/repos/{repo.full}/pulls/{number}/merge", {})


def _checked(hub: Devhub, repo: RepoName) -> None:
    auth = AppAuthStrategy(hub.app_id, hub.private_key_pem).as_installation(hub.control.installation_id("octo"))
    with GitHub(auth, base_url=hub.api_url, http_cache=False, cache_strategy=MemCacheStrategy()) as github:
        sha, made = hub.control.branches(repo)["main"], github.rest.checks
        run = made.create(repo.owner, repo.name, name="c", head_sha=sha, status="in_progress").parsed_data.id
        made.update(repo.owner, repo.name, run, conclusion="success", status="completed")
    hub.control.call("POST", f"/repos/{repo.full}/check-runs/{run}/rerequest", {})


def _suspended(hub: Devhub, repo: RepoName) -> None:
    hub.control.change_installation("octo", suspended=True)
    hub.control.change_installation("octo", suspended=False)


def _selected(hub: Devhub, repo: RepoName) -> None:
    hub.control.change_installation("octo", repositories=[])
    hub.control.change_installation("octo", repositories=None)


def _reinstalled(hub: Devhub, repo: RepoName) -> None:
    hub.control.uninstall("octo")
    hub.control.call("POST", "/installations/octo", {})


def _renamed(hub: Devhub, repo: RepoName) -> None:
    hub.control.change_repository(repo, name=f"{repo.name}-new")


SCENES: Mapping[Callable[[Devhub, RepoName], object], tuple[str, ...]] = {
    _labelled: ("issues:opened", "issues:labeled", "issues:unlabeled"),
    _commented: ("issues:opened", "issue_comment:created", "issue_comment:edited", "issue_comment:deleted"),
    _edited: ("issues:opened", "issues:edited", "issues:closed", "issues:reopened"),
    _moved: ("push:", "pull_request:opened", "push:", "pull_request:synchronize"),
    _reviewed: (
        "push:",
        "pull_request:opened",
        "pull_request_review:submitted",
        "pull_request_review_comment:created",
    ),
    _merged: (
        "push:",
        "pull_request:opened",
        "pull_request:labeled",
        "issue_comment:created",
        "pull_request:ready_for_review",
        "pull_request:closed",
        "push:",
    ),
    _checked: ("check_run:created", "check_run:completed", "check_run:rerequested"),
    _suspended: ("installation:suspend", "installation:unsuspend"),
    _selected: ("installation_repositories:removed", "installation_repositories:added"),
    _reinstalled: ("installation:deleted", "installation:created"),
    _renamed: ("repository:renamed",),
}


def _named(one: Received) -> str:
    event = one.headers["x-github-event"]
    parsed = webhooks.parse(event, one.raw)
    return f"{event}:{getattr(parsed, 'action', '')}"


@pytest.mark.parametrize("act", SCENES, ids=lambda act: act.__name__.strip("_"))
def test_events_parse(
    hub: Devhub, receiver: Receiver, repo: RepoName, act: Callable[[Devhub, RepoName], object]
) -> None:
    act(hub, repo)
    found = receiver.wait(len(SCENES[act]))
    assert sorted(map(_named, found)) == sorted(SCENES[act])


def test_headers_and_signature(hub: Devhub, receiver: Receiver, repo: RepoName) -> None:
    _open(hub, repo)
    (one,) = receiver.wait(1)
    key = hub.webhook_secret.encode()
    assert one.headers["x-hub-signature-256"] == "sha256=" + hmac.new(key, one.raw, hashlib.sha256).hexdigest()
    assert one.headers["x-hub-signature"] == "sha1=" + hmac.new(key, one.raw, hashlib.sha1).hexdigest()
    assert webhooks.verify(hub.webhook_secret, one.raw, one.headers["x-hub-signature-256"])
    assert str(UUID(one.headers["x-github-delivery"])) == one.headers["x-github-delivery"]
    assert one.headers["x-github-hook-installation-target-id"] == str(hub.app_id)
    assert one.headers["x-github-hook-installation-target-type"] == "integration"
    assert one.headers["x-github-hook-id"].isdecimal()
    assert one.headers["user-agent"].startswith("GitHub-Hookshot/")
    assert one.headers["content-type"] == "application/json"
