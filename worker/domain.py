"""Values of the worker: what GitHub told us and what we are about to tell it; no IO."""

from dataclasses import dataclass
from enum import StrEnum

from agent.domain.task import Options, Task


class Role(StrEnum):
    """A person's role in a repository, from the permission API (never from author_association)."""

    NONE = "none"
    READ = "read"
    TRIAGE = "triage"
    WRITE = "write"
    MAINTAIN = "maintain"
    ADMIN = "admin"

    @property
    def may_delegate(self) -> bool:
        """Write and up."""
        return self in (Role.WRITE, Role.MAINTAIN, Role.ADMIN)


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """Somebody on GitHub."""

    login: str
    id: int
    type: str = "User"


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    """What the worker needs of a repository."""

    id: int
    owner: str
    name: str
    default_branch: str
    private: bool = False
    archived: bool = False

    @property
    def full_name(self) -> str:
        """owner/name."""
        return f"{self.owner}/{self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Issue:
    """An issue as GitHub returns it now."""

    number: int
    title: str
    body: str
    state: str
    author: Actor
    locked: bool = False
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """An issue comment; times are ISO 8601 as GitHub sends them."""

    id: int
    body: str
    author: Actor
    created_at: str
    updated_at: str
    app_id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelEvent:
    """One `labeled` event of an issue's event list."""

    label: str
    actor: Actor
    created_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PullRequest:
    """A pull request as GitHub returns it."""

    number: int
    url: str
    head: str
    base: str
    draft: bool
    state: str
    body: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BotIdentity:
    """Who commits: `SLUG[bot]` and its no-reply address."""

    name: str
    email: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Errand:
    """One run of the agent for a job: what it is told, within which limits, with which model."""

    job_id: str
    attempt: int
    task: Task
    options: Options
    model: str | None = None
    """Generate's model where somebody named one; None: the operator's."""
