"""Who may run a job, in which order, for how long; each rule against a real server."""

import json
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import redis
from pydantic import ValidationError

from tests.support.delegations import by_comment, by_label
from worker.contract import fields
from worker.contract.connection import QueueUnavailable
from worker.contract.job import JobRecord, JobState
from worker.contract.queue import PREFIX, QUEUE, Producer
from worker.contract.runs import KEEP_SECONDS, Event, LeasedRecord, NotOwner, Records

SHORT = 0.3


@pytest.fixture
def server(redis_url: str) -> redis.Redis:
    return redis.Redis.from_url(redis_url, decode_responses=True)


@pytest.fixture
def producer(redis_url: str) -> Producer:
    return Producer(redis_url)


@pytest.fixture
def records(redis_url: str) -> Records:
    return Records(redis_url)


def submit(producer: Producer, *issues: int, repo: int = 42) -> list[str]:
    return [producer.submit(by_label(f"d-{repo}-{issue}", repo=repo, issue=issue)) for issue in issues]


def test_a_claim_is_a_lease_with_a_name_and_a_count(producer: Producer, records: Records) -> None:
    (job_id,) = submit(producer, 1)
    record = records.claim(job_id, "me")
    assert record is not None
    assert (record.state, record.owner, record.owners, record.attempts) == (JobState.RUNNING, "me", ("me",), 1)
    assert record.lease_until == pytest.approx(time.time() + 10, abs=2)
    assert records.load(job_id) == record


def test_a_second_copy_of_the_ring_gets_nothing(producer: Producer, records: Records) -> None:
    (job_id,) = submit(producer, 1)
    assert records.claim(job_id, "me") is not None
    assert records.claim(job_id, "you") is None


def test_many_runners_at_one_ring_are_one_runner(producer: Producer, redis_url: str) -> None:
    (job_id,) = submit(producer, 1)
    with ThreadPoolExecutor(8) as pool:
        got = list(pool.map(lambda n: Records(redis_url).claim(job_id, f"w{n}"), range(8)))
    assert len([record for record in got if record]) == 1


def test_a_ring_for_an_unknown_job_gets_nothing(records: Records) -> None:
    assert records.claim("0" * 16, "me") is None
    assert records.load("0" * 16) is None
    assert records.by_wish("1:1") is None


def test_the_oldest_of_the_repository_runs_whichever_ring_is_heard_first(producer: Producer, records: Records) -> None:
    first, second, third = submit(producer, 1, 2, 3)
    order = [records.claim(job_id, "me") for job_id in (third, second)]
    assert [record.job_id for record in order if record] == [first, second]


def test_a_repository_has_no_more_runners_than_slots_and_its_end_rings_for_the_next(
    producer: Producer, records: Records, server: redis.Redis
) -> None:
    first, second, third = submit(producer, 1, 2, 3)
    records.claim(first, "a")
    records.claim(second, "b")
    assert records.claim(third, "c") is None
    server.delete(QUEUE)
    records.update(first, "a", state=JobState.DONE)
    assert server.llen(QUEUE) == 1
    record = records.claim(third, "c")
    assert record is not None
    assert record.job_id == third


def test_a_busy_repository_does_not_hold_another_back(producer: Producer, redis_url: str) -> None:
    one_slot = Records(redis_url, max_parallel=1)
    busy = submit(producer, 1, 2, 3)
    (other,) = submit(producer, 1, repo=43)
    assert one_slot.claim(busy[0], "a") is not None
    assert one_slot.claim(busy[1], "b") is None
    record = one_slot.claim(other, "b")
    assert record is not None
    assert record.repo.id == 43


def test_only_the_owner_writes(producer: Producer, records: Records) -> None:
    (job_id,) = submit(producer, 1)
    with pytest.raises(NotOwner):
        records.update(job_id, "me", step="reading")
    records.claim(job_id, "me")
    records.update(job_id, "me", step="reading", branch="bendcoder/issue-1", status_comment=99, pr=None)
    with pytest.raises(NotOwner):
        records.update(job_id, "you", step="writing")
    record = records.load(job_id)
    assert record is not None
    assert (record.step, record.branch, record.status_comment, record.pr) == ("reading", "bendcoder/issue-1", 99, None)


@pytest.mark.parametrize(
    "values", [{"owner": "x"}, {"attempts": 0}, {"lease_until": 9e9}, {"triggers": ()}, {"nonsense": 1}]
)
def test_what_the_scripts_keep_an_owner_may_not_write(
    producer: Producer, records: Records, values: dict[str, object]
) -> None:
    (job_id,) = submit(producer, 1)
    records.claim(job_id, "me")
    with pytest.raises(ValueError, match="not a field an owner may write"):
        records.update(job_id, "me", **values)


def test_a_value_that_does_not_fit_is_refused_before_it_is_stored(producer: Producer, records: Records) -> None:
    (job_id,) = submit(producer, 1)
    before = records.claim(job_id, "me")
    with pytest.raises(ValidationError):
        records.update(job_id, "me", pr="seven")
    with pytest.raises(ValueError, match="give_back"):
        records.update(job_id, "me", state=JobState.QUEUED)
    assert records.load(job_id) == before


def test_a_heartbeat_extends_the_lease_of_its_owner_alone(producer: Producer, records: Records) -> None:
    (job_id,) = submit(producer, 1)
    first = records.claim(job_id, "me")
    assert first is not None
    time.sleep(0.05)
    assert records.heartbeat(job_id, "me") is False
    later = records.load(job_id)
    assert later is not None
    assert later.lease_until > first.lease_until
    with pytest.raises(NotOwner):
        records.heartbeat(job_id, "you")
    records.request_cancel(job_id)
    assert records.heartbeat(job_id, "me") is True


def test_to_cancel_what_is_not_there_makes_nothing(records: Records, server: redis.Redis) -> None:
    records.request_cancel("0" * 16)
    assert server.dbsize() == 0


@pytest.mark.parametrize("state", [JobState.DONE, JobState.FAILED, JobState.CANCELLED])
def test_an_end_closes_the_wish_and_starts_the_records_lifetime(
    producer: Producer, records: Records, server: redis.Redis, state: JobState
) -> None:
    (job_id,) = submit(producer, 1)
    records.claim(job_id, "me")
    assert server.ttl(f"{PREFIX}job:{job_id}") == -1
    records.update(job_id, "me", state=state, reason="so")
    assert records.by_wish("42:1") is None
    assert 0 < int(server.ttl(f"{PREFIX}job:{job_id}")) <= KEEP_SECONDS
    assert 0 < int(server.ttl(f"{PREFIX}events:{job_id}")) <= KEEP_SECONDS
    record = records.load(job_id)
    assert record is not None
    assert (record.state, record.reason) == (state, "so")


def test_an_ended_job_ends_once_but_may_still_be_annotated(producer: Producer, records: Records) -> None:
    (job_id,) = submit(producer, 1)
    records.claim(job_id, "me")
    records.update(job_id, "me", state=JobState.DONE)
    records.update(job_id, "me", trace="somewhere")
    for state in (JobState.FAILED, JobState.RUNNING):
        with pytest.raises(NotOwner):
            records.update(job_id, "me", state=state)
    with pytest.raises(NotOwner):
        records.heartbeat(job_id, "me")
    record = records.load(job_id)
    assert record is not None
    assert (record.state, record.trace) == (JobState.DONE, "somewhere")


def test_an_end_leaves_a_younger_job_of_the_wish_alone(
    producer: Producer, records: Records, server: redis.Redis
) -> None:
    (job_id,) = submit(producer, 1)
    records.claim(job_id, "me")
    server.set(f"{PREFIX}wish:42:1", "another")
    records.update(job_id, "me", state=JobState.DONE)
    assert server.get(f"{PREFIX}wish:42:1") == "another"


def test_a_job_without_a_live_lease_is_put_back_in_front_and_rung_for(
    producer: Producer, redis_url: str, server: redis.Redis
) -> None:
    short = Records(redis_url, lease_seconds=SHORT, max_parallel=1)
    first, second = submit(producer, 1, 2)
    short.claim(first, "dead")
    server.delete(QUEUE)
    assert short.reap() == ()
    time.sleep(SHORT + 0.1)
    assert short.reap() == (first,)
    assert server.llen(QUEUE) == 1
    record = short.claim(second, "alive")
    assert record is not None
    assert (record.job_id, record.owners, record.attempts) == (first, ("dead", "alive"), 2)
    with pytest.raises(NotOwner):
        short.update(first, "dead", step="late")


def test_several_put_back_keep_their_order(producer: Producer, redis_url: str) -> None:
    short = Records(redis_url, lease_seconds=SHORT, max_parallel=3)
    ids = submit(producer, 1, 2, 3)
    for job_id in ids:
        short.claim(job_id, "dead")
    time.sleep(SHORT + 0.1)
    assert sorted(short.reap()) == sorted(ids)
    again = [short.claim(ids[0], "alive") for _ in ids]
    assert [record.job_id for record in again if record] == ids


def test_a_heartbeat_in_time_keeps_the_reaper_away(producer: Producer, redis_url: str) -> None:
    short = Records(redis_url, lease_seconds=SHORT)
    (job_id,) = submit(producer, 1)
    short.claim(job_id, "me")
    for _ in range(4):
        time.sleep(SHORT / 2)
        short.heartbeat(job_id, "me")
        assert short.reap() == ()


def test_a_lost_ring_is_repeated_but_never_piled_up(producer: Producer, records: Records, server: redis.Redis) -> None:
    submit(producer, 1, 2, 3)
    server.delete(QUEUE)
    for _ in range(5):
        assert records.reap() == ()
    assert server.llen(QUEUE) == 2  # one per free slot


def test_a_lapsed_job_is_rung_for_even_while_other_rings_wait(
    producer: Producer, redis_url: str, server: redis.Redis
) -> None:
    short = Records(redis_url, lease_seconds=SHORT)
    (job_id,) = submit(producer, 1)
    short.claim(job_id, "dead")
    time.sleep(SHORT + 0.1)
    before = int(server.llen(QUEUE))
    assert short.reap() == (job_id,)
    assert server.llen(QUEUE) == before + 1


def test_a_lease_whose_record_is_gone_is_forgotten(producer: Producer, redis_url: str, server: redis.Redis) -> None:
    short = Records(redis_url, lease_seconds=SHORT)
    (job_id,) = submit(producer, 1)
    short.claim(job_id, "dead")
    server.delete(f"{PREFIX}job:{job_id}")
    time.sleep(SHORT + 0.1)
    assert short.reap() == ()
    assert server.zcard(PREFIX + "leases") == 0


def test_given_back_is_in_front_and_not_counted(producer: Producer, records: Records, server: redis.Redis) -> None:
    first, second = submit(producer, 1, 2)
    records.claim(first, "me")
    server.delete(QUEUE)
    with pytest.raises(NotOwner):
        records.give_back(first, "you")
    records.give_back(first, "me")
    assert server.llen(QUEUE) == 1
    with pytest.raises(NotOwner):
        records.give_back(first, "me")
    record = records.claim(second, "you")
    assert record is not None
    assert (record.job_id, record.attempts, record.owners) == (first, 1, ("me", "you"))


def test_a_job_tells_its_story_as_it_goes(producer: Producer, records: Records) -> None:
    (job_id,) = submit(producer, 1)
    records.claim(job_id, "me")
    producer.submit(by_comment("d-9", issue=1))
    records.update(job_id, "me", step="running the suite")
    records.emit(job_id, "kept", {"file": "sums.py"})
    records.update(job_id, "me", state=JobState.DONE)
    told = records.events(job_id)
    assert [event.kind for event in told] == ["state", "state", "trigger", "step", "kept", "state"]
    assert [event.data for event in told if event.kind == "state"] == ["queued", "running", "done"]
    assert told[3].data == "running the suite"
    assert records.events(job_id, told[4].id) == (Event(id=told[5].id, kind="state", data="done"),)
    assert records.events(job_id, told[-1].id) == ()


def test_a_listener_waits_for_the_next_event(producer: Producer, records: Records, redis_url: str) -> None:
    (job_id,) = submit(producer, 1)
    last = records.events(job_id)[-1].id
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(Records(redis_url).events, job_id, last, wait_seconds=2.0)
        time.sleep(0.1)
        records.emit(job_id, "note", 1)
        assert [event.kind for event in waiting.result(timeout=5)] == ["note"]
    assert records.events(job_id, records.events(job_id)[-1].id, wait_seconds=0.05) == ()


def test_a_stream_does_not_grow_for_ever(producer: Producer, records: Records) -> None:
    (job_id,) = submit(producer, 1)
    for number in range(1_500):
        records.emit(job_id, "note", number)
    kept = records.events(job_id)
    assert 1_000 <= len(kept) < 1_200
    assert kept[-1].data == 1_499


def test_the_runners_view_of_its_record(producer: Producer, records: Records) -> None:
    (job_id,) = submit(producer, 1)
    records.claim(job_id, "me")
    mine, stale = LeasedRecord(records, job_id, "me"), LeasedRecord(records, job_id, "before")
    mine.check_owner()
    assert mine.cancelled() is False
    mine.update(step="reading")
    mine.emit("note", "x")
    assert mine.reload().step == "reading"
    mine.request_cancel()
    assert mine.cancelled() is True
    for call in (stale.check_owner, stale.cancelled, stale.give_back):
        with pytest.raises(NotOwner):
            call()
    mine.give_back()
    with pytest.raises(NotOwner):
        mine.check_owner()
    with pytest.raises(NotOwner):
        LeasedRecord(records, "0" * 16, "me").reload()


def test_a_record_survives_its_way_through_the_server_exactly(producer: Producer, records: Records) -> None:
    wanted = by_label("d-1", body='quotes " and \\ and \x00 and ☂\U0001f600\n' * 50)
    producer.submit(wanted)
    record = records.load(wanted.job_id)
    assert record is not None
    assert record.body == wanted.body
    assert fields.decode(fields.encode(record)) == record


def test_a_record_of_another_version_is_not_misread(producer: Producer, records: Records, server: redis.Redis) -> None:
    (job_id,) = submit(producer, 1)
    server.hset(f"{PREFIX}job:{job_id}", "version", "2")
    with pytest.raises(ValidationError):
        records.load(job_id)


def test_every_stored_field_is_json(producer: Producer, server: redis.Redis) -> None:
    (job_id,) = submit(producer, 1)
    stored = server.hgetall(f"{PREFIX}job:{job_id}")
    assert {json.loads(value) is None for value in stored.values()} <= {True, False}
    assert set(stored) <= set(JobRecord.model_fields)


def test_a_server_that_is_not_there_is_unavailable() -> None:
    away = Records("redis://127.0.0.1:9/0", timeout=0.5)
    for call in (lambda: away.load("x"), lambda: away.claim("x", "me"), away.reap, lambda: away.ring(["x"])):
        with pytest.raises(QueueUnavailable):
            call()
    away.close()
