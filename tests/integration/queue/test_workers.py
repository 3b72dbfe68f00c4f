"""Real worker processes on a real server: jobs run once, in order, and survive whatever is killed or stopped."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import pytest
import redis

from deploy.redis_server import redis_server
from tests.support.delegations import by_comment, by_label
from tests.support.redis_server import process_environment
from worker.contract.job import JobRecord, JobState
from worker.contract.queue import Producer
from worker.contract.runs import Records

pytestmark = [pytest.mark.redis, pytest.mark.slow, pytest.mark.xdist_group("queue")]

LEASE = 1.5
REAP = 0.5

T = TypeVar("T")


@contextmanager
def worker(url: str, *options: str) -> Iterator[subprocess.Popen[bytes]]:
    """A worker process that is gone, with its children, at the end."""
    command = [sys.executable, "-W", "ignore", "-m", "tests.support.queue_worker", url, str(LEASE), str(REAP), *options]
    process = subprocess.Popen(command, env=process_environment(url))
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def wait_for(what: Callable[[], T | None], seconds: float = 30) -> T:
    """The first true answer; AssertionError when none comes in time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        answer = what()
        if answer:
            return answer
        time.sleep(0.02)
    raise AssertionError(f"not within {seconds} s")


class Desk:
    """What a test does with one server: submit, look, wait."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._producer = Producer(url)
        self._records = Records(url)
        self._server = redis.Redis.from_url(url, decode_responses=True)

    def submit(self, issue: int, body: str, repo: int = 42) -> str:
        return self._producer.submit(by_label(f"d-{repo}-{issue}", issue=issue, repo=repo, body=body))

    def record(self, job_id: str) -> JobRecord:
        record = self._records.load(job_id)
        assert record is not None
        return record

    def log(self) -> list[list[str]]:
        return [line.split() for line in self._server.lrange("test:log", 0, -1)]

    def runner_of(self, issue: int, attempt: int = 1) -> int:
        """Process id of the runner, once it has begun."""
        begun = ["start", str(issue), str(attempt)]
        return wait_for(lambda: next((int(line[3]) for line in self.log() if line[:3] == begun), None))

    def ended(self, job_id: str, seconds: float = 30) -> JobRecord:
        wait_for(lambda: not self.record(job_id).state.open, seconds)
        return self.record(job_id)

    def cancel(self, job_id: str) -> None:
        self._records.request_cancel(job_id)


@pytest.fixture
def desk(redis_url: str) -> Desk:
    return Desk(redis_url)


def test_a_job_rung_for_before_the_worker_came_up_is_run(desk: Desk) -> None:
    job_id = desk.submit(1, "sleep 0")
    with worker(desk.url):
        record = desk.ended(job_id)
    assert (record.state, record.outcome, record.attempts) == (JobState.DONE, "completed", 1)


def test_a_server_on_a_socket_file_serves_bot_and_worker_alike() -> None:
    with redis_server(unix_socket=True) as url, worker(url):
        desk = Desk(url)
        assert desk.ended(desk.submit(1, "sleep 0")).state is JobState.DONE


def test_kill_9_of_a_worker_gives_its_job_to_another_and_it_ends_once(desk: Desk) -> None:
    with worker(desk.url) as first, worker(desk.url):
        job_id = desk.submit(1, "sleep 2")
        runner = desk.runner_of(1)
        victim = first if _parent(runner) == first.pid else None
        if victim is None:  # the other one took it: kill that one
            os.kill(_parent(runner), signal.SIGKILL)
        else:
            victim.kill()
        killed = time.monotonic()
        record = desk.ended(job_id)
        assert time.monotonic() - killed < LEASE + REAP + 2 + 3
    assert record.state is JobState.DONE
    assert len(record.owners) == len(set(record.owners)) == 2
    assert record.attempts == 2
    assert [line[:3] for line in desk.log()] == [["start", "1", "1"], ["start", "1", "2"], ["end", "1", "2"]]
    with pytest.raises(ProcessLookupError):
        os.kill(runner, 0)  # the killed worker took its process along


def test_a_job_that_kills_its_process_twice_is_failed_and_the_worker_goes_on(desk: Desk) -> None:
    with worker(desk.url):
        job_id = desk.submit(1, "die")
        other = desk.submit(1, "sleep 0", repo=43)
        record = desk.ended(job_id)
        assert desk.ended(other).state is JobState.DONE
    assert (record.state, record.reason, record.attempts) == (JobState.FAILED, "poison", 3)
    assert [line[:3] for line in desk.log() if line[1] == "1" and line[0] == "start"][:1] == [["start", "1", "1"]]


def test_a_runner_that_slept_through_its_lease_touches_nothing_more(desk: Desk) -> None:
    with worker(desk.url), worker(desk.url):
        job_id = desk.submit(1, "sleep 2")
        sleeper = desk.runner_of(1)
        os.kill(sleeper, signal.SIGSTOP)
        try:
            desk.runner_of(1, attempt=2)
        finally:
            os.kill(sleeper, signal.SIGCONT)
        record = desk.ended(job_id)
        wait_for(lambda: len(desk.log()) >= 3)
    assert record.state is JobState.DONE
    assert len(record.owners) == 2
    assert [line[:3] for line in desk.log() if line[0] == "end"] == [["end", "1", "2"]]


def test_jobs_of_a_repository_run_in_order_and_no_more_at_once_than_slots(desk: Desk) -> None:
    with worker(desk.url, "concurrency=3", "slots=1"):
        ids = [desk.submit(issue, "sleep 0.1") for issue in range(1, 7)]
        other = desk.submit(99, "sleep 0", repo=43)
        for job_id in ids:
            assert desk.ended(job_id).state is JobState.DONE
        assert desk.ended(other).state is JobState.DONE
    mine = [line[:2] for line in desk.log() if line[1] != "99"]
    assert mine == [[word, str(issue)] for issue in range(1, 7) for word in ("start", "end")]
    assert desk.log().index(next(line for line in desk.log() if line[:2] == ["end", "99"])) < 6  # was not held back


def test_duplicates_of_a_delivery_and_a_comment_beside_it_are_one_run(desk: Desk) -> None:
    producer = Producer(desk.url)
    with worker(desk.url, "concurrency=3"):
        ids = {desk.submit(1, "sleep 0.5") for _ in range(3)} | {producer.submit(by_comment("d-c", issue=1))}
        record = desk.ended(ids.pop())
        assert not ids
        time.sleep(2 * REAP)
    assert len(record.triggers) == 2
    assert [line[0] for line in desk.log()] == ["start", "end"]


@pytest.mark.parametrize(
    ("body", "reason"), [("raise", "the run broke off (ValueError)"), ("forget", "the run ended without a result")]
)
def test_a_runner_that_breaks_off_or_forgets_leaves_no_open_record(desk: Desk, body: str, reason: str) -> None:
    with worker(desk.url):
        record = desk.ended(desk.submit(1, body))
        again = desk.ended(Producer(desk.url).submit(by_label("d-again", issue=1, body="sleep 0")))
    assert (record.state, record.reason) == (JobState.FAILED, reason)
    assert again.state is JobState.DONE


def test_a_job_is_cancelled_where_it_stands(desk: Desk) -> None:
    with worker(desk.url):
        job_id = desk.submit(1, "sleep 60")
        desk.runner_of(1)
        desk.cancel(job_id)
        assert desk.ended(job_id, 10).state is JobState.CANCELLED


def test_over_the_soft_limit_the_run_is_failed(desk: Desk) -> None:
    with worker(desk.url, "soft=1", "hard=20"):
        record = desk.ended(desk.submit(1, "sleep 60"), 20)
    assert (record.state, record.reason) == (JobState.FAILED, "the run broke off (SoftTimeLimitExceeded)")


@pytest.mark.parametrize("stop", [signal.SIGQUIT, signal.SIGTERM])
def test_a_worker_told_to_stop_gives_its_job_back_uncounted(desk: Desk, stop: signal.Signals) -> None:
    with worker(desk.url) as first:
        job_id = desk.submit(1, "sleep 4")
        desk.runner_of(1)
        first.send_signal(stop)
        first.wait(timeout=20)
        wait_for(lambda: desk.record(job_id).state is JobState.QUEUED)
        assert desk.record(job_id).attempts == 0
    with worker(desk.url):
        record = desk.ended(job_id)
    assert (record.state, record.attempts, len(record.owners)) == (JobState.DONE, 1, 2)


def test_a_worker_works_on_after_the_server_came_back(redis_url: str) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    with redis_server(port=port) as url, worker(url):
        before = Desk(url)
        assert before.ended(before.submit(1, "sleep 0")).state is JobState.DONE
        process = _listener(port)
        os.kill(process, signal.SIGKILL)
        with redis_server(port=port):
            after = Desk(url)
            assert after.ended(after.submit(2, "sleep 0"), 60).state is JobState.DONE


def _parent(pid: int) -> int:
    with open(f"/proc/{pid}/stat", encoding="ascii") as stat:  # noqa: PTH123
        return int(stat.read().rsplit(")", 1)[1].split()[1])


def _listener(port: int) -> int:
    """Process id of the server that listens there, by its own word."""
    with redis.Redis(port=port) as client:
        return int(client.info("server")["process_id"])
