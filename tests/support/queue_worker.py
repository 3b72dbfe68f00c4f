"""A real worker process with a test's runner: `python -m tests.support.queue_worker URL LEASE REAP [NAME=VALUE]...`.

What the runner does stands in the issue's body: `sleep N`, `raise`, `forget`, `die`. It writes one line per
start and end to the list `test:log`, which the server keeps across kills.
"""

import logging
import os
import signal
import sys
import time

import redis

from worker.app import make_app
from worker.contract.job import JobRecord, JobState
from worker.contract.runs import MAX_ATTEMPTS
from worker.errors import LeaseLost
from worker.ports import JobStore
from worker.tasks import install, work


class ScriptedRunner:
    """Does what the issue's body says."""

    def __init__(self, url: str) -> None:
        self._url = url

    def __call__(self, record: JobRecord, store: JobStore) -> None:
        """Run one job."""
        with redis.Redis.from_url(self._url) as log:
            log.rpush("test:log", f"start {record.issue} {record.attempts} {os.getpid()}")
            if record.attempts > MAX_ATTEMPTS:
                store.update(state=JobState.FAILED, reason="poison")
                return
            word, _, number = record.body.partition(" ")
            self._act(word, number, record, store)
            log.rpush("test:log", f"end {record.issue} {record.attempts} {os.getpid()}")

    def _act(self, word: str, number: str, record: JobRecord, store: JobStore) -> None:
        if word == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        if word == "raise":
            raise ValueError("as the test asked")
        if word == "forget":
            return
        until = time.monotonic() + float(number or 0)
        while time.monotonic() < until:
            if store.cancelled():
                store.update(state=JobState.CANCELLED)
                return
            time.sleep(0.05)
        try:
            store.check_owner()
        except LeaseLost:
            with redis.Redis.from_url(self._url) as log:
                log.rpush("test:log", f"lost {record.issue} {record.attempts} {os.getpid()}")
            raise
        store.update(state=JobState.DONE, outcome="completed")


def main() -> int:
    """Build the application and work."""
    url, lease, reap, *options = sys.argv[1:]
    more = {name: float(value) for name, value in (option.split("=") for option in options)}
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s %(message)s")
    app = make_app(
        url,
        soft_limit=more.get("soft", 60),
        hard_limit=more.get("hard", 90),
        lease_seconds=float(lease),
        max_parallel=int(more.get("slots", 2)),
        runner=ScriptedRunner(url),
    )
    app.conf.worker_soft_shutdown_timeout = more.get("grace", 1.0)
    install(app, reap_seconds=float(reap))
    return work(app, concurrency=int(more.get("concurrency", 1)))


if __name__ == "__main__":
    sys.exit(main())
