"""Deliveries go in once, and everything that means one wish is one record."""

import base64
import json
from concurrent.futures import ThreadPoolExecutor

import pytest
import redis
from celery import Celery

from tests.support.delegations import by_comment, by_label
from worker.contract.connection import QueueUnavailable, broker_url
from worker.contract.job import JobState
from worker.contract.queue import PREFIX, QUEUE, REMEMBER_SECONDS, TASK, Producer, doorbell
from worker.contract.runs import Records


@pytest.fixture
def server(redis_url: str) -> redis.Redis:
    return redis.Redis.from_url(redis_url, decode_responses=True)


@pytest.fixture
def producer(redis_url: str) -> Producer:
    return Producer(redis_url)


@pytest.fixture
def records(redis_url: str) -> Records:
    return Records(redis_url)


def test_a_delegation_becomes_a_waiting_record_and_one_ring(
    producer: Producer, records: Records, server: redis.Redis
) -> None:
    wanted = by_label("d-1")
    assert producer.submit(wanted) == wanted.job_id
    record = records.load(wanted.job_id)
    assert record is not None
    assert record.state is JobState.QUEUED
    assert record.triggers == (wanted.trigger,)
    assert (record.title, record.body, record.repo, record.issue) == (wanted.title, wanted.body, wanted.repo, 3)
    assert record.created == record.updated > 1_700_000_000
    assert server.llen(QUEUE) == 1
    assert records.by_wish("42:3") == record


def test_the_same_delivery_again_changes_nothing(producer: Producer, records: Records, server: redis.Redis) -> None:
    first = producer.submit(by_label("d-1"))
    before = records.load(first)
    assert producer.submit(by_label("d-1")) == first
    assert producer.submit(by_label("d-1", body="edited since")) == first
    assert records.load(first) == before
    assert server.llen(QUEUE) == 1


def test_copies_of_a_delivery_at_the_same_moment_are_one_job(redis_url: str, server: redis.Redis) -> None:
    producers = [Producer(redis_url) for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        ids = list(pool.map(lambda producer: producer.submit(by_label("d-1")), producers))
    assert set(ids) == {by_label("d-1").job_id}
    assert server.llen(QUEUE) == 1


def test_label_and_comment_at_once_are_one_record_with_two_triggers(
    redis_url: str, records: Records, server: redis.Redis
) -> None:
    wishes = [by_label("d-1"), by_comment("d-2", options={"steps": "5"})]
    with ThreadPoolExecutor(2) as pool:
        ids = set(pool.map(lambda wish: Producer(redis_url).submit(wish), wishes))
    assert len(ids) == 1
    record = records.load(ids.pop())
    assert record is not None
    assert sorted(record.triggers, key=lambda t: t.delivery) == [wishes[0].trigger, wishes[1].trigger]
    assert server.llen(QUEUE) == 1


def test_a_later_trigger_keeps_the_records_text_and_brings_the_digest_of_its_own(
    producer: Producer, records: Records
) -> None:
    job_id = producer.submit(by_label("d-1", body="as the maintainer read it"))
    producer.submit(by_label("d-2", body="as changed afterwards"))
    record = records.load(job_id)
    assert record is not None
    assert record.body == "as the maintainer read it"
    assert record.triggers[0].text != record.triggers[1].text


def test_one_comment_under_two_delivery_ids_is_one_trigger(producer: Producer, records: Records) -> None:
    job_id = producer.submit(by_label("d-1"))
    assert producer.submit(by_comment("d-2", 555)) == job_id
    assert producer.submit(by_comment("d-3", 555)) == job_id
    record = records.load(job_id)
    assert record is not None
    assert len(record.triggers) == 2


def test_a_trigger_joins_a_running_job_without_a_ring(
    producer: Producer, records: Records, server: redis.Redis
) -> None:
    job_id = producer.submit(by_label("d-1"))
    assert records.claim(job_id, "me") is not None
    assert producer.submit(by_comment("d-2")) == job_id
    assert server.llen(QUEUE) == 1
    record = records.load(job_id)
    assert record is not None
    assert (record.state, len(record.triggers)) == (JobState.RUNNING, 2)


def test_after_the_end_a_new_label_is_a_new_job_and_an_old_delivery_is_not(
    producer: Producer, records: Records
) -> None:
    first = producer.submit(by_label("d-1"))
    records.claim(first, "me")
    records.update(first, "me", state=JobState.DONE)
    assert producer.submit(by_label("d-1")) == first
    second = producer.submit(by_label("d-2"))
    assert second != first
    open_record = records.by_wish("42:3")
    assert open_record is not None
    assert open_record.job_id == second


def test_a_comment_whose_memory_was_lost_does_not_run_twice(
    producer: Producer, records: Records, server: redis.Redis
) -> None:
    job_id = producer.submit(by_comment("d-1", 555))
    records.claim(job_id, "me")
    records.update(job_id, "me", state=JobState.DONE)
    for key in server.scan_iter(PREFIX + "delivery:*"):
        server.delete(key)
    for key in server.scan_iter(PREFIX + "ask:*"):
        server.delete(key)
    assert producer.submit(by_comment("d-9", 555)) == job_id
    assert records.by_wish("42:3") is None


def test_deliveries_are_remembered_longer_than_a_forge_redelivers(producer: Producer, server: redis.Redis) -> None:
    producer.submit(by_label("d-1"))
    assert REMEMBER_SECONDS > 7 * 24 * 3600
    assert int(server.ttl(PREFIX + "delivery:d-1")) > 7 * 24 * 3600


def test_a_server_that_is_not_there_is_unavailable_without_its_password() -> None:
    with pytest.raises(QueueUnavailable, match="Nothing was recorded") as failed:
        Producer("redis://:hush@127.0.0.1:9/0", timeout=0.5).submit(by_label("d-1"))
    assert "hush" not in str(failed.value)
    with pytest.raises(QueueUnavailable):
        Producer("redis://127.0.0.1:9/0", timeout=0.5).ping()


def test_the_doorbell_is_what_celery_itself_would_write(redis_url: str, server: redis.Redis) -> None:
    app = Celery(broker=broker_url(redis_url), set_as_current=False)
    app.conf.update(task_default_queue=QUEUE, task_ignore_result=True)
    app.send_task(TASK, args=["abc"], ignore_result=True)
    app.close()
    theirs, ours = json.loads(str(server.lpop(QUEUE))), json.loads(doorbell("abc"))
    assert ours.keys() == theirs.keys()
    assert ours["properties"].keys() == theirs["properties"].keys()
    assert ours["properties"]["delivery_info"] == theirs["properties"]["delivery_info"]
    assert base64.b64decode(ours["body"]) == base64.b64decode(theirs["body"])
    assert ours["headers"].keys() <= theirs["headers"].keys()
    same = set(ours["headers"]) - {"id", "root_id"}
    assert {k: ours["headers"][k] for k in same} == {k: theirs["headers"][k] for k in same}


@pytest.mark.parametrize(
    ("ours", "celerys"),
    [
        ("redis://h:1/2", "redis://h:1/2"),
        ("rediss://:p@h:1/0", "rediss://:p@h:1/0"),
        ("unix:///run/redis.sock", "redis+socket:///run/redis.sock?virtual_host=0"),
        ("unix:///run/redis.sock?db=3", "redis+socket:///run/redis.sock?virtual_host=3"),
    ],
)
def test_the_address_in_celerys_spelling(ours: str, celerys: str) -> None:
    assert broker_url(ours) == celerys
