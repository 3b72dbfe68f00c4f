"""The scripts against a small model of what they promise, under any order of events hypothesis can think of."""

from collections.abc import Iterator

import pytest
import redis
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from tests.support.delegations import by_label
from worker.contract.job import JobState
from worker.contract.queue import PREFIX, QUEUE, Producer
from worker.contract.runs import NotOwner, Records

SLOTS = 2
REPOS = st.integers(min_value=1, max_value=2)


class QueueMachine(RuleBasedStateMachine):
    """Repositories with waiting lists and slots; the model is two lists per repository."""

    url = ""

    @initialize()
    def empty(self) -> None:
        self.server = redis.Redis.from_url(self.url, decode_responses=True)
        self.server.flushall()
        self.producer, self.records = Producer(self.url), Records(self.url, lease_seconds=600, max_parallel=SLOTS)
        self.waiting: dict[int, list[str]] = {1: [], 2: []}
        self.running: dict[int, dict[str, str]] = {1: {}, 2: {}}
        self.attempts: dict[str, int] = {}
        self.issues = 0

    @rule(repo=REPOS)
    def submit(self, repo: int) -> None:
        self.issues += 1
        job_id = self.producer.submit(by_label(f"d-{self.issues}", repo=repo, issue=self.issues))
        self.waiting[repo].append(job_id)
        self.attempts[job_id] = 0

    @precondition(lambda self: self.attempts)
    @rule(data=st.data())
    def claim(self, data: st.DataObject) -> None:
        rung = data.draw(st.sampled_from(sorted(self.attempts)))
        repo = self._repo(rung)
        owner = f"w{len(self.server.keys())}-{self.issues}"
        record = self.records.claim(rung, owner)
        if len(self.running[repo]) >= SLOTS or not self.waiting[repo]:
            assert record is None
            return
        expected = self.waiting[repo].pop(0)
        self.running[repo][expected] = owner
        self.attempts[expected] += 1
        assert record is not None
        assert (record.job_id, record.owner, record.attempts) == (expected, owner, self.attempts[expected])

    @precondition(lambda self: any(self.running.values()))
    @rule(data=st.data(), state=st.sampled_from([JobState.DONE, JobState.FAILED, JobState.CANCELLED]))
    def end(self, data: st.DataObject, state: JobState) -> None:
        repo, job_id, owner = self._draw(data)
        self.records.update(job_id, owner, state=state)
        del self.running[repo][job_id]
        with pytest.raises(NotOwner):
            self.records.update(job_id, owner, state=state)

    @precondition(lambda self: any(self.running.values()))
    @rule(data=st.data())
    def give_back(self, data: st.DataObject) -> None:
        repo, job_id, owner = self._draw(data)
        self.records.give_back(job_id, owner)
        del self.running[repo][job_id]
        self.waiting[repo].insert(0, job_id)
        self.attempts[job_id] -= 1

    @precondition(lambda self: any(self.running.values()))
    @rule(data=st.data())
    def die(self, data: st.DataObject) -> None:
        repo, job_id, owner = self._draw(data)
        self.server.zadd(PREFIX + "leases", {job_id: 1})
        assert self.records.reap() == (job_id,)
        del self.running[repo][job_id]
        self.waiting[repo].insert(0, job_id)
        with pytest.raises(NotOwner):
            self.records.heartbeat(job_id, owner)

    @rule()
    def lose_all_rings(self) -> None:
        self.server.delete(QUEUE)
        self.records.reap()
        free = {repo: SLOTS - len(self.running[repo]) for repo in self.waiting}
        assert self.server.llen(QUEUE) == sum(min(free[repo], len(self.waiting[repo])) for repo in free)

    @invariant()
    def stored_is_as_promised(self) -> None:
        for repo in self.waiting if hasattr(self, "waiting") else ():
            assert self.server.lrange(f"{PREFIX}waiting:{repo}", 0, -1) == self.waiting[repo]
            assert self.server.smembers(f"{PREFIX}running:{repo}") == set(self.running[repo])
            assert len(self.running[repo]) <= SLOTS
            assert self.server.sismember(f"{PREFIX}repos", str(repo)) == bool(self.waiting[repo])
        if hasattr(self, "running"):
            leased = {job_id for jobs in self.running.values() for job_id in jobs}
            assert set(self.server.zrange(f"{PREFIX}leases", 0, -1)) == leased

    def _repo(self, job_id: str) -> int:
        return int(str(self.server.hget(f"{PREFIX}job:{job_id}", "wish")).strip('"').split(":")[0])

    def _draw(self, data: st.DataObject) -> tuple[int, str, str]:
        held = [(repo, job_id, owner) for repo, jobs in self.running.items() for job_id, owner in jobs.items()]
        return data.draw(st.sampled_from(sorted(held)))

    def teardown(self) -> None:
        if hasattr(self, "server"):
            self.server.close()
            self.producer._client.close()
            self.records.close()


@pytest.fixture
def machine(redis_url: str) -> Iterator[type[QueueMachine]]:
    QueueMachine.url = redis_url
    yield QueueMachine
    QueueMachine.url = ""


def test_whatever_happens_in_whatever_order_every_job_is_in_one_place(machine: type[QueueMachine]) -> None:
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=40, stateful_step_count=30, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )
