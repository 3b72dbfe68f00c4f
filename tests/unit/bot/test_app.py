"""The routes over a queue that is a list, or broken, or never answers."""

import threading
import time
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from bot import app as bot_app
from bot import webhook
from bot.triggers import Watch
from tests.support.payloads import SECRET, commented, labeled, signed
from worker.contract.connection import QueueUnavailable
from worker.contract.job import Delegation


class ListQueue:
    """Keeps what it is given."""

    def __init__(self) -> None:
        self.taken: list[Delegation] = []
        self.pinged = threading.Event()

    def submit(self, delegation: Delegation) -> str:
        self.taken.append(delegation)
        return delegation.job_id

    def ping(self) -> None:
        self.pinged.set()


class BrokenQueue:
    """Cannot be reached."""

    def submit(self, delegation: Delegation) -> str:
        raise QueueUnavailable("The queue could not be used (ConnectionError). Nothing was recorded.")

    def ping(self) -> None:
        raise QueueUnavailable("The queue could not be used (ConnectionError).")


class SilentQueue:
    """Takes everything and never comes back, until told."""

    def __init__(self) -> None:
        self.released = threading.Event()

    def submit(self, delegation: Delegation) -> str:
        self.released.wait(30)
        return delegation.job_id

    def ping(self) -> None:
        self.released.wait(30)


def client(queue: bot_app.Queue) -> TestClient:
    return TestClient(bot_app.make_app([SECRET.encode()], Watch(label="bendcoder", host="github.com"), queue))


@pytest.fixture
def queue() -> ListQueue:
    return ListQueue()


@pytest.fixture
def counter(queue: ListQueue) -> Iterator[TestClient]:
    with client(queue) as opened:
        yield opened


def post(counter: TestClient, event: str, payload: object, **headers: str) -> tuple[int, dict[str, str]]:
    signed_headers, body = signed(event, payload, **headers)
    response = counter.post("/webhooks/github", content=body, headers=list(signed_headers.items()))
    return response.status_code, response.json()


def test_a_label_is_a_job(counter: TestClient, queue: ListQueue) -> None:
    status, answer = post(counter, "issues", labeled())
    assert (status, answer) == (202, {"job": queue.taken[0].job_id})


def test_a_command_is_a_job(counter: TestClient, queue: ListQueue) -> None:
    assert post(counter, "issue_comment", commented("/bendcoder steps=4"))[0] == 202
    assert queue.taken[0].trigger.options == {"steps": "4"}


def test_what_asks_for_nothing_is_acknowledged_with_the_reason(counter: TestClient, queue: ListQueue) -> None:
    assert post(counter, "ping", {"zen": "x"}) == (202, {"ignored": "event ping is not one we act on"})
    assert post(counter, "issues", labeled("bug")) == (202, {"ignored": "another label"})
    assert queue.taken == []


@pytest.mark.parametrize(
    ("status", "headers"),
    [
        (401, {"x_hub_signature_256": "sha256=" + "0" * 64}),
        (415, {"content_type": "text/plain"}),
        (400, {"x_github_event": ""}),
    ],
)
def test_bad_input_is_refused_and_nothing_recorded(
    counter: TestClient, queue: ListQueue, status: int, headers: dict[str, str]
) -> None:
    got, answer = post(counter, "issues", labeled(), **headers)
    assert got == status
    assert "Nothing was recorded" in answer["error"]
    assert queue.taken == []


def test_a_non_ascii_signature_is_401_and_not_500(counter: TestClient) -> None:
    headers, body = signed("issues", labeled())
    raw = [(k.encode(), v.encode()) for k, v in headers.items() if k != "x-hub-signature-256"]
    raw.append((b"x-hub-signature-256", "sha256=ü".encode()))
    assert counter.post("/webhooks/github", content=body, headers=raw).status_code == 401


def test_a_body_over_the_cap_is_413_whether_its_length_is_declared_or_not(counter: TestClient) -> None:
    body = b"x" * (webhook.MAX_BYTES + 1)
    assert counter.post("/webhooks/github", content=body).status_code == 413
    parts = iter([body[: len(body) // 2], body[len(body) // 2 :]])
    assert counter.post("/webhooks/github", content=parts).status_code == 413


def test_only_post_is_a_delivery(counter: TestClient) -> None:
    assert counter.get("/webhooks/github").status_code == 405


def test_a_queue_that_cannot_be_reached_is_503() -> None:
    with client(BrokenQueue()) as counter:
        assert post(counter, "issues", labeled())[0] == 503
        assert post(counter, "ping", {})[0] == 202  # needs no queue
        assert counter.get("/healthz").status_code == 200
        assert counter.get("/readyz").status_code == 503


def test_a_queue_that_never_answers_is_503_within_five_seconds() -> None:
    queue = SilentQueue()
    with client(queue) as counter:
        started = time.monotonic()
        status, answer = post(counter, "issues", labeled())
        assert status == 503
        assert time.monotonic() - started < 5
        assert "Send it again" in answer["error"]
        queue.released.set()


def test_health_and_readiness(counter: TestClient, queue: ListQueue) -> None:
    assert counter.get("/healthz").json() == {"status": "ok"}
    assert counter.get("/readyz").json() == {"status": "ready"}


def test_it_warms_up_by_itself_once_no_delivery_comes() -> None:
    waited = 0.0
    for _ in range(5):
        queue, began = ListQueue(), time.monotonic()
        with client(queue) as counter:
            post(counter, "ping", {})
            if not queue.pinged.is_set():  # else the machine took longer to answer than a lull is
                assert queue.pinged.wait(10)
                waited = time.monotonic() - began
                break

    assert waited >= bot_app.LULL_SECONDS


def test_a_queue_that_is_away_at_the_start_is_only_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    with client(BrokenQueue()) as counter:
        deadline = time.monotonic() + 10
        while "answered with 503" not in caplog.text and time.monotonic() < deadline:
            time.sleep(0.05)
        assert counter.get("/healthz").status_code == 200
    assert "answered with 503" in caplog.text


def test_deliveries_are_counted_by_answer(counter: TestClient) -> None:
    post(counter, "issues", labeled())
    post(counter, "ping", {})
    post(counter, "ping", {})
    response = counter.get("/metrics")
    assert response.headers["content-type"].startswith("text/plain")
    assert 'bendcoder_deliveries_total{answer="job"} 1.0' in response.text
    assert 'bendcoder_deliveries_total{answer="ignored"} 2.0' in response.text


def test_nothing_of_a_stranger_is_logged(counter: TestClient, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG", logger="bendcoder")
    post(
        counter, "issues", labeled(), x_github_event="evil", x_hub_signature_256="sha256=evil", x_github_delivery="evil"
    )
    assert "refused: 401" in caplog.text
    assert "evil" not in caplog.text
