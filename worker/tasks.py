"""What a ring of the doorbell does: claim, keep the lease alive, run, close the record; what a run is, others know.

The runner is handed in. Whatever it does, the record ends: with the state it wrote, as failed when it raised, or back
in the queue when this process is told to stop.
"""

import ctypes
import logging
import os
import platform
import signal
import threading
import time
import uuid
from contextlib import closing

from celery import Celery
from celery.signals import setup_logging, worker_process_init, worker_ready

from worker.app import RING, Yard
from worker.contract.connection import QueueUnavailable
from worker.contract.job import JobRecord, JobState
from worker.contract.queue import TASK
from worker.contract.runs import MAX_ATTEMPTS, LeasedRecord, Records
from worker.errors import LeaseLost
from worker.lease import Heart, Store

logger = logging.getLogger("bendcoder.worker")

REAP_SECONDS = 5.0
_PR_SET_PDEATHSIG = 1  # linux/prctl.h
_SILENT_ATTEMPTS = MAX_ATTEMPTS + 2
"""Beyond this not even the runner's farewell to a killer job is tried."""


def install(app: Celery, *, reap_seconds: float = REAP_SECONDS) -> None:
    """Give the application its one task, and each of its worker processes a reaper that starts when it is ready."""
    yard: Yard = app.conf.bendcoder

    @app.task(name=TASK, shared=False)
    def doorbell(job_id: str) -> None:
        answer(yard, str(job_id))

    doorbell.Request = RING

    def on_ready(sender: object, **_: object) -> None:
        if getattr(sender, "app", None) is app:
            # A warm stop would wait for a job of hours until whoever sent it loses patience and kills: take the other.
            signal.signal(signal.SIGTERM, signal.getsignal(signal.SIGQUIT))
            threading.Thread(target=reap_forever, args=(yard, reap_seconds), name="reaper", daemon=True).start()

    worker_ready.connect(on_ready, weak=False)
    parent = os.getpid()

    def die_with_the_parent(**_: object) -> None:
        # A killed worker takes its processes along: otherwise they go on with nobody to stop them (Linux only).
        prctl = getattr(ctypes.CDLL(None), "prctl", None)
        if prctl is not None:
            prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() != parent:  # it died in between
                os.kill(os.getpid(), signal.SIGKILL)

    worker_process_init.connect(die_with_the_parent, weak=False)
    setup_logging.connect(_leave_logging_alone, weak=False)


def work(app: Celery, *, concurrency: int) -> int:
    """Answer doorbells in `concurrency` processes until told to stop; the exit code.

    On TERM or QUIT running jobs get the application's `worker_soft_shutdown_timeout` to end, then go back to the queue;
    on INT (a terminal) they are waited for, and a second one is like TERM.
    """
    worker = app.Worker(
        concurrency=concurrency,
        pool="prefork",
        optimization="fair",
        without_mingle=True,  # a second of the start, for news we do not need
        without_gossip=True,
        quiet=True,
    )
    worker.start()
    return int(worker.exitcode or 0)


def answer(yard: Yard, job_id: str) -> None:
    """Run the oldest waiting job of this job's repository; nothing when it has none, or no free slot."""
    # A client of this call's own: the process may have been forked from one whose connections are in use.
    with closing(_records(yard)) as records:
        owner = f"{platform.node()}:{os.getpid()}:{uuid.uuid4().hex[:8]}"
        record = records.claim(job_id, owner)
        if record is None:
            logger.info("doorbell for %s: nothing to do", job_id)
            return
        logger.info("job %s of %s: attempt %s as %s", record.job_id, record.repo.full_name, record.attempts, owner)
        lease = LeasedRecord(records, record.job_id, owner)
        with Heart(lease, yard.lease_seconds) as heart:
            _run(yard, record, Store(record, lease, heart))


def reap_forever(yard: Yard, seconds: float) -> None:
    """Put back what has no live lease and ring for what nobody was rung for, at once and then every `seconds`."""
    with closing(_records(yard)) as records:
        while True:
            try:
                for job_id in records.reap():
                    logger.warning("job %s: its runner is gone; put back", job_id)
            except QueueUnavailable as error:
                logger.warning("reaper: %s", error)
            time.sleep(seconds)


def _run(yard: Yard, record: JobRecord, store: Store) -> None:
    try:
        if record.attempts > _SILENT_ATTEMPTS:
            store.update(state=JobState.FAILED, reason="it ended its worker process every time it was run")
            return
        yard.runner(record, store)
        if store.reload().state.open:
            logger.error("job %s: the runner left it open", record.job_id)
            store.update(state=JobState.FAILED, reason="the run ended without a result")
    except LeaseLost:
        logger.warning("job %s: stopped, another runner has it", record.job_id)
    except Exception as error:
        _close(record, store, f"the run broke off ({type(error).__name__})")
        raise
    except BaseException:  # told to stop: SystemExit from Celery, KeyboardInterrupt from a terminal
        _give_back(record, store)
        raise


def _close(record: JobRecord, store: Store, reason: str) -> None:
    try:
        if store.reload().state.open:
            store.update(state=JobState.FAILED, reason=reason)
    except LeaseLost:
        logger.warning("job %s: broke off after its lease was lost", record.job_id)


def _give_back(record: JobRecord, store: Store) -> None:
    try:
        store.give_back()
    except LeaseLost:
        logger.info("job %s: had ended before this process was told to stop", record.job_id)


def _records(yard: Yard) -> Records:
    return Records(
        yard.redis_url,
        lease_seconds=yard.lease_seconds,
        max_parallel=yard.max_parallel,
        timeout=max(0.5, yard.lease_seconds / 6),  # two attempts fit between two heartbeats
    )


def _leave_logging_alone(**_: object) -> None:
    """Whoever starts the process has set logging up."""
