"""What the stand-in remembers, as plain records; no behaviour beyond asking a record about itself, no IO.

The records change in place and are touched only under the store's lock. Times are aware datetimes of the stand-in's
own clock, ids are unique over all kinds.
"""

from dataclasses import dataclass, field
from datetime import datetime

ROLES = ("none", "read", "triage", "write", "maintain", "admin")
"""Roles of a person in a repository, weakest first."""


@dataclass(slots=True, kw_only=True)
class User:
    """An account: a person, an organisation or an App's bot."""

    id: int
    login: str
    created: datetime
    type: str = "User"
    name: str | None = None


@dataclass(slots=True, kw_only=True)
class App:
    """A GitHub App; the stand-in keeps the private key too, so that it can hand it to whoever starts the worker."""

    id: int
    slug: str
    name: str
    owner: User
    bot: User
    created: datetime
    client_id: str
    client_secret: str
    private_key: str
    public_key: str
    webhook_secret: str
    webhook_url: str | None
    permissions: dict[str, str]
    events: tuple[str, ...]


@dataclass(slots=True, kw_only=True)
class Installation:
    """An App on an account; `repository_ids` None means all repositories of it."""

    id: int
    app: App
    account: User
    permissions: dict[str, str]
    created: datetime
    repository_ids: set[int] | None = None
    suspended: datetime | None = None


@dataclass(slots=True, kw_only=True)
class Token:
    """An installation token; `born` is monotonic seconds, for the lag right after minting."""

    value: str
    installation: Installation
    expires: datetime
    permissions: dict[str, str]
    repository_ids: frozenset[int] | None
    born: float
    revoked: bool = False


@dataclass(slots=True, kw_only=True)
class Actor:
    """Who did something, and through which App when it was not the person at the keyboard."""

    user: User
    app: App | None = None


@dataclass(slots=True, kw_only=True)
class Label:
    """A label of a repository."""

    id: int
    name: str
    color: str
    description: str | None = None


@dataclass(slots=True, kw_only=True)
class Reaction:
    """One reaction of one account."""

    id: int
    user: User
    content: str
    created: datetime


@dataclass(slots=True, kw_only=True)
class Event:
    """One entry of an issue's event list (`labeled`, `closed`, …)."""

    id: int
    kind: str
    actor: Actor
    created: datetime
    label: Label | None = None
    rename: tuple[str, str] | None = None


@dataclass(slots=True, kw_only=True)
class Comment:
    """A comment on an issue or pull request."""

    id: int
    number: int
    author: Actor
    body: str
    created: datetime
    updated: datetime
    reactions: list[Reaction] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class ReviewComment:
    """A comment on a line of a pull request's diff."""

    id: int
    number: int
    author: Actor
    body: str
    path: str
    line: int
    commit_sha: str
    created: datetime
    updated: datetime
    reply_to: int | None = None
    review_id: int | None = None
    reactions: list[Reaction] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class Review:
    """A submitted review."""

    id: int
    author: Actor
    body: str
    state: str
    commit_sha: str
    submitted: datetime


@dataclass(slots=True, kw_only=True)
class Pull:
    """What a pull request has besides being an issue: branch names of one repository and their last known heads."""

    id: int
    head: str
    base: str
    head_sha: str
    base_sha: str
    draft: bool
    merged: datetime | None = None
    merged_by: User | None = None
    merge_sha: str | None = None
    reviewers: list[User] = field(default_factory=list)
    reviews: list[Review] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class Issue:
    """An issue, or a pull request when `pull` is set: GitHub numbers both in one row."""

    id: int
    number: int
    title: str
    body: str | None
    author: Actor
    created: datetime
    updated: datetime
    state: str = "open"
    reason: str | None = None
    closed: datetime | None = None
    closed_by: User | None = None
    locked: bool = False
    deleted: bool = False
    labels: list[Label] = field(default_factory=list)
    reactions: list[Reaction] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    pull: Pull | None = None


@dataclass(slots=True, kw_only=True)
class CheckRun:
    """A check run of an App on a commit."""

    id: int
    app: App
    name: str
    head_sha: str
    suite_id: int
    started: datetime | None
    status: str = "queued"
    conclusion: str | None = None
    completed: datetime | None = None
    external_id: str | None = None
    details_url: str | None = None
    title: str | None = None
    summary: str | None = None
    text: str | None = None
    annotations: list[dict[str, object]] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class Repository:
    """A repository; its files are a bare git repository on disk."""

    id: int
    owner: User
    name: str
    created: datetime
    pushed: datetime
    default_branch: str = "main"
    description: str | None = None
    private: bool = False
    archived: bool = False
    drafts: bool = True
    """Whether draft pull requests exist here (not so for private repositories on the free plan)."""
    signed_only: bool = False
    """Whether a rule refuses pushed commits without a verified signature."""
    signed: set[str] = field(default_factory=set)
    """Commits the REST API made for an App without a named author: the ones GitHub signs."""
    refused_refs: dict[str, str] = field(default_factory=dict)
    """Ref pattern -> reason with which a push to it is refused."""
    next_number: int = 1
    roles: dict[str, str] = field(default_factory=dict)
    labels: dict[str, Label] = field(default_factory=dict)
    issues: dict[int, Issue] = field(default_factory=dict)
    comments: dict[int, Comment] = field(default_factory=dict)
    review_comments: dict[int, ReviewComment] = field(default_factory=dict)
    checks: dict[int, CheckRun] = field(default_factory=dict)

    @property
    def full_name(self) -> str:
        """owner/name."""
        return f"{self.owner.login}/{self.name}"

    def role(self, user: User) -> str:
        """The person's role; everyone reads a public repository, the owner administers, bots have none."""
        if user.id == self.owner.id:
            return "admin"
        if user.type == "Bot":
            return "none"
        return self.roles.get(user.login.lower(), "none" if self.private else "read")

    def pulls(self) -> list[tuple[Issue, Pull]]:
        """Pull requests, oldest first."""
        return [(issue, issue.pull) for issue in self.issues.values() if issue.pull is not None and not issue.deleted]
