"""From a delivery to a person's wish, or to the reason why it is none; no IO, and no belief: the worker asks the forge.

Each rule looks at one kind of event and answers None for every other.
"""

from collections.abc import Callable
from dataclasses import dataclass

from pydantic import ValidationError

from bot import command
from bot.events import Comment, Envelope, Event
from bot.webhook import Delivery
from worker.contract.job import Delegation, Kind, RepoRef, Trigger, text_digest


@dataclass(frozen=True, slots=True, kw_only=True)
class Ignored:
    """A genuine delivery that asks for nothing."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """What we listen for: the label in any case, the host that job ids are derived from, and bots let through."""

    label: str
    host: str
    bot_ids: frozenset[int] = frozenset()


Answer = Delegation | Ignored
Rule = Callable[[Delivery, Watch], Answer | None]


def decide(delivery: Delivery, watch: Watch) -> Answer:
    """What a delivery asks for: the first rule that has an answer."""
    for rule in RULES:
        answer = rule(delivery, watch)
        if answer is not None:
            return answer
    return Ignored(reason=f"event {delivery.event} is not one we act on")


def label_set(delivery: Delivery, watch: Watch) -> Answer | None:
    """`issues.labeled` with our label: only the label the event is about counts, whatever else the issue carries."""
    if delivery.event != "issues":
        return None
    if _action(delivery) != "labeled":
        return Ignored(reason=f"issues.{_action(delivery)} is not one we act on")
    event = _event(delivery)
    if isinstance(event, Ignored):
        return event
    if event.label is None or event.label.name.casefold() != watch.label.casefold():
        return Ignored(reason="another label")
    refused = _unfit(event, watch)
    if refused:
        return refused
    trigger = Trigger(
        delivery=delivery.id,
        kind=Kind.LABEL,
        label=event.label.name,
        actor=event.sender.login,
        actor_id=event.sender.id,
        actor_type=event.sender.type,
        at=event.issue.updated_at,
        text=_digest(event),
    )
    return _delegation(event, trigger, watch)


def command_written(delivery: Delivery, watch: Watch) -> Answer | None:
    """`issue_comment.created` whose first own line is a command; edits and deletions are never one."""
    if delivery.event != "issue_comment":
        return None
    if _action(delivery) != "created":
        return Ignored(reason=f"issue_comment.{_action(delivery)}: only a new comment is a command")
    event = _event(delivery)
    if isinstance(event, Ignored):
        return event
    if event.comment is None:
        return Ignored(reason="payload not understood: comment")
    asked = command.parse(event.comment.body or "")
    if asked is None:
        return Ignored(reason="not a command")
    refused = _written_by_an_app(event.comment, event, watch) or _on_a_pull_request(event) or _unfit(event, watch)
    if refused:
        return refused
    trigger = Trigger(
        delivery=delivery.id,
        kind=Kind.COMMENT,
        command=asked.command,
        comment_id=event.comment.id,
        actor=event.sender.login,
        actor_id=event.sender.id,
        actor_type=event.sender.type,
        at=event.comment.created_at,
        options=asked.options,
        problem=asked.problem,
        text=_digest(event),
    )
    return _delegation(event, trigger, watch)


RULES: tuple[Rule, ...] = (label_set, command_written)


def _unfit(event: Event, watch: Watch) -> Ignored | None:
    """Why nobody's wish can be taken up here, whoever it is."""
    checks = (
        (_is_stray_bot(event, watch), "the sender is a bot"),
        (event.installation is None, "the delivery names no installation of the app"),
        (event.repository.archived or event.repository.disabled, "the repository is archived or disabled"),
        (event.issue.state != "open", "the issue is closed"),
        (event.issue.locked, "the issue is locked"),
    )
    return next((Ignored(reason=reason) for applies, reason in checks if applies), None)


def _is_stray_bot(event: Event, watch: Watch) -> bool:
    return event.sender.type == "Bot" and event.sender.id not in watch.bot_ids


def _written_by_an_app(comment: Comment, event: Event, watch: Watch) -> Ignored | None:
    if comment.performed_via_github_app is None or event.sender.id in watch.bot_ids:
        return None
    return Ignored(reason="the comment was written through an app")


def _on_a_pull_request(event: Event) -> Ignored | None:
    if event.issue.pull_request is None:
        return None
    return Ignored(reason="commands are taken on issues, not on pull requests")


def _action(delivery: Delivery) -> str:
    try:
        return Envelope.model_validate(delivery.payload).action
    except ValidationError:
        return "(no action)"


def _event(delivery: Delivery) -> Event | Ignored:
    """The payload as the fields we use, or which field does not fit, for whoever reads the forge's delivery log."""
    try:
        return Event.model_validate(delivery.payload)
    except ValidationError as error:
        where = ".".join(str(part) for part in error.errors()[0]["loc"])
        return Ignored(reason=f"payload not understood: {where}")


def _digest(event: Event) -> str:
    return text_digest(event.issue.title, event.issue.body or "")


def _delegation(event: Event, trigger: Trigger, watch: Watch) -> Delegation | Ignored:
    if event.installation is None:
        return Ignored(reason="the delivery names no installation of the app")
    return Delegation(
        host=watch.host,
        installation_id=event.installation.id,
        repo=RepoRef(
            id=event.repository.id,
            owner=event.repository.owner.login,
            name=event.repository.name,
            default_branch=event.repository.default_branch,
        ),
        issue=event.issue.number,
        title=event.issue.title,
        body=event.issue.body or "",
        trigger=trigger,
    )
