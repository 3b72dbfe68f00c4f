"""Fault rules: which call they hit, what the client sees, and whether the effect took place."""

import time
from collections.abc import Iterator

import httpx
import pytest

from deploy.devhub.client import DevhubRefused, RepoName
from deploy.devhub.faults import PRESETS, Fault, Faults
from tests.support.devhub import Devhub, installation_token, rest, running_devhub

pytestmark = pytest.mark.xdist_group("test-faults")


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Devhub]:
    with running_devhub(tmp_path_factory.mktemp("hub")) as made:
        yield made


@pytest.fixture
def repo(hub: Devhub) -> Iterator[RepoName]:
    made = hub.control.create_repository("octo", "demo", {"a.py": "x = 1\n"})
    yield made
    hub.control.clear_faults()
    hub.control.delete_repository(made)


@pytest.fixture
def client(hub: Devhub, repo: RepoName) -> Iterator[httpx.Client]:
    with rest(hub, installation_token(hub, "octo")) as made:
        yield made


REPO = "/repos/octo/demo"


def test_a_rule_hits_the_nth_call_and_as_many_as_it_says() -> None:
    faults = Faults()
    faults.add(method="GET", path="/a*", nth=2, times=2, fault=Fault(status=500))
    hits = [faults.match("GET", "/abc") is not None for _ in range(5)]
    assert hits == [False, True, True, False, False]
    assert faults.match("POST", "/abc") is None
    assert faults.match("GET", "/b") is None
    faults.add(method="*", path="*", nth=1, times=None, fault=Fault(status=503))
    assert all(faults.match("PUT", "/anything") is not None for _ in range(10))


@pytest.mark.parametrize("preset", [name for name, fault in PRESETS.items() if fault.status is not None])
def test_presets_answer_in_place_of_the_endpoint(hub: Devhub, client: httpx.Client, preset: str) -> None:
    hub.control.fault(REPO, preset=preset)
    answer = client.get(REPO)
    assert answer.status_code == PRESETS[preset].status
    for name, value in PRESETS[preset].headers.items():
        assert answer.headers[name] == value
    assert client.get(REPO).status_code == 200


def test_html_where_json_was_hoped_for(hub: Devhub, client: httpx.Client) -> None:
    hub.control.fault(REPO, preset="html_502")
    answer = client.get(REPO)
    assert answer.headers["content-type"] == "text/html"
    assert "<h1>502 Bad Gateway</h1>" in answer.text


@pytest.mark.parametrize(("reset", "effect"), [("before", 0), ("after", 1)])
def test_hanging_up(hub: Devhub, repo: RepoName, client: httpx.Client, reset: str, effect: int) -> None:
    number = hub.control.create_issue(repo, "t")
    path = f"{REPO}/issues/{number}/comments"
    hub.control.fault(path, method="POST", reset=reset)
    with pytest.raises((httpx.ReadError, httpx.RemoteProtocolError)):
        client.post(path, json={"body": "b"})
    assert len(hub.control.comments(repo, number)) == effect
    assert client.post(path, json={"body": "b"}).status_code == 201


def test_waiting_before_and_in_the_middle_of_an_answer(hub: Devhub, client: httpx.Client) -> None:
    hub.control.fault(REPO, delay=0.3)
    began = time.monotonic()
    assert client.get(REPO).json()["name"] == "demo"
    assert time.monotonic() - began >= 0.3
    hub.control.fault(REPO, body_delay=0.5)
    with client.stream("GET", REPO) as answer:
        began = time.monotonic()
        answer.read()
    assert time.monotonic() - began >= 0.3
    assert answer.json()["name"] == "demo"


def test_own_answers_and_bad_rules(hub: Devhub, client: httpx.Client) -> None:
    hub.control.fault(REPO, status=418, body={"message": "tea"}, headers={"x-pot": "short"})
    answer = client.get(REPO)
    assert (answer.status_code, answer.json(), answer.headers["x-pot"]) == (418, {"message": "tea"}, "short")
    for wrong in ({"preset": "none"}, {"reset": "sometimes"}, {"status": "four"}):
        with pytest.raises(DevhubRefused):
            hub.control.fault(REPO, **wrong)


def test_secondary_limit_counts_what_creates_content(hub: Devhub, repo: RepoName, client: httpx.Client) -> None:
    number = hub.control.create_issue(repo, "t")
    hub.control.call("POST", "/clock", {"creations_per_minute": 2})
    path = f"{REPO}/issues/{number}/comments"
    answers = [client.post(path, json={"body": "b"}) for _ in range(3)]
    hub.control.call("POST", "/clock", {"creations_per_minute": None})
    assert [one.status_code for one in answers] == [201, 201, 403]
    assert "secondary rate limit" in answers[2].json()["message"]
    assert answers[2].headers["retry-after"] == "60"
    assert client.get(REPO).status_code == 200
