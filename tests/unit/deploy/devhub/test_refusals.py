"""The refusals a client has to live with, computed from the stand-in's state and its bare repositories."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from deploy.devhub.client import RepoName
from tests.support.devhub import Devhub, installation_token, rest, running_devhub

pytestmark = pytest.mark.xdist_group("test-refusals")


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Devhub]:
    with running_devhub(tmp_path_factory.mktemp("hub")) as made:
        yield made


@pytest.fixture
def repo(hub: Devhub) -> Iterator[RepoName]:
    made = hub.control.create_repository("octo", "demo", {"a.py": "x = 1\n"})
    hub.control.commit(made, {"a.py": "x = 2\n"}, branch="topic", start="main")
    yield made
    hub.control.delete_repository(made)


@pytest.fixture
def client(hub: Devhub, repo: RepoName) -> Iterator[httpx.Client]:
    with rest(hub, installation_token(hub, "octo")) as made:
        yield made


PULLS = "/repos/octo/demo/pulls"


def _pull(client: httpx.Client, **changes: object) -> httpx.Response:
    return client.post(PULLS, json={"title": "t", "head": "topic", "base": "main", "draft": True} | changes)


def _error(answer: httpx.Response) -> dict[str, object]:
    assert answer.status_code == 422
    assert answer.json()["message"] == "Validation Failed"
    (error,) = answer.json()["errors"]
    return dict(error)


def test_draft_pull_request_is_opened_by_the_bot(hub: Devhub, repo: RepoName, client: httpx.Client) -> None:
    answer = _pull(client, body="b")
    assert answer.status_code == 201
    assert answer.json()["user"]["login"] == "bendcoder[bot]"
    seen = hub.control.pull(repo, answer.json()["number"])
    assert (seen.draft, seen.head, seen.base, seen.changed_files) == (True, "topic", "main", 1)


def test_second_pull_request_for_a_head(client: httpx.Client) -> None:
    first = _pull(client).json()["number"]
    error = _error(_pull(client))
    assert error["message"] == "A pull request already exists for octo:topic."
    client.patch(f"{PULLS}/{first}", json={"state": "closed"})
    assert _pull(client).status_code == 201


def test_of_simultaneous_requests_one_wins(client: httpx.Client) -> None:
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: _pull(client).status_code, range(8)))
    assert sorted(answers) == [201, *[422] * 7]


def test_no_commits_between(hub: Devhub, repo: RepoName, client: httpx.Client) -> None:
    sha = hub.control.branches(repo)["main"]
    client.post("/repos/octo/demo/git/refs", json={"ref": "refs/heads/same", "sha": sha})
    error = _error(_pull(client, head="same"))
    assert (error["resource"], error["code"]) == ("PullRequest", "custom")
    assert error["message"] == "No commits between main and same"


@pytest.mark.parametrize(("changes", "field"), [({"head": "gone"}, "head"), ({"base": "gone"}, "base")])
def test_missing_branches(client: httpx.Client, changes: dict[str, str], field: str) -> None:
    error = _error(_pull(client, **changes))
    assert (error["resource"], error["field"], error["code"]) == ("PullRequest", field, "invalid")


def test_drafts_may_be_unsupported(hub: Devhub, repo: RepoName, client: httpx.Client) -> None:
    hub.control.change_repository(repo, drafts=False)
    answer = _pull(client)
    assert answer.status_code == 422
    assert answer.json()["message"] == "Draft pull requests are not supported in this repository."
    assert "errors" not in answer.json()
    assert _pull(client, draft=False).status_code == 201


def test_bodies_may_be_too_long(hub: Devhub, repo: RepoName, client: httpx.Client) -> None:
    assert _error(_pull(client, body="x" * 65_537))["message"] == "body is too long (maximum is 65536 characters)"
    number = hub.control.create_issue(repo, "t")
    comments = f"/repos/octo/demo/issues/{number}/comments"
    assert client.post(comments, json={"body": "x" * 200_000}).status_code == 201
    error = _error(client.post(comments, json={"body": "x" * 262_145}))
    assert (error["resource"], error["code"], error["field"]) == ("IssueComment", "unprocessable", "data")
    assert _error(client.post(comments, json={"body": " "}))["message"] == "Body cannot be blank"


def test_locked_deleted_archived(hub: Devhub, repo: RepoName, client: httpx.Client) -> None:
    number = hub.control.create_issue(repo, "t")
    comments = f"/repos/octo/demo/issues/{number}/comments"
    hub.control.change_issue(repo, number, locked=True)
    assert client.post(comments, json={"body": "b"}).status_code == 403
    hub.control.change_issue(repo, number, locked=False)
    assert client.post(comments, json={"body": "b"}).status_code == 201
    hub.control.change_repository(repo, archived=True)
    assert client.get(comments).status_code == 200
    answer = client.post(comments, json={"body": "b"})
    assert (answer.status_code, answer.json()["message"]) == (403, "Repository was archived so is read-only.")
    hub.control.change_issue(repo, number, deleted=True)
    assert client.get(comments).status_code == 410


def test_renamed_repository_redirects_to_its_id(hub: Devhub, repo: RepoName, client: httpx.Client) -> None:
    number = hub.control.create_issue(repo, "t")
    hub.control.change_repository(repo, name="renamed")
    answer = client.get(f"/repos/octo/demo/issues/{number}")
    assert answer.status_code == 301
    followed = client.get(answer.headers["location"])
    assert followed.json()["title"] == "t"
    assert client.get(followed.json()["repository_url"]).json()["name"] == "renamed"
    hub.control.change_repository(RepoName(owner="octo", name="renamed"), name="demo")


def test_refs_move_forward_unless_forced(hub: Devhub, repo: RepoName, client: httpx.Client) -> None:
    shas = hub.control.branches(repo)
    ref = "/repos/octo/demo/git/refs/heads/topic"
    assert client.patch(ref, json={"sha": shas["main"]}).status_code == 422
    assert client.patch(ref, json={"sha": shas["main"], "force": True}).status_code == 200
    assert hub.control.branches(repo)["topic"] == shas["main"]
    made = client.post("/repos/octo/demo/git/refs", json={"ref": "refs/heads/topic", "sha": shas["main"]})
    assert made.json()["message"] == "Reference already exists"
    assert client.delete(ref).status_code == 204
    assert client.delete(ref).status_code == 422


def test_check_run_needs_a_commit_and_a_conclusion(hub: Devhub, repo: RepoName, client: httpx.Client) -> None:
    checks, sha = "/repos/octo/demo/check-runs", hub.control.branches(repo)["topic"]
    assert client.post(checks, json={"name": "c", "head_sha": "0" * 40}).status_code == 422
    assert client.post(checks, json={"name": "c", "head_sha": sha, "status": "completed"}).status_code == 422
    long = {"title": "t", "summary": "x" * 65_536}
    assert client.post(checks, json={"name": "c", "head_sha": sha, "output": long}).status_code == 422
    notes = [{"path": "a.py", "start_line": 1, "end_line": 1, "annotation_level": "notice", "message": "m"}] * 51
    output = {"title": "t", "summary": "s", "annotations": notes}
    assert client.post(checks, json={"name": "c", "head_sha": sha, "output": output}).status_code == 422
    good = client.post(checks, json={"name": "c", "head_sha": sha, "conclusion": "success", "external_id": "job"})
    assert (good.status_code, good.json()["status"]) == (201, "completed")
    assert [one.external_id for one in hub.control.checks(repo)] == ["job"]


def test_bodies_that_are_no_json_object(client: httpx.Client) -> None:
    for raw in (b"{", b"[1]"):
        assert client.post(PULLS, content=raw).status_code == 400
    answer = client.post(PULLS, json={"head": "topic", "base": "main"})
    assert answer.json()["errors"] == [{"resource": "PullRequest", "field": "title", "code": "missing_field"}]


def test_unknown_paths_and_versions(hub: Devhub, client: httpx.Client) -> None:
    assert client.get("/repos/octo/demo/nothing").status_code == 404
    assert [one.known for one in hub.control.calls(path="/nothing")] == [False]
    assert client.get("/meta", headers={"x-github-api-version": "1999-01-01"}).status_code == 400
