"""What one ring does in this very process: the store a runner is given, and a lease that is lost in every way."""

import ssl
import time
from collections.abc import Callable

import pytest
import redis
from kombu.message import Message
from kombu.transport.virtual import QoS
from kombu.utils import symbol_by_name

from deploy.redis_server import redis_server
from tests.support.delegations import by_comment, by_label
from worker.app import MARGIN_SECONDS, Runner, Yard, make_app
from worker.contract.job import JobRecord, JobState
from worker.contract.queue import PREFIX, TASK, Producer
from worker.contract.runs import Records
from worker.errors import LeaseLost
from worker.ports import JobStore
from worker.tasks import answer, install

pytestmark = [pytest.mark.redis, pytest.mark.xdist_group("queue")]

LEASE = 0.6


def yard(url: str, runner: Runner) -> Yard:
    return Yard(redis_url=url, lease_seconds=LEASE, max_parallel=2, runner=runner)


def ended(url: str, job_id: str) -> JobRecord:
    record = Records(url).load(job_id)
    assert record is not None
    return record


def test_a_runner_reads_and_writes_its_record_and_may_look_back_after_the_end(redis_url: str) -> None:
    job_id = Producer(redis_url).submit(by_label("d-1"))
    seen: list[object] = []

    def runner(record: JobRecord, store: JobStore) -> None:
        Producer(redis_url).submit(by_comment("d-2"))
        seen.append(len(record.triggers))
        seen.append(len(store.reload().triggers))
        store.update(step="reading", branch="bendcoder/issue-3")
        store.emit("note", {"a": 1})
        store.check_owner()
        seen.append(store.cancelled())
        store.request_cancel()
        seen.append(store.cancelled())
        store.update(state=JobState.DONE, pr=5)
        time.sleep(LEASE)  # the heart would have beaten twice
        seen.append(len(store.reload().triggers))
        store.update(trace="kept")

    answer(yard(redis_url, runner), job_id)
    record = ended(redis_url, job_id)
    assert seen == [1, 2, False, True, 2]
    assert (record.state, record.pr, record.trace, record.step) == (JobState.DONE, 5, "kept", "reading")


def test_a_trigger_too_late_to_be_looked_at_becomes_a_job_of_its_own(redis_url: str) -> None:
    first = Producer(redis_url).submit(by_comment("d-outsider"))
    after_the_end: list[int] = []

    def runner(record: JobRecord, store: JobStore) -> None:
        assert Producer(redis_url).submit(by_label("d-maintainer")) == record.job_id
        Producer(redis_url).submit(by_comment("d-other", 556))
        store.update(state=JobState.FAILED, outcome="refused")
        after_the_end.append(len(store.reload().triggers))

    answer(yard(redis_url, runner), first)
    assert after_the_end == [1]
    late = Records(redis_url).by_wish("42:3")
    assert late is not None
    assert (late.state, late.job_id) == (JobState.QUEUED, by_label("d-maintainer").job_id)
    assert [trigger.delivery for trigger in late.triggers] == ["d-maintainer", "d-other"]
    assert late.triggers[0].text == by_label("d-maintainer").trigger.text
    assert Producer(redis_url).submit(by_label("d-maintainer")) == first  # still the same delivery: nothing new
    assert Records(redis_url).by_wish("42:3") == late


def test_a_long_run_keeps_its_lease(redis_url: str) -> None:
    job_id = Producer(redis_url).submit(by_label("d-1"))
    others = Records(redis_url, lease_seconds=LEASE)

    def runner(record: JobRecord, store: JobStore) -> None:
        until = time.monotonic() + 3 * LEASE
        while time.monotonic() < until:
            assert others.reap() == ()
            time.sleep(0.05)
        store.update(state=JobState.DONE)

    answer(yard(redis_url, runner), job_id)
    assert ended(redis_url, job_id).owners == (ended(redis_url, job_id).owner,)


def _taken_over(url: str, job_id: str) -> None:
    redis.Redis.from_url(url).hset(f"{PREFIX}job:{job_id}", "owner", '"another"')


def _forgotten(url: str, job_id: str) -> None:
    redis.Redis.from_url(url).delete(f"{PREFIX}job:{job_id}")


@pytest.mark.parametrize("loss", [_taken_over, _forgotten])
@pytest.mark.parametrize("noticed", [True, False], ids=["by-the-heart", "by-the-write"])
def test_a_lost_lease_stops_every_use_of_the_record(
    redis_url: str, loss: Callable[[str, str], None], noticed: bool
) -> None:
    job_id = Producer(redis_url).submit(by_label("d-1"))
    refused: list[str] = []

    def runner(record: JobRecord, store: JobStore) -> None:
        loss(redis_url, record.job_id)
        if noticed:
            time.sleep(LEASE / 2)
        for name, call in (
            ("update", lambda: store.update(step="late")),
            ("check", store.check_owner),
            ("cancelled", store.cancelled),
        ):
            with pytest.raises(LeaseLost):
                call()
            refused.append(name)
        store.update(state=JobState.DONE)

    answer(yard(redis_url, runner), job_id)  # what the runner raised in the end is no error of this process
    assert refused == ["update", "check", "cancelled"]
    record = Records(redis_url).load(job_id)
    assert record is None or (record.state, record.owner, record.step) == (JobState.RUNNING, "another", "")


def test_a_server_that_went_away_is_a_lost_lease_once_the_lease_is_over() -> None:
    took: list[float] = []
    with redis_server() as url:
        job_id = Producer(url).submit(by_label("d-1"))

        def runner(record: JobRecord, store: JobStore) -> None:
            with redis.Redis.from_url(url) as client:
                client.shutdown(nosave=True)
            started = time.monotonic()
            try:
                store.update(step="late")
            finally:
                took.append(time.monotonic() - started)

        answer(yard(url, runner), job_id)
    assert LEASE / 2 < took[0] < 4 * LEASE


@pytest.mark.parametrize("stop", [SystemExit, KeyboardInterrupt])
def test_told_to_stop_the_job_goes_back_to_the_front(redis_url: str, stop: type[BaseException]) -> None:
    job_id = Producer(redis_url).submit(by_label("d-1"))

    def runner(record: JobRecord, store: JobStore) -> None:
        raise stop

    with pytest.raises(stop):
        answer(yard(redis_url, runner), job_id)
    assert (ended(redis_url, job_id).state, ended(redis_url, job_id).attempts) == (JobState.QUEUED, 0)


def test_told_to_stop_after_the_end_nothing_goes_back(redis_url: str) -> None:
    job_id = Producer(redis_url).submit(by_label("d-1"))

    def runner(record: JobRecord, store: JobStore) -> None:
        store.update(state=JobState.DONE)
        raise SystemExit

    with pytest.raises(SystemExit):
        answer(yard(redis_url, runner), job_id)
    assert ended(redis_url, job_id).state is JobState.DONE


def test_an_error_after_the_end_leaves_the_end(redis_url: str) -> None:
    job_id = Producer(redis_url).submit(by_label("d-1"))

    def runner(record: JobRecord, store: JobStore) -> None:
        store.update(state=JobState.DONE)
        raise ValueError("after the end")

    with pytest.raises(ValueError, match="after the end"):
        answer(yard(redis_url, runner), job_id)
    assert ended(redis_url, job_id).state is JobState.DONE


def test_a_job_that_kills_even_its_farewell_is_failed_without_a_runner(redis_url: str) -> None:
    job_id = Producer(redis_url).submit(by_label("d-1"))
    redis.Redis.from_url(redis_url).hset(f"{PREFIX}job:{job_id}", "attempts", "4")

    def runner(record: JobRecord, store: JobStore) -> None:
        raise AssertionError("must not be called")

    answer(yard(redis_url, runner), job_id)
    assert ended(redis_url, job_id).state is JobState.FAILED


def _no_runner(record: JobRecord, store: JobStore) -> None:
    """Never called."""


def test_limits_lie_under_the_visibility_timeout_in_all_three_places() -> None:
    app = make_app("redis://h/0", soft_limit=100, hard_limit=200, runner=_no_runner)
    conf = app.conf
    assert conf.task_soft_time_limit < conf.task_time_limit < conf.visibility_timeout == 200 + MARGIN_SECONDS
    assert conf.broker_transport_options["visibility_timeout"] == conf.visibility_timeout
    assert conf.result_backend_transport_options["visibility_timeout"] == conf.visibility_timeout
    assert conf.accept_content == conf.result_accept_content == ["json"]
    assert (conf.task_acks_late, conf.task_reject_on_worker_lost, conf.worker_prefetch_multiplier) == (True, True, 1)


@pytest.mark.parametrize(("soft", "hard"), [(10, 10), (20, 10), (0, 10)])
def test_limits_in_the_wrong_order_are_refused(soft: float, hard: float) -> None:
    with pytest.raises(ValueError, match="soft time limit"):
        make_app("redis://h/0", soft_limit=soft, hard_limit=hard, runner=_no_runner)


@pytest.mark.parametrize(
    ("url", "wanted"), [("rediss://h:1/0", {"ssl_cert_reqs": ssl.CERT_REQUIRED}), ("redis://h:1/0", False)]
)
def test_over_tls_the_servers_certificate_is_checked(url: str, wanted: object) -> None:
    app = make_app(url, soft_limit=1, hard_limit=2, runner=_no_runner)
    with app.connection_for_read() as connection:
        assert (connection.ssl or False) == wanted


class BrokenChannel:
    """A channel whose connection broke, with the bookkeeping kombu keeps on this side."""

    def __init__(self) -> None:
        self.qos = QoS(self, prefetch_count=1)
        self.no_ack_consumers: set[str] = set()

    def basic_ack(self, tag: str, multiple: bool = False) -> None:
        raise redis.ConnectionError("gone")

    def basic_reject(self, tag: str, requeue: bool = False) -> None:
        raise redis.ConnectionError("gone")


@pytest.mark.parametrize("put_away", ["acknowledge", "reject"])
def test_a_ring_that_cannot_be_put_away_does_not_stop_the_worker_from_listening(put_away: str) -> None:
    app = make_app("redis://h/0", soft_limit=1, hard_limit=2, runner=_no_runner)
    install(app)
    task = app.tasks[TASK]
    channel = BrokenChannel()
    headers = {"id": "1", "task": TASK, "argsrepr": "", "kwargsrepr": ""}
    message = Message(
        channel=channel, delivery_tag="t", headers=headers, body=b"[[], {}, {}]", content_type="application/json"
    )
    channel.qos.append(message, "t")
    errors = (redis.ConnectionError,)
    ring = symbol_by_name(task.Request)(
        message,
        on_ack=message.ack_log_error,
        on_reject=message.reject_log_error,
        app=app,
        task=task,
        connection_errors=errors,
    )
    assert not channel.qos.can_consume()
    getattr(ring, put_away)()
    assert channel.qos.can_consume()
    channel.qos._on_collect.cancel()
