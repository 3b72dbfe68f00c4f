"""The letter slot: takes a delegation in with one script and rings; knows nothing of who answers the door.

The doorbell is a Celery message (protocol 2, as kombu lays it on a Redis list) written here without importing either:
that import costs a third of a second, and writing the message inside the script leaves no gap between record and ring.
A test compares it with what the installed Celery writes.
"""

import base64
import hashlib
import json
import uuid
from collections.abc import Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, cast

from worker.contract import fields
from worker.contract.connection import QueueUnavailable, connect, reachable
from worker.contract.job import Delegation, JobRecord

if TYPE_CHECKING:
    from redis import Redis

__all__ = ["PREFIX", "QUEUE", "TASK", "Producer", "QueueUnavailable", "doorbell", "put", "run_script"]

QUEUE = "bendcoder"
TASK = "bendcoder.doorbell"
PREFIX = "bendcoder:"
REMEMBER_SECONDS = 8 * 24 * 3600
"""How long a delivery id is known: a day longer than a forge can redeliver (7 days on GHES, 3 on github.com)."""


class Producer:
    """Puts delegations on the queue; safe to share between threads, opens its connection on first use."""

    def __init__(self, url: str, *, timeout: float = 2.0) -> None:
        self._url = url
        self._timeout = timeout

    @cached_property
    def _client(self) -> "Redis":
        return connect(self._url, timeout=self._timeout)

    def submit(self, delegation: Delegation) -> str:
        """The id of the job that answers this delegation: a new one, or the open one it joined.

        A delivery (or the same comment) seen before changes nothing. Raises QueueUnavailable when nothing was recorded
        or when that is not known; sending the delivery again is then safe.
        """
        with reachable():
            return put(self._client, delegation)

    def ping(self) -> None:
        """QueueUnavailable unless the server answers."""
        with reachable():
            self._client.ping()


def put(client: "Redis", delegation: Delegation, *, late: bool = False) -> str:
    """One run of the script; `late`: the delivery was taken in before, but its job ended without looking at it."""
    job_id, repo, after = delegation.job_id, str(delegation.repo.id), ":late" if late else ""
    keys = [
        f"{PREFIX}delivery:{delegation.trigger.delivery}{after}",
        f"{PREFIX}ask:{job_id}{after}",
        f"{PREFIX}wish:{delegation.wish}",
        f"{PREFIX}job:{job_id}",
        f"{PREFIX}waiting:{repo}",
        f"{PREFIX}repos",
        QUEUE,
    ]
    flat = [part for pair in fields.encode(_first_record(delegation)).items() for part in pair]
    trigger = delegation.trigger.model_dump_json()
    args = [PREFIX, job_id, repo, str(REMEMBER_SECONDS), trigger, doorbell(job_id), *flat]
    return str(cast("Sequence[object]", run_script(client, "submit", keys, args))[0])


def doorbell(job_id: str) -> str:
    """The message that wakes a worker for a job, ready for the left end of the queue's list."""
    message_id = str(uuid.uuid4())
    body = [[job_id], {}, {"callbacks": None, "errbacks": None, "chain": None, "chord": None}]
    return json.dumps(
        {
            "body": base64.b64encode(json.dumps(body).encode()).decode(),
            "content-encoding": "utf-8",
            "content-type": "application/json",
            "headers": {
                "lang": "py",
                "task": TASK,
                "id": message_id,
                "root_id": message_id,
                "parent_id": None,
                "group": None,
                "eta": None,
                "expires": None,
                "retries": 0,
                "timelimit": [None, None],
                "argsrepr": repr([job_id]),
                "kwargsrepr": "{}",
                "ignore_result": True,
            },
            "properties": {
                "correlation_id": message_id,
                "reply_to": message_id,
                "delivery_mode": 2,
                "delivery_info": {"exchange": "", "routing_key": QUEUE},
                "priority": 0,
                "body_encoding": "base64",
                "delivery_tag": str(uuid.uuid4()),
            },
        }
    )


def run_script(client: "Redis", name: str, keys: Sequence[str], args: Sequence[str]) -> object:
    """What one of our server-side scripts answers; its text is sent only when the server does not know it yet."""
    from redis.exceptions import NoScriptError

    text, digest = _script(name)
    try:
        return cast("object", client.evalsha(digest, len(keys), *keys, *args))
    except NoScriptError:
        return cast("object", client.eval(text, len(keys), *keys, *args))


@cache
def _script(name: str) -> tuple[str, str]:
    text = (Path(__file__).parent / "lua" / f"{name}.lua").read_text(encoding="utf-8")
    return text, hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()  # the name EVALSHA knows it by


def _first_record(delegation: Delegation) -> JobRecord:
    return JobRecord(
        job_id=delegation.job_id,
        wish=delegation.wish,
        host=delegation.host,
        installation_id=delegation.installation_id,
        repo=delegation.repo,
        issue=delegation.issue,
        title=delegation.title,
        body=delegation.body,
        triggers=(delegation.trigger,),
        created=0.0,  # the script writes the server's time
        updated=0.0,
    )
