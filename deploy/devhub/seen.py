"""What a client sees of the stand-in's state: small frozen values read from its answers; no IO."""

from dataclasses import dataclass
from typing import Self

from deploy.devhub.problems import Json


def as_dict(value: object) -> Json:
    """A JSON object; TypeError for anything else."""
    if not isinstance(value, dict):
        raise TypeError(f"expected an object, got {type(value).__name__}")
    return value


def as_list(value: object) -> list[object]:
    """A JSON array; TypeError for anything else."""
    if not isinstance(value, list):
        raise TypeError(f"expected an array, got {type(value).__name__}")
    return value


def _text(found: Json, key: str) -> str:
    value = found.get(key)
    return "" if value is None else str(value)


def _maybe(found: Json, key: str) -> str | None:
    value = found.get(key)
    return None if value is None else str(value)


def _int(found: Json, key: str) -> int:
    return int(str(found[key]))


def _login(found: Json, key: str = "user") -> str:
    return str(as_dict(found[key])["login"])


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenApp:
    """The App and its secrets."""

    id: int
    slug: str
    private_key: str
    webhook_secret: str
    webhook_url: str | None

    @classmethod
    def read(cls, value: object) -> Self:
        """From the control API."""
        found = as_dict(value)
        return cls(
            id=_int(found, "id"),
            slug=_text(found, "slug"),
            private_key=_text(found, "private_key"),
            webhook_secret=_text(found, "webhook_secret"),
            webhook_url=_maybe(found, "webhook_url"),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenIssue:
    """An issue, or a pull request as one."""

    number: int
    title: str
    body: str
    state: str
    labels: tuple[str, ...]
    url: str

    @classmethod
    def read(cls, value: object) -> Self:
        """From an issue document."""
        found = as_dict(value)
        return cls(
            number=_int(found, "number"),
            title=_text(found, "title"),
            body=_text(found, "body"),
            state=_text(found, "state"),
            labels=tuple(_text(as_dict(one), "name") for one in as_list(found["labels"])),
            url=_text(found, "html_url"),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenComment:
    """A comment; `by_app` says whether an App wrote it."""

    id: int
    body: str
    author: str
    by_app: bool
    created_at: str
    updated_at: str

    @classmethod
    def read(cls, value: object) -> Self:
        """From a comment document."""
        found = as_dict(value)
        return cls(
            id=_int(found, "id"),
            body=_text(found, "body"),
            author=_login(found),
            by_app=found.get("performed_via_github_app") is not None,
            created_at=_text(found, "created_at"),
            updated_at=_text(found, "updated_at"),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenReaction:
    """One reaction."""

    content: str
    author: str

    @classmethod
    def read(cls, value: object) -> Self:
        """From a reaction document."""
        found = as_dict(value)
        return cls(content=_text(found, "content"), author=_login(found))


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenPull:
    """A pull request."""

    number: int
    title: str
    body: str
    state: str
    draft: bool
    head: str
    base: str
    head_sha: str
    base_sha: str
    author: str
    url: str
    changed_files: int

    @classmethod
    def read(cls, value: object) -> Self:
        """From a pull request document."""
        found = as_dict(value)
        head, base = as_dict(found["head"]), as_dict(found["base"])
        return cls(
            number=_int(found, "number"),
            title=_text(found, "title"),
            body=_text(found, "body"),
            state=_text(found, "state"),
            draft=found.get("draft") is True,
            head=_text(head, "ref"),
            base=_text(base, "ref"),
            head_sha=_text(head, "sha"),
            base_sha=_text(base, "sha"),
            author=_login(found),
            url=_text(found, "html_url"),
            changed_files=_int(found, "changed_files"),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenCheck:
    """A check run."""

    id: int
    name: str
    head_sha: str
    status: str
    conclusion: str | None
    external_id: str | None
    title: str
    summary: str

    @classmethod
    def read(cls, value: object) -> Self:
        """From a check run document."""
        found = as_dict(value)
        output = as_dict(found["output"])
        return cls(
            id=_int(found, "id"),
            name=_text(found, "name"),
            head_sha=_text(found, "head_sha"),
            status=_text(found, "status"),
            conclusion=_maybe(found, "conclusion"),
            external_id=_maybe(found, "external_id"),
            title=_text(output, "title"),
            summary=_text(output, "summary"),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenCall:
    """One REST or git request the stand-in was sent."""

    method: str
    path: str
    query: str
    status: int
    who: str
    repository: str | None
    known: bool

    @classmethod
    def read(cls, value: object) -> Self:
        """From the call log."""
        found = as_dict(value)
        return cls(
            method=_text(found, "method"),
            path=_text(found, "path"),
            query=_text(found, "query"),
            status=_int(found, "status"),
            who=_text(found, "who"),
            repository=_maybe(found, "repository"),
            known=found.get("known") is True,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenDelivery:
    """One webhook delivery."""

    id: int
    guid: str
    event: str
    action: str | None
    status: str
    status_code: int
    redelivery: bool
    duration: float
    payload: Json
    headers: Json
    answer: str

    @classmethod
    def read(cls, value: object) -> Self:
        """From the delivery log."""
        found = as_dict(value)
        sent, answered = as_dict(found["request"]), as_dict(found["response"])
        return cls(
            id=_int(found, "id"),
            guid=_text(found, "guid"),
            event=_text(found, "event"),
            action=_maybe(found, "action"),
            status=_text(found, "status"),
            status_code=_int(found, "status_code"),
            redelivery=found.get("redelivery") is True,
            duration=float(str(found["duration"])),
            payload=as_dict(sent["payload"]),
            headers=as_dict(sent["headers"]),
            answer=_text(answered, "payload"),
        )
