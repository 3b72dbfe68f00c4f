"""Delegations for tests of the queue."""

from datetime import UTC, datetime

from worker.contract.job import Command, Delegation, Kind, RepoRef, Trigger, text_digest


def by_label(delivery: str, *, repo: int = 42, issue: int = 3, body: str = "It is one too low.") -> Delegation:
    """A maintainer's label."""
    return _delegation(repo, issue, body, delivery=delivery, kind=Kind.LABEL, label="bendcoder")


def by_comment(
    delivery: str, comment_id: int = 555, *, repo: int = 42, issue: int = 3, command: Command = Command.RUN,
    options: dict[str, str] | None = None,
) -> Delegation:  # fmt: skip
    """A maintainer's command."""
    more = {"comment_id": comment_id, "command": command, "options": options or {}}
    return _delegation(repo, issue, "It is one too low.", delivery=delivery, kind=Kind.COMMENT, **more)


def _delegation(repo: int, issue: int, body: str, **trigger: object) -> Delegation:
    title = "Totals: größer als ☂"
    usual = {
        "actor": "mona",
        "actor_id": 7,
        "at": datetime(2026, 11, 30, 10, tzinfo=UTC),
        "text": text_digest(title, body),
    }
    return Delegation(
        host="github.com",
        installation_id=1234,
        repo=RepoRef(id=repo, owner="acme", name=f"repo{repo}"),
        issue=issue,
        title=title,
        body=body,
        trigger=Trigger.model_validate(usual | trigger),
    )
