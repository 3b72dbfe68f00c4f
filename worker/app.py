"""The Celery application: how messages are taken from Redis and when they count as done; no task, no business of ours.

The message is a doorbell and the record is the truth, so a message that comes twice, late or never costs at most a few
seconds. What is set here keeps the common cases quick and the rest bounded.
"""

import ssl
from collections.abc import Callable
from dataclasses import dataclass

from celery import Celery
from celery.worker.request import Request
from kombu import Queue
from kombu.transport.virtual import QoS

from worker.contract.connection import broker_url
from worker.contract.job import JobRecord
from worker.contract.queue import QUEUE, TASK
from worker.ports import JobStore

MARGIN_SECONDS = 15 * 60
"""How much longer than the hard limit a message stays taken: shorter, and a second copy runs beside the first."""


Runner = Callable[[JobRecord, JobStore], None]
"""Runs one claimed job to its end, writing its state through the store."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Yard:
    """What a process that answers the doorbell has to know; the application carries it as `conf.bendcoder`."""

    redis_url: str
    lease_seconds: float
    max_parallel: int
    runner: Runner


class Ring(Request):
    """A doorbell in the hands of the consumer, which must not stop listening because it could not put one away.

    With late acknowledgement and a prefetch of one, a connection that breaks at the very moment of the acknowledgement
    would leave the message counted as being worked on for ever, and nothing else would be taken. The record says
    whether the job is done; a ring that comes back is harmless.
    """

    def acknowledge(self) -> None:
        """Tell the server, or at least forget the message here."""
        try:
            super().acknowledge()
        finally:
            self._put_away()

    def reject(self, requeue: bool = False) -> None:
        """Give the message back, or at least forget it here; the reaper rings again."""
        try:
            super().reject(requeue)
        finally:
            self._put_away()

    def _put_away(self) -> None:
        message = self.message
        if not message.acknowledged:
            QoS.ack(message.channel.qos, message.delivery_tag)  # the local half alone


RING = f"{__name__}:Ring"
"""How a task names the class of its requests."""


def make_app(
    redis_url: str,
    *,
    soft_limit: float,
    hard_limit: float,
    lease_seconds: float = 10.0,
    max_parallel: int = 2,
    runner: Runner,
) -> Celery:
    """An application that takes doorbells from this server; `worker.tasks.install` gives it its one task.

    `soft_limit` and `hard_limit` are seconds per job: at the first the job is told to stop, at the second its process
    is killed. A job whose runner was not heard of for `lease_seconds` is given to another. At most `max_parallel` jobs
    of a repository run at once. Raises ValueError unless soft < hard.
    """
    if not 0 < soft_limit < hard_limit:
        raise ValueError("the soft time limit must lie under the hard one, and both above zero")
    visibility = int(hard_limit + MARGIN_SECONDS)
    app = Celery("bendcoder", broker=broker_url(redis_url), set_as_current=False)
    app.conf.update(
        task_queues=[Queue(QUEUE, routing_key=QUEUE)],
        task_default_queue=QUEUE,
        accept_content=["json"],
        task_serializer="json",
        result_serializer="json",
        result_accept_content=["json"],
        task_ignore_result=True,
        task_routes={TASK: {"queue": QUEUE}},
        task_acks_late=True,
        task_reject_on_worker_lost=True,
        worker_prefetch_multiplier=1,
        worker_max_tasks_per_child=200,  # rings for taken jobs count too
        task_soft_time_limit=soft_limit,
        task_time_limit=hard_limit,
        visibility_timeout=visibility,
        # Left to itself, kombu would take any certificate.
        broker_use_ssl={"ssl_cert_reqs": ssl.CERT_REQUIRED} if redis_url.startswith("rediss:") else False,
        broker_transport_options={
            "visibility_timeout": visibility,
            "socket_connect_timeout": 5,
            "socket_timeout": 30,
            "socket_keepalive": True,
            "health_check_interval": 25,
        },
        result_backend_transport_options={"visibility_timeout": visibility},
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        worker_cancel_long_running_tasks_on_connection_loss=False,  # the lease decides, not the doorbell's connection
        worker_soft_shutdown_timeout=20,
        worker_hijack_root_logger=False,
        worker_redirect_stdouts=False,
        worker_send_task_events=False,
        worker_enable_remote_control=False,
        enable_utc=True,
        bendcoder=Yard(redis_url=redis_url, lease_seconds=lease_seconds, max_parallel=max_parallel, runner=runner),
    )
    return app
