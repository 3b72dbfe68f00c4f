"""Run records: who may run a job, for how long, and what became of it; every write is one script that compares owners.

The record in Redis is the truth about a job. A runner holds a lease on it and must extend it; whoever finds a lease run
out puts the job back. Time is the server's, so that workers need not agree on theirs.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, cast

from worker.contract import fields
from worker.contract.connection import ContractError, connect, reachable
from worker.contract.job import Delegation, JobRecord, JobState, Trigger
from worker.contract.queue import PREFIX, QUEUE, doorbell, put, run_script

if TYPE_CHECKING:
    from redis import Redis

MAX_ATTEMPTS = 2
"""A record claimed with more attempts than this has killed its workers: its runner only says so and fails it."""
KEEP_SECONDS = 30 * 24 * 3600
"""How long an ended record, with the issue's text in it, is kept."""


class NotOwner(ContractError):
    """Another runner holds this job, or nobody: stop, touch nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One entry of a job's stream: `state`, `step`, `trigger`, or what a runner emitted."""

    id: str
    kind: str
    data: object


class Records:
    """All records of one Redis-protocol server; safe to share between threads, not across a fork."""

    def __init__(self, url: str, *, lease_seconds: float = 10.0, max_parallel: int = 2, timeout: float = 5.0) -> None:
        self._url = url
        self._timeout = timeout
        self.lease_seconds = lease_seconds
        self.max_parallel = max_parallel

    @cached_property
    def _client(self) -> "Redis":
        return connect(self._url, timeout=self._timeout)

    def close(self) -> None:
        """Close the connections; the next call opens new ones."""
        self._client.close()

    def load(self, job_id: str) -> JobRecord | None:
        """The record as it is now; None when there is none (any more)."""
        with reachable():
            stored = cast("Mapping[str, str]", self._client.hgetall(f"{PREFIX}job:{job_id}"))
        return fields.decode(stored) if stored else None

    def by_wish(self, wish: str) -> JobRecord | None:
        """The open record of a wish (`repository id:issue`)."""
        with reachable():
            job_id = cast("str | None", self._client.get(f"{PREFIX}wish:{wish}"))
        return self.load(job_id) if job_id else None

    def claim(self, job_id: str, owner: str) -> JobRecord | None:
        """Take the oldest waiting job of this job's repository, which is this job unless an older one waits.

        None when nothing waits or the repository's slots are taken: its next end rings again.
        """
        answer = self._run("claim", job_id, json.dumps(owner), str(self.lease_seconds), str(self.max_parallel))
        flat = cast("Sequence[str]", answer)
        return fields.decode(dict(zip(flat[::2], flat[1::2], strict=True))) if flat else None

    def heartbeat(self, job_id: str, owner: str) -> bool:
        """Extend the lease; whether the job shall be cancelled. Raises NotOwner."""
        answer = self._run("beat", job_id, json.dumps(owner), str(self.lease_seconds))
        if not answer:
            raise NotOwner(job_id, owner)
        return answer == 2

    def update(self, job_id: str, owner: str, /, **values: object) -> None:
        """Write fields as the owner; a `state` that is not open ends the job, frees its slot and rings for the next.

        Raises NotOwner (also when the job ended before and a `state` is given), and ValueError for a field an owner
        may not write.
        """
        encoded = fields.encode_some(values)
        state = JobState(str(values["state"])) if "state" in values else JobState.RUNNING
        if state is JobState.QUEUED:
            raise ValueError("a running job is put back with give_back")
        keep = "0" if state.open else str(KEEP_SECONDS)
        flat = [part for pair in encoded.items() for part in pair]
        answer = cast("Sequence[int | str]", self._run("update", job_id, json.dumps(owner), keep, *flat))
        if not answer[0]:
            raise NotOwner(job_id, owner)
        if answer[1]:
            self.ring([str(answer[1])])

    def give_back(self, job_id: str, owner: str) -> None:
        """Put a job back in front and ring, for a runner told to stop: the attempt is not counted. Raises NotOwner."""
        if not self._run("give_back", job_id, json.dumps(owner)):
            raise NotOwner(job_id, owner)
        self.ring([job_id])

    def submit_late(self, ended: JobRecord, trigger: Trigger) -> str:
        """A new job, or the open one of the same wish, for a trigger that joined a job too late to be looked at."""
        delegation = Delegation(
            host=ended.host,
            installation_id=ended.installation_id,
            repo=ended.repo,
            issue=ended.issue,
            title=ended.title,
            body=ended.body,
            trigger=trigger,
        )
        with reachable():
            return put(self._client, delegation, late=True)

    def request_cancel(self, job_id: str) -> None:
        """Ask whoever runs the job, or will, to stop; only after the asker was authorised."""
        if self.load(job_id) is not None:
            with reachable():
                self._client.hset(f"{PREFIX}job:{job_id}", "cancel", "true")

    def reap(self) -> tuple[str, ...]:
        """Put jobs without a live lease back and ring for waiting jobs nobody was rung for; the ids put back."""
        with reachable():
            answer = run_script(self._client, "reap", [QUEUE], [PREFIX, str(self.max_parallel)])
        back, waiting = cast("Sequence[Sequence[str]]", answer)
        self.ring(waiting)
        return tuple(back)

    def ring(self, job_ids: Iterable[str]) -> None:
        """Send one doorbell per job."""
        messages = [doorbell(job_id) for job_id in job_ids]
        if messages:
            with reachable():
                self._client.lpush(QUEUE, *messages)

    def emit(self, job_id: str, kind: str, data: object) -> None:
        """Add an event (JSON data) to a job's stream, which keeps about the last thousand."""
        entry: dict[str, str] = {"kind": kind, "data": json.dumps(data)}
        with reachable():
            self._client.xadd(f"{PREFIX}events:{job_id}", entry, maxlen=1000, approximate=True)  # type: ignore[arg-type]

    def events(self, job_id: str, after: str = "0", *, wait_seconds: float = 0.0) -> tuple[Event, ...]:
        """Events after that id, oldest first; waits up to `wait_seconds` (less than the timeout) for the first."""
        block = max(1, int(min(wait_seconds, self._timeout / 2) * 1000)) if wait_seconds else None
        with reachable():
            answer = self._client.xread({f"{PREFIX}events:{job_id}": after}, block=block)
        streams = cast("Sequence[tuple[str, Sequence[tuple[str, Mapping[str, str]]]]]", answer or ())
        return tuple(
            Event(id=entry_id, kind=entry["kind"], data=json.loads(entry["data"]))
            for _, entries in streams
            for entry_id, entry in entries
        )

    def _run(self, name: str, *args: str) -> object:
        with reachable():
            return run_script(self._client, name, [], [PREFIX, *args])


class LeasedRecord:
    """One job as its runner sees it: what a pipeline may write, and whether it may go on."""

    def __init__(self, records: Records, job_id: str, owner: str) -> None:
        self._records = records
        self.job_id = job_id
        self.owner = owner

    def update(self, **values: object) -> None:
        """Write fields of the record; see Records.update."""
        self._records.update(self.job_id, self.owner, **values)

    def check_owner(self) -> None:
        """Extend the lease or raise NotOwner; called before every outside effect."""
        self._records.heartbeat(self.job_id, self.owner)

    def cancelled(self) -> bool:
        """Whether the job shall stop. Raises NotOwner."""
        return self._records.heartbeat(self.job_id, self.owner)

    def reload(self) -> JobRecord:
        """The record as it is now, with triggers that joined since. Raises NotOwner when it is gone."""
        record = self._records.load(self.job_id)
        if record is None:
            raise NotOwner(self.job_id, self.owner)
        return record

    def submit_late(self, ended: JobRecord, trigger: Trigger) -> str:
        """See Records.submit_late."""
        return self._records.submit_late(ended, trigger)

    def request_cancel(self) -> None:
        """Mark the job cancelled, after a `stop` was authorised."""
        self._records.request_cancel(self.job_id)

    def emit(self, kind: str, data: object) -> None:
        """Add an event to the job's stream."""
        self._records.emit(self.job_id, kind, data)

    def give_back(self) -> None:
        """Put the job back in front; the attempt is not counted. Raises NotOwner."""
        self._records.give_back(self.job_id, self.owner)
