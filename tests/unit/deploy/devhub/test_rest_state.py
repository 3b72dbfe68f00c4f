"""The REST API remembers: comments, reactions, labels, events, roles, pages of lists, conditional requests."""

import base64
from collections.abc import Iterator

import httpx
import pytest

from deploy.devhub.client import RepoName
from tests.support.devhub import Devhub, installation_token, rest, running_devhub

pytestmark = pytest.mark.xdist_group("test-rest-state")


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Devhub]:
    with running_devhub(tmp_path_factory.mktemp("hub")) as made:
        yield made


@pytest.fixture
def repo(hub: Devhub) -> Iterator[RepoName]:
    made = hub.control.create_repository("octo", "demo", {"a.py": "x = 1\n", "dir/b.txt": "b\n"})
    yield made
    hub.control.delete_repository(made)


@pytest.fixture
def client(hub: Devhub, repo: RepoName) -> Iterator[httpx.Client]:
    with rest(hub, installation_token(hub, "octo")) as made:
        yield made


REPO = "/repos/octo/demo"


def test_sticky_comment(hub: Devhub, repo: RepoName, client: httpx.Client) -> None:
    number = hub.control.create_issue(repo, "t")
    made = client.post(f"{REPO}/issues/{number}/comments", json={"body": "one"}).json()
    assert made["performed_via_github_app"]["id"] == hub.app_id
    path = f"{REPO}/issues/comments/{made['id']}"
    assert client.patch(path, json={"body": "two"}).json()["body"] == "two"
    (seen,) = hub.control.comments(repo, number)
    assert (seen.body, seen.author, seen.by_app) == ("two", "bendcoder[bot]", True)
    assert client.delete(path).status_code == 204
    assert client.patch(path, json={"body": "three"}).status_code == 404


def test_reactions_are_idempotent(hub: Devhub, repo: RepoName, client: httpx.Client) -> None:
    number = hub.control.create_issue(repo, "t")
    comment = hub.control.comment(repo, number, "c")
    for path in (f"{REPO}/issues/{number}/reactions", f"{REPO}/issues/comments/{comment}/reactions"):
        assert [client.post(path, json={"content": "eyes"}).status_code for _ in range(2)] == [201, 200]
    assert client.post(f"{REPO}/issues/{number}/reactions", json={"content": "nose"}).status_code == 422
    assert [one.content for one in hub.control.reactions(repo, number)] == ["eyes", "eyes"]


def test_label_events_name_who_labelled(hub: Devhub, repo: RepoName, client: httpx.Client) -> None:
    number = hub.control.create_issue(repo, "t", labels=("bug",))
    hub.control.add_label(repo, number, "bendcoder", actor="mona")
    hub.control.add_label(repo, number, "Bendcoder", actor="other")
    client.post(f"{REPO}/issues/{number}/labels", json={"labels": ["bot label"]})
    events = client.get(f"{REPO}/issues/{number}/events").json()
    assert [(one["event"], one["label"]["name"], one["actor"]["login"]) for one in events] == [
        ("labeled", "bug", "octo"),
        ("labeled", "bendcoder", "mona"),
        ("labeled", "bot label", "bendcoder[bot]"),
    ]
    assert client.delete(f"{REPO}/issues/{number}/labels/bug").status_code == 200
    assert client.delete(f"{REPO}/issues/{number}/labels/bug").status_code == 404
    assert hub.control.issue(repo, number).labels == ("bendcoder", "bot label")


@pytest.mark.parametrize(
    ("role", "permission"),
    [("admin", "admin"), ("maintain", "write"), ("write", "write"), ("triage", "read"), ("none", "none")],
)
def test_roles_fold_into_permissions(
    hub: Devhub, repo: RepoName, client: httpx.Client, role: str, permission: str
) -> None:
    hub.control.set_role(repo, "mona", role)
    found = client.get(f"{REPO}/collaborators/mona/permission").json()
    assert (found["permission"], found["role_name"]) == (permission, role)


def test_permission_of_strangers_and_nobody(hub: Devhub, repo: RepoName, client: httpx.Client) -> None:
    hub.control.create_issue(repo, "t", actor="stranger")
    assert client.get(f"{REPO}/collaborators/stranger/permission").json()["permission"] == "read"
    hub.control.change_repository(repo, private=True)
    assert client.get(f"{REPO}/collaborators/stranger/permission").json()["permission"] == "none"
    assert client.get(f"{REPO}/collaborators/nobody-at-all/permission").status_code == 404
    assert client.get(f"{REPO}/collaborators/bendcoder%5Bbot%5D/permission").json()["permission"] == "none"


def test_bot_account(hub: Devhub, repo: RepoName, client: httpx.Client) -> None:
    found = client.get("/users/bendcoder%5Bbot%5D").json()
    assert (found["login"], found["type"]) == ("bendcoder[bot]", "Bot")
    assert found["id"] != hub.app_id


def test_lists_come_in_pages(hub: Devhub, repo: RepoName, client: httpx.Client) -> None:
    number = hub.control.create_issue(repo, "t")
    for index in range(5):
        hub.control.comment(repo, number, f"c{index}")
    url: str | None = f"{REPO}/issues/{number}/comments?per_page=2"
    seen = []
    while url is not None:
        answer = client.get(url)
        seen += [one["body"] for one in answer.json()]
        url = answer.links["next"]["url"] if "next" in answer.links else None
    assert seen == ["c0", "c1", "c2", "c3", "c4"]


def test_unchanged_answers_are_304(repo: RepoName, client: httpx.Client) -> None:
    etag = client.get(REPO).headers["etag"]
    assert client.get(REPO, headers={"if-none-match": etag}).status_code == 304
    assert client.get(REPO, headers={"if-none-match": '"other"'}).status_code == 200


def test_contents(hub: Devhub, repo: RepoName, client: httpx.Client) -> None:
    found = client.get(f"{REPO}/contents/a.py").json()
    assert base64.b64decode(found["content"]) == b"x = 1\n"
    raw = client.get(f"{REPO}/contents/a.py", headers={"accept": "application/vnd.github.raw+json"})
    assert raw.content == b"x = 1\n"
    assert [one["path"] for one in client.get(f"{REPO}/contents/dir").json()] == ["dir/b.txt"]
    assert client.get(f"{REPO}/contents/none.py").status_code == 404
    assert client.get(f"{REPO}/contents/a.py?ref=none").status_code == 404
    assert client.get(f"{REPO}/contents/..%2f..%2fetc/passwd").status_code == 404


def test_pulls_by_head(hub: Devhub, repo: RepoName, client: httpx.Client) -> None:
    for branch in ("one", "two/deep"):
        hub.control.commit(repo, {"a.py": branch}, branch=branch, start="main")
        client.post(f"{REPO}/pulls", json={"title": branch, "head": branch, "base": "main"})
    found = client.get(f"{REPO}/pulls", params={"head": "octo:two/deep", "state": "all"}).json()
    assert [one["title"] for one in found] == ["two/deep"]
    assert client.get(f"{REPO}/pulls", params={"head": "other:one"}).json() == []
    assert len(client.get(f"{REPO}/pulls").json()) == 2


def test_pull_follows_its_branch(hub: Devhub, repo: RepoName, client: httpx.Client) -> None:
    first = hub.control.commit(repo, {"a.py": "2"}, branch="topic", start="main")
    number = client.post(f"{REPO}/pulls", json={"title": "t", "head": "topic", "base": "main"}).json()["number"]
    assert hub.control.pull(repo, number).head_sha == first
    second = hub.control.commit(repo, {"b.py": "3"}, branch="topic")
    assert hub.control.pull(repo, number).head_sha == second
    assert client.get(f"{REPO}/pulls/{number}").json()["commits"] == 2
    client.delete(f"{REPO}/git/refs/heads/topic")
    assert hub.control.pull(repo, number).state == "closed"


def test_git_data_api_makes_commits(hub: Devhub, repo: RepoName, client: httpx.Client) -> None:
    main = hub.control.branches(repo)["main"]
    blob = client.post(f"{REPO}/git/blobs", json={"content": "aGk=", "encoding": "base64"}).json()["sha"]
    entries = [
        {"path": "new.sh", "mode": "100755", "type": "blob", "sha": blob},
        {"path": "a.py", "mode": "100644", "type": "blob", "sha": None},
    ]
    tree = client.post(f"{REPO}/git/trees", json={"base_tree": main, "tree": entries}).json()["sha"]
    commit = client.post(f"{REPO}/git/commits", json={"message": "m", "tree": tree, "parents": [main]}).json()
    assert commit["verification"]["verified"] is True
    author = {"name": "n", "email": "n@n"}
    named = client.post(f"{REPO}/git/commits", json={"message": "n", "tree": tree, "parents": [], "author": author})
    assert named.json()["verification"] == dict.fromkeys(("signature", "payload", "verified_at")) | {
        "verified": False,
        "reason": "unsigned",
    }
    client.post(f"{REPO}/git/refs", json={"ref": "refs/heads/made", "sha": commit["sha"]})
    assert hub.control.file(repo, "new.sh", "made") == b"hi"
    assert hub.control.file(repo, "a.py", "made") is None
    compared = client.get(f"{REPO}/compare/main...made").json()
    assert (compared["status"], compared["ahead_by"], len(compared["files"])) == ("ahead", 1, 2)


def test_call_log_tells_what_was_asked_of_which_repository(hub: Devhub, repo: RepoName, client: httpx.Client) -> None:
    hub.control.clear_calls()
    client.get(REPO)
    untouched = hub.control.create_repository("octo", "untouched", {"a": "a"})
    assert hub.control.calls(repository="octo/untouched") == []
    hub.control.delete_repository(untouched)
    by_id = client.get(f"/repositories/{hub.control.repository_id(repo)}")
    assert by_id.json()["full_name"] == "octo/demo"
    calls = hub.control.calls(repository="OCTO/demo", method="get")
    assert [(one.status, one.who) for one in calls] == [(200, "installation"), (200, "installation")]
    hub.control.clear_calls()
    assert hub.control.calls() == []
