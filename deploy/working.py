"""Starts the worker: settings from the environment, everything tried once, then doorbells until told to stop."""

import logging
import os

from celery import Celery

from agent.adapters.sandbox.sweep import sweep
from worker import settings, tasks, wiring
from worker.app import make_app
from worker.settings import WorkerSettings

MARGIN_SECONDS = 600.0
"""What a job may take besides its run and set-up: mirror, the last suite, publishing."""
LAST_WORDS_SECONDS = 120.0
"""Between being told to deliver what it has and being killed."""


def work(concurrency: int) -> int:
    """Answer doorbells in so many processes; the exit code. Agent and worker errors when it cannot work at all."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    logging.getLogger("httpx").setLevel(logging.WARNING)  # it would tell every address
    chosen = settings.load(os.environ)
    sweep()  # what boxes of an earlier worker left behind when it was killed
    wiring.build(chosen)  # so that a missing sandbox or model stops the start, not the first job
    return tasks.work(application(chosen), concurrency=concurrency)


def application(chosen: WorkerSettings) -> Celery:
    """The Celery application of these settings, its task installed."""
    soft = chosen.seconds + chosen.setup_seconds + MARGIN_SECONDS
    app = make_app(
        chosen.redis_url.get_secret_value(),
        soft_limit=soft,
        hard_limit=soft + LAST_WORDS_SECONDS,
        lease_seconds=chosen.lease_seconds,
        max_parallel=chosen.max_parallel,
        runner=wiring.runner(chosen),
    )
    tasks.install(app)
    return app
