"""Who may delegate, what their trigger asks for, and what a result becomes; no IO, facts come in as arguments."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from markdown_it import MarkdownIt

from agent.domain.result import Outcome, RunResult, Verdict
from worker.contract.job import Command, JobRecord, JobState, Kind, Trigger, text_digest
from worker.domain import Actor, Comment, Issue, LabelEvent, Role
from worker.options import Ceiling
from worker.repo_config import Drafts


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What the operator of this installation decided."""

    label: str
    allow: tuple[str, ...]
    ceiling: Ceiling
    git_base: str
    """Address below which repositories are fetched and pushed."""
    bot_ids: frozenset[int] = frozenset()


TOLERANCE = timedelta(seconds=120)
"""A label delivery carries the issue's time of change, not the event's own: they lie seconds apart."""


LIFETIME = timedelta(days=8)
"""How long a trigger may be acted on: a day longer than a forge can redeliver (7 days on GHES, 3 on github.com)."""


def allowed(full_name: str, allow: Sequence[str]) -> bool:
    """Whether `owner/name` may use this installation: `allow` holds owners or owner/name; empty refuses everyone."""
    wanted = full_name.casefold()
    owner = wanted.split("/", 1)[0]
    return any(entry.strip().casefold() in (wanted, owner) for entry in allow if entry.strip())


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What GitHub said about one trigger when the worker asked: nothing here comes from the queue."""

    issue: Issue
    role: Role
    label_events: tuple[LabelEvent, ...] = ()
    comment: Comment | None = None
    now: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Authorised:
    """This trigger stands: `by` is the login GitHub confirmed."""

    trigger: Trigger
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """This trigger starts nothing; `say` is False where an answer would only feed a loop or a stranger."""

    trigger: Trigger
    reason: str
    say: bool = True


Decision = Authorised | Refused


def authorise(trigger: Trigger, facts: Facts, *, label: str, bot_ids: frozenset[int] = frozenset()) -> Decision:
    """Believe a trigger only as far as GitHub's own record of it and the actor's role go.

    `facts.role` must be the role of the login that GitHub's record names; a login that differs from it is refused.
    """
    problem = _unlike_label(trigger, facts, label) if trigger.kind is Kind.LABEL else _unlike_comment(trigger, facts)
    listed = trigger.actor_id in bot_ids
    if trigger.actor_type != "User" and not listed:
        return Refused(trigger=trigger, reason=f"{trigger.actor} is not a person.", say=False)
    if problem:
        return Refused(trigger=trigger, reason=problem)
    if facts.now - trigger.at > LIFETIME:
        return Refused(trigger=trigger, reason="That was asked for more than 8 days ago. Ask again.")
    if not facts.role.may_delegate and not listed:
        return Refused(
            trigger=trigger,
            reason=(
                f"{trigger.actor} has the role `{facts.role.value}` in this repository; starting or steering a run "
                "takes `write` or more."
            ),
        )
    if facts.issue.locked:
        return Refused(trigger=trigger, reason="The issue is locked.", say=False)
    if facts.issue.state != "open":
        return Refused(trigger=trigger, reason="The issue is closed. Reopen it and ask again.")
    return Authorised(trigger=trigger, by=trigger.actor)


def _same(actor: Actor, trigger: Trigger) -> bool:
    """GitHub's actor is the trigger's in id, kind and name: the role is asked for by name."""
    return (actor.id, actor.type, actor.login.casefold()) == (
        trigger.actor_id,
        trigger.actor_type,
        trigger.actor.casefold(),
    )


def _unlike_label(trigger: Trigger, facts: Facts, label: str) -> str:
    """Why GitHub's event list does not bear a label trigger out; empty when it does."""
    wanted = label.casefold()
    if (trigger.label or "").casefold() != wanted:
        return f"Only the label `{label}` starts a run."
    if wanted not in {name.casefold() for name in facts.issue.labels}:
        return f"The label `{label}` is not on the issue any more. Set it again to start a run."
    for event in facts.label_events:
        same = event.label.casefold() == wanted and _same(event.actor, trigger)
        if same and abs(_time(event.created_at) - trigger.at) <= TOLERANCE:
            return ""
    return f"GitHub's record of this issue shows no such labelling by {trigger.actor}. Set the label again."


def _unlike_comment(trigger: Trigger, facts: Facts) -> str:
    """Why the comment at GitHub does not bear a comment trigger out; empty when it does."""
    comment = facts.comment
    if comment is None:
        return "The comment is not there any more. Write it again to start a run."
    if not _same(comment.author, trigger):
        return "The comment was written by somebody else than the delivery says."
    if comment.app_id is not None:
        return "The comment was written through an App."
    if comment.updated_at != comment.created_at:
        return "The comment was edited after it was posted. Write a new one."
    if abs(_time(comment.created_at) - trigger.at) > TOLERANCE:
        return "The comment was written at another time than the delivery says."
    asked = _command(comment.body)
    if asked is None:
        return "The comment does not start with the command any more."
    if trigger.command is not Command.INVALID and asked != (trigger.command, trigger.options):
        return "The command in the comment is not the one that reached the queue. Write the comment again."
    return ""


def _command(body: str) -> tuple[Command, dict[str, str]] | None:
    """What the first own line of a comment asks for, read anew: the queue's word for it is not taken."""
    if "/bendcoder" not in body.lower():
        return None
    for token in MarkdownIt("commonmark").parse(body[:16_384]):
        if token.level == 0 and token.type == "paragraph_open" and token.map:
            words = re.split(r"\r\n|\r|\n", body)[token.map[0]].split()
            return _asked(words[1:]) if words and words[0].lower() == "/bendcoder" else None
    return None


def _asked(words: Sequence[str]) -> tuple[Command, dict[str, str]]:
    if words and "=" not in words[0]:
        word = words[0].lower()
        return (Command(word) if word in {known.value for known in Command} else Command.INVALID), {}
    options = dict(word.partition("=")[::2] for word in words)
    if options.get("steps", "").isdecimal():
        options["steps"] = str(int(options["steps"]))
    return Command.RUN, options


def text_unchanged(trigger: Trigger, record: JobRecord, issue: Issue) -> bool:
    """Whether title and body at the trigger are what GitHub returns now: anything else asks for a new trigger."""
    if trigger.text:
        return trigger.text == text_digest(issue.title, issue.body)
    return (record.title, record.body) == (issue.title, issue.body)


def newest(decisions: Sequence[Decision]) -> Authorised | None:
    """The newest authorised trigger of a job; refused ones change nothing."""
    standing = [decision for decision in decisions if isinstance(decision, Authorised)]
    return max(standing, key=lambda decision: decision.trigger.at, default=None)


class Pull(StrEnum):
    """What the pull request says of itself."""

    NONE = "none"
    VERIFIED = "verified"
    UNVERIFIED = "unverified"
    FAILING = "failing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Disposal:
    """What a run's result becomes: the job's end, whether a draft opens, and the check's conclusion."""

    state: JobState
    pull: Pull
    conclusion: str
    patch_in_comment: bool = False
    facts: tuple[str, ...] = field(default=())


def dispose(result: RunResult, drafts: Drafts) -> Disposal:
    """The table of outcomes: what was kept decides, however the run ended."""
    if result.outcome is Outcome.SUITE_UNUSABLE:
        return Disposal(state=JobState.FAILED, pull=Pull.NONE, conclusion="action_required")
    if not result.changes or result.judgement is None:
        state = JobState.CANCELLED if result.outcome is Outcome.CANCELLED else JobState.DONE
        return Disposal(state=state, pull=Pull.NONE, conclusion="neutral")
    match result.judgement.verdict:
        case Verdict.VERIFIED:
            return Disposal(state=JobState.DONE, pull=Pull.VERIFIED, conclusion="success")
        case Verdict.UNVERIFIED:
            return _unproven(Pull.UNVERIFIED, "neutral", drafts)
        case Verdict.FAILING:
            return _unproven(Pull.FAILING, "failure", drafts)


def _unproven(pull: Pull, conclusion: str, drafts: Drafts) -> Disposal:
    """A kept change without proof: a marked draft, or the patch in the comment where the repository wants that."""
    if drafts is Drafts.VERIFIED:
        return Disposal(state=JobState.DONE, pull=Pull.NONE, conclusion=conclusion, patch_in_comment=True)
    return Disposal(state=JobState.DONE, pull=pull, conclusion=conclusion)


def next_branch(issue: int, taken: Sequence[str]) -> str:
    """`bendcoder/issue-N`, or the first of `-2`, `-3` … that is free on the remote."""
    name = f"bendcoder/issue-{issue}"
    number = 1
    names = set(taken)
    while (name if number == 1 else f"{name}-{number}") in names:
        number += 1
    return name if number == 1 else f"{name}-{number}"


def hold_ci(setting: str | None, author: Role) -> bool:
    """Whether the commit asks Actions to stay away: the repository's word, else unless the author may write anyway."""
    return setting == "hold" if setting is not None else not author.may_delegate


def at_or_before(stamp: str, at: datetime) -> bool:
    """Whether a time as GitHub sends it lies not after `at`."""
    return _time(stamp) <= at


def _time(stamp: str) -> datetime:
    """An ISO 8601 time as GitHub sends it."""
    return datetime.fromisoformat(stamp.replace("Z", "+00:00"))
