"""The right to run a job, as its runner holds it: a heart that keeps it and a store that refuses once it is gone.

Nothing here decides what to write; it only makes sure that nobody writes who may not.
"""

import logging
import threading
import time
from collections.abc import Callable
from functools import partial
from types import TracebackType
from typing import Self, TypeVar

from worker.contract.connection import QueueUnavailable
from worker.contract.job import JobRecord, JobState
from worker.contract.runs import LeasedRecord, NotOwner
from worker.errors import LeaseLost

logger = logging.getLogger("bendcoder.worker")

_RETRY_SECONDS = 0.3

T = TypeVar("T")


class Heart:
    """Extends a lease from a thread every third of its length; `lost` once it is another's or can no longer be ours."""

    def __init__(self, lease: LeasedRecord, lease_seconds: float) -> None:
        self._lease = lease
        self._seconds = lease_seconds
        self._last = time.monotonic()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="heart", daemon=True)
        self.lost = False

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.rest()
        self._thread.join(self._seconds)

    def rest(self) -> None:
        """Beat no more: the job is about to end, and an ended job that nobody owns is no loss."""
        self._stop.set()

    @property
    def overdue(self) -> bool:
        """Whether the lease has run out by our own clock, so that another may hold it."""
        return time.monotonic() - self._last > self._seconds

    def _beat(self) -> None:
        while not self.lost and not self._stop.wait(self._seconds / 3):
            started = time.monotonic()
            try:
                self._lease.check_owner()
                self._last = started
            except NotOwner:
                self.lost = not self._stop.is_set()
            except QueueUnavailable:
                self.lost = self.overdue
        if self.lost:
            logger.warning("job %s: the lease is lost", self._lease.job_id)


class Store:
    """The record as a runner may use it (worker.ports.JobStore): a lease that is gone, or unprovable, is LeaseLost.

    A trigger that joins after the runner looked for the last time must not be lost with the job's end: it becomes a new
    job, and the runner does not see it any more.
    """

    def __init__(self, record: JobRecord, lease: LeasedRecord, heart: Heart) -> None:
        self._seen = {trigger.delivery for trigger in record.triggers}
        self._ended = False
        self._lease = lease
        self._heart = heart

    def update(self, **fields: object) -> None:
        """Write fields; a `state` of done, failed or cancelled ends the job. Raises LeaseLost."""
        ends = "state" in fields and not JobState(str(fields["state"])).open
        if ends:
            self._heart.rest()
        self._held(lambda: self._lease.update(**fields))
        if ends:
            self._ended = True
            self._pass_on_late_triggers()

    def check_owner(self) -> None:
        """Extend the lease, or raise LeaseLost."""
        self._held(self._lease.check_owner)

    def cancelled(self) -> bool:
        """Whether the job shall stop. Raises LeaseLost."""
        return self._held(self._lease.cancelled)

    def reload(self) -> JobRecord:
        """The record as it is now, with triggers that joined until the job's end. Raises LeaseLost."""
        record = self._held(self._lease.reload)
        if self._ended:
            known = tuple(trigger for trigger in record.triggers if trigger.delivery in self._seen)
            return record.model_copy(update={"triggers": known})
        self._seen.update(trigger.delivery for trigger in record.triggers)
        return record

    def request_cancel(self) -> None:
        """Mark this job cancelled, after a `stop` was authorised."""
        self._held(self._lease.request_cancel)

    def emit(self, kind: str, data: object) -> None:
        """Add an event (JSON data) to the job's stream."""
        self._held(lambda: self._lease.emit(kind, data))

    def give_back(self) -> None:
        """Put the job back in front, the attempt not counted. Raises LeaseLost."""
        self._held(self._lease.give_back)

    def _pass_on_late_triggers(self) -> None:
        record = self._held(self._lease.reload)
        for trigger in record.triggers:
            if trigger.delivery not in self._seen:
                job_id = self._held(partial(self._lease.submit_late, record, trigger))
                logger.info("job %s: ended before %s was looked at: job %s", record.job_id, trigger.delivery, job_id)

    def _held(self, call: Callable[[], T]) -> T:
        """The call's result, trying again while the server is away and the lease still ours by our own clock."""
        while not self._heart.lost:
            try:
                return call()
            except NotOwner as error:
                raise LeaseLost(f"Job {self._lease.job_id} is no longer this runner's.") from error
            except QueueUnavailable:
                if self._heart.overdue:
                    break
                time.sleep(_RETRY_SECONDS)
        raise LeaseLost(f"Job {self._lease.job_id} is no longer this runner's.")
