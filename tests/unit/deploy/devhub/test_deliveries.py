"""Deliveries: recorded, sent once, redelivered under the same GUID, held back, and given up after the limit."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.devhub.client import RepoName
from tests.support.devhub import Devhub, app_jwt, installation_token, rest, running_devhub
from tests.support.hook_receiver import Receiver, running_receiver


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with running_receiver() as made:
        yield made


@pytest.fixture
def hub(receiver: Receiver, tmp_path: Path) -> Iterator[Devhub]:
    with running_devhub(tmp_path, webhook_url=receiver.url) as made:
        yield made


@pytest.fixture
def repo(hub: Devhub) -> RepoName:
    return hub.control.create_repository("octo", "demo", {"a.py": "x = 1\n"})


def test_labels_at_creation_come_as_opened_and_one_labeled_each(hub: Devhub, repo: RepoName) -> None:
    hub.control.create_issue(repo, "t", labels=("bendcoder", "bug"))
    hub.control.wait(hub.control.settled)
    assert [one.action for one in hub.control.deliveries("issues")] == ["opened", "labeled", "labeled"]
    labels = [one.payload["label"]["name"] for one in hub.control.deliveries("issues")[1:]]  # type: ignore[index]
    assert labels == ["bendcoder", "bug"]


def test_own_comments_come_back(hub: Devhub, repo: RepoName) -> None:
    number = hub.control.create_issue(repo, "t")
    with rest(hub, installation_token(hub, "octo")) as client:
        client.post(f"/repos/octo/demo/issues/{number}/comments", json={"body": "b"})
    hub.control.wait(hub.control.settled)
    (one,) = hub.control.deliveries("issue_comment")
    assert one.payload["sender"]["type"] == "Bot"  # type: ignore[index]


def test_a_failed_delivery_is_not_repeated_but_may_be_redelivered(
    hub: Devhub, receiver: Receiver, repo: RepoName
) -> None:
    receiver.status = 503
    hub.control.create_issue(repo, "t")
    hub.control.wait(hub.control.settled)
    (failed,) = hub.control.deliveries("issues")
    assert (failed.status_code, failed.redelivery) == (503, False)
    receiver.status = 202
    with rest(hub, app_jwt(hub)) as client:
        listed = client.get("/app/hook/deliveries").json()
        assert [one["status_code"] for one in listed] == [503]
        assert client.post(f"/app/hook/deliveries/{failed.id}/attempts").status_code == 202
        hub.control.wait(lambda: len(hub.control.deliveries("issues")) == 2 and hub.control.settled())
        detail = client.get(f"/app/hook/deliveries/{hub.control.deliveries('issues')[1].id}").json()
    assert (detail["guid"], detail["redelivery"], detail["status"]) == (failed.guid, True, "OK")
    first, second = receiver.wait(2)
    assert first.raw == second.raw
    assert first.headers["x-github-delivery"] == second.headers["x-github-delivery"]


def test_order_and_number_are_not_promised(hub: Devhub, receiver: Receiver, repo: RepoName) -> None:
    hub.control.hold_webhooks()
    hub.control.create_issue(repo, "first")
    hub.control.create_issue(repo, "second")
    assert receiver.received == []
    hub.control.release_webhooks(reverse=True, copies=2)
    hub.control.wait(hub.control.settled)
    assert len(receiver.wait(4)) == 4
    guids = [one.headers["x-github-delivery"] for one in receiver.received]
    assert len(set(guids)) == 2
    sent = sorted(hub.control.deliveries("issues"), key=lambda one: one.id)
    assert {one.guid for one in sent} == set(guids)


def test_a_slow_receiver_is_given_up(receiver: Receiver, tmp_path: Path) -> None:
    receiver.pause = 0.6
    with running_devhub(tmp_path, webhook_url=receiver.url, webhook_seconds=0.2) as hub:
        repo = hub.control.create_repository("octo", "demo", {"a": "a"})
        hub.control.create_issue(repo, "t")
        hub.control.wait(hub.control.settled)
        (one,) = hub.control.deliveries("issues")
    assert (one.status, one.status_code) == ("timed out", 0)
    assert one.duration < 0.6


def test_nobody_listens(hub: Devhub, repo: RepoName) -> None:
    hub.control.set_webhook_url("http://127.0.0.1:9/hook")
    hub.control.create_issue(repo, "t")
    hub.control.wait(hub.control.settled)
    (one,) = hub.control.deliveries("issues")
    assert one.status.startswith("failed to connect")
    hub.control.set_webhook_url(None)
    hub.control.create_issue(repo, "t")
    assert hub.control.deliveries("issues")[1].status == "no webhook url"


def test_an_app_that_does_not_cover_the_repository_hears_nothing(hub: Devhub, repo: RepoName) -> None:
    hub.control.change_installation("octo", repositories=[])
    hub.control.create_issue(repo, "t")
    assert hub.control.deliveries("issues") == []
