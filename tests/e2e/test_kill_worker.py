"""A worker process killed while the suite runs: another takes the job over, and the job still ends once."""

import os
import signal
import time

import pytest

from agent.trace import read_trace
from tests.support.house import FILES, House, running_house
from worker.contract.job import JobState

pytestmark = [pytest.mark.xdist_group("e2e"), pytest.mark.slow, pytest.mark.redis]

SLOW = FILES["test_spans.py"] + "\n\ndef test_slow():\n    import time\n\n    time.sleep(1)\n"


def owner_pid(house: House, job_id: str) -> int:
    """The process that runs the job now; records name it as host:pid:random."""
    return int(house.record(job_id).owner.split(":")[1])


def test_a_job_survives_the_killing_of_its_worker_and_ends_once(tmp_path):
    with running_house(tmp_path, workers=2, lease_seconds="3") as house:
        repo = house.repository("killed", files=FILES | {"test_spans.py": SLOW})
        number = house.issue(repo)
        house.hub.add_label(repo, number, "bendcoder", actor="ann")
        job_id = house.job(repo)
        house.wait(
            lambda: "running the suite" in house.record(job_id).step and "step" in house.record(job_id).step,
            60,
            "a step's suite",
        )
        first = house.record(job_id).owner
        group = os.getpgid(owner_pid(house, job_id))
        (struck,) = [worker for worker in house.workers if worker.pid == group]
        os.killpg(group, signal.SIGKILL)
        killed_at = time.monotonic()

        house.wait(lambda: house.record(job_id).owner not in ("", first), 30, "the second owner")
        taken_over = time.monotonic() - killed_at
        record = house.ended(job_id, 90)

        assert taken_over < 15
        assert struck.pid == group
        assert (record.state, record.verdict) == (JobState.DONE, "verified"), record
        assert record.attempts == 2
        assert len(set(record.owners)) == 2
        assert len(house.hub.pulls(repo)) == 1
        assert house.jobs(repo) == (job_id,)
        statuses = [said for said in house.said(repo, number) if f"bendcoder:job={job_id}" in said]
        assert len(statuses) == 1
        assert "draft pull request is open" in statuses[0]
        assert len(house.hub.checks(repo)) == 1
        (trace,) = tmp_path.rglob(f"{job_id}.jsonl")
        kinds = [one.kind for one in read_trace(trace)]
        assert kinds.count("resumed") == kinds.count("baseline") == 1  # gone on with, not begun again
