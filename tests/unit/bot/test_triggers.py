"""Which deliveries hand a job over, and the reason given for each that does not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.triggers import Ignored, Watch, decide
from bot.webhook import Delivery
from tests.support.payloads import Payload, commented, issue, labeled, repository, user
from worker.contract.job import Command, Delegation, Kind, text_digest

WATCH = Watch(label="bendcoder", host="github.com")


def answer(event: str, payload: Payload, watch: Watch = WATCH) -> Delegation | Ignored:
    return decide(Delivery(id="d-1", event=event, payload=payload), watch)


def test_our_label_hands_the_issue_over_as_it_stands() -> None:
    got = answer("issues", labeled())
    assert isinstance(got, Delegation)
    assert (got.host, got.installation_id, got.repo.id, got.repo.full_name) == ("github.com", 1234, 42, "acme/sums")
    assert (got.issue, got.title) == (3, "The total is one too low")
    assert got.body.startswith("`total([1, 2])`")
    assert (got.trigger.kind, got.trigger.command, got.trigger.label) == (Kind.LABEL, Command.RUN, "bendcoder")
    assert (got.trigger.actor, got.trigger.actor_id, got.trigger.delivery) == ("mona", 7, "d-1")
    assert got.trigger.at.isoformat() == "2026-11-30T10:00:00+00:00"
    assert got.trigger.text == text_digest(got.title, got.body)


def test_a_command_carries_its_comment_and_options() -> None:
    got = answer("issue_comment", commented("/bendcoder steps=5"))
    assert isinstance(got, Delegation)
    assert (got.trigger.kind, got.trigger.command, got.trigger.comment_id) == (Kind.COMMENT, Command.RUN, 555)
    assert got.trigger.options == {"steps": "5"}
    assert got.trigger.at.isoformat() == "2026-11-30T10:05:00+00:00"


def test_a_command_that_is_not_understood_is_handed_over_to_be_answered() -> None:
    got = answer("issue_comment", commented("/bendcoder steps=500"))
    assert isinstance(got, Delegation)
    assert got.trigger.command is Command.INVALID
    assert "steps" in got.trigger.problem


def test_the_label_is_compared_without_case() -> None:
    assert isinstance(answer("issues", labeled("BendCoder")), Delegation)
    assert isinstance(answer("issues", labeled("fix me"), Watch(label="Fix Me", host="h")), Delegation)


def test_a_label_from_before_the_archived_keys_and_an_empty_body_are_fine() -> None:
    got = answer("issues", labeled(issue=issue(body=None)))
    assert isinstance(got, Delegation)
    assert got.body == ""


@pytest.mark.parametrize(
    ("payload", "reason"),
    [
        (labeled("bug"), "another label"),
        (labeled("bendcoder-later"), "another label"),
        (labeled(label=None), "another label"),
        (labeled(action="unlabeled"), "issues.unlabeled is not one we act on"),
        (labeled(action="opened"), "issues.opened is not one we act on"),
        (labeled(action=["labeled"]), "issues.(no action) is not one we act on"),
        (labeled(sender=user("dependabot[bot]", 9, "Bot")), "the sender is a bot"),
        (labeled(installation=None), "the delivery names no installation of the app"),
        (labeled(issue=issue(state="closed")), "the issue is closed"),
        (labeled(issue=issue(locked=True)), "the issue is locked"),
        (labeled(repository=repository(archived=True)), "the repository is archived or disabled"),
        (labeled(repository=repository(disabled=True)), "the repository is archived or disabled"),
        (labeled(issue={"number": 3}), "payload not understood: issue.title"),
        (labeled(repository={}), "payload not understood: repository.id"),
        (labeled(repository=repository(-1)), "payload not understood: repository.id"),
        (labeled(sender=None), "payload not understood: sender"),
    ],
)
def test_an_issues_event_that_asks_for_nothing(payload: Payload, reason: str) -> None:
    assert answer("issues", payload) == Ignored(reason=reason)


@pytest.mark.parametrize(
    ("payload", "reason"),
    [
        (commented("Nice!"), "not a command"),
        (commented("> /bendcoder"), "not a command"),
        (commented("", comment={"body": None}), "not a command"),
        (commented("/bendcoder", action="edited"), "issue_comment.edited: only a new comment is a command"),
        (commented("/bendcoder", action="deleted"), "issue_comment.deleted: only a new comment is a command"),
        (commented("/bendcoder", sender=user("ours[bot]", 11, "Bot")), "the sender is a bot"),
        (
            commented("/bendcoder", comment={"performed_via_github_app": {"id": 5}}),
            "the comment was written through an app",
        ),
        (
            commented("/bendcoder", issue=issue(pull_request={"url": "https://x"})),
            "commands are taken on issues, not on pull requests",
        ),
        (commented("/bendcoder", issue=issue(state="closed")), "the issue is closed"),
        (commented("/bendcoder", issue=issue(locked=True)), "the issue is locked"),
        (commented("/bendcoder", installation=None), "the delivery names no installation of the app"),
        (labeled(action="created"), "payload not understood: comment"),
        (commented("/bendcoder", repository=None), "payload not understood: repository"),
    ],
)
def test_a_comment_that_asks_for_nothing(payload: Payload, reason: str) -> None:
    assert answer("issue_comment", payload) == Ignored(reason=reason)


def test_a_bot_may_be_let_through_by_its_id() -> None:
    trusted = Watch(label="bendcoder", host="github.com", bot_ids=frozenset({11}))
    by_bot = {"sender": user("triage[bot]", 11, "Bot")}
    assert isinstance(answer("issues", labeled(**by_bot), trusted), Delegation)
    through_app = commented("/bendcoder", comment={"performed_via_github_app": {"id": 5}}, **by_bot)
    assert isinstance(answer("issue_comment", through_app, trusted), Delegation)


@pytest.mark.parametrize("event", ["ping", "push", "pull_request", "installation", "check_run"])
def test_other_events_are_acknowledged_and_left(event: str) -> None:
    assert answer(event, {"zen": "Keep it simple."}) == Ignored(reason=f"event {event} is not one we act on")


def test_a_label_and_a_comment_on_one_issue_are_one_wish_and_two_ids() -> None:
    by_label, by_comment = answer("issues", labeled()), answer("issue_comment", commented("/bendcoder"))
    assert isinstance(by_label, Delegation)
    assert isinstance(by_comment, Delegation)
    assert by_label.wish == by_comment.wish == "42:3"
    assert by_label.job_id != by_comment.job_id


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)


@given(event=st.sampled_from(["issues", "issue_comment"]), key=st.sampled_from(sorted(commented(""))), value=_json)
def test_a_payload_with_any_one_part_replaced_is_still_answered(event: str, key: str, value: object) -> None:
    got = answer(event, {**labeled(), **commented("/bendcoder"), "action": "created", key: value})
    assert isinstance(got, Delegation | Ignored)
