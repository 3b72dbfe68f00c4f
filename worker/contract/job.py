"""What crosses between bot and worker, as versioned models; no IO, nothing but pydantic."""

import hashlib
from enum import StrEnum
from typing import Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

RECORD_VERSION: Literal[1] = 1


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Kind(StrEnum):
    """How a person asked."""

    LABEL = "label"
    COMMENT = "comment"


class Command(StrEnum):
    """What a `/bendcoder` comment asks for; a label asks for `run`."""

    RUN = "run"
    STOP = "stop"
    STATUS = "status"
    RETRY = "retry"
    HELP = "help"
    CI = "ci"
    INVALID = "invalid"
    """Not understood: answered with one clear reply, nothing runs."""


def text_digest(title: str, body: str) -> str:
    """What tells whether an issue still reads as it did at a trigger (sha256, hex)."""
    return hashlib.sha256(f"{title}\0{body}".encode()).hexdigest()


class RepoRef(_Frozen):
    """A repository as the payload named it; `id` is what records are keyed by (names change)."""

    id: int
    owner: str
    name: str
    default_branch: str = "main"

    @property
    def full_name(self) -> str:
        """owner/name."""
        return f"{self.owner}/{self.name}"


class Trigger(_Frozen):
    """One time somebody asked: the worker re-reads it at GitHub before it believes it."""

    delivery: str
    kind: Kind
    command: Command = Command.RUN
    label: str | None = None
    comment_id: int | None = None
    actor: str
    actor_id: int
    actor_type: str = "User"
    at: AwareDatetime
    options: dict[str, str] = Field(default_factory=dict)
    problem: str = ""
    """Why the command was not understood (`invalid` only)."""
    text: str = ""
    """`text_digest` of title and body as this trigger saw them: a later trigger never changes the record's text."""


class Delegation(_Frozen):
    """A person's wish with the text as it was at the trigger."""

    host: str
    """Host of the forge's web address, e.g. `github.com`."""
    installation_id: int
    repo: RepoRef
    issue: int
    title: str
    body: str
    trigger: Trigger

    @property
    def wish(self) -> str:
        """What makes two triggers the same job: repository and issue."""
        return f"{self.repo.id}:{self.issue}"

    @property
    def job_id(self) -> str:
        """Hash of host, repository id, issue, kind, and comment id or first delivery (16 hex digits)."""
        last = str(self.trigger.comment_id) if self.trigger.comment_id else self.trigger.delivery
        parts = (self.host, str(self.repo.id), str(self.issue), self.trigger.kind.value, last)
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


class JobState(StrEnum):
    """queued -> running -> done | failed | cancelled."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def open(self) -> bool:
        """Not yet ended."""
        return self in (JobState.QUEUED, JobState.RUNNING)


class JobRecord(_Frozen):
    """The truth about a job, as kept in Redis; the Celery message is only a doorbell with its id."""

    version: Literal[1] = RECORD_VERSION
    job_id: str
    wish: str
    host: str
    installation_id: int
    repo: RepoRef
    issue: int
    title: str
    body: str
    triggers: tuple[Trigger, ...]
    state: JobState = JobState.QUEUED
    attempts: int = 0
    owner: str = ""
    owners: tuple[str, ...] = ()
    """Every runner that ever held the lease, in order."""
    lease_until: float = 0.0
    """Redis server time, seconds."""
    cancel: bool = False
    branch: str = ""
    base_sha: str = ""
    head_sha: str = ""
    """The commit this job is about to push, or pushed: whatever else lies on its branch is somebody else's."""
    status_comment: int | None = None
    pr: int | None = None
    pr_url: str = ""
    outcome: str = ""
    verdict: str = ""
    reason: str = ""
    step: str = ""
    """What the job is doing, in words, for progress displays."""
    trace: str = ""
    created: float
    updated: float
