"""Who may delegate, and what a result becomes."""

from datetime import UTC, datetime, timedelta

import pytest

from agent.domain.edit import Change
from agent.domain.result import Judgement, Outcome, RunResult, Usage, Verdict
from worker import policy
from worker.contract.job import Command, JobRecord, JobState, Kind, RepoRef, Trigger, text_digest
from worker.domain import Actor, Comment, Issue, LabelEvent, Role
from worker.policy import Authorised, Facts, Pull, Refused
from worker.repo_config import Drafts

AT = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
STAMP = "2026-11-30T12:00:00Z"
ANN = Actor(login="ann", id=7)


def issue(**changes: object) -> Issue:
    values = {"number": 3, "title": "T", "body": "B", "state": "open", "author": ANN, "labels": ("Bendcoder",)}
    return Issue(**(values | changes))


def label_trigger(**changes: object) -> Trigger:
    values = {"delivery": "d", "kind": Kind.LABEL, "label": "bendcoder", "actor": "ann", "actor_id": 7, "at": AT}
    return Trigger(**(values | changes))


def comment_trigger(**changes: object) -> Trigger:
    values = {"delivery": "d", "kind": Kind.COMMENT, "comment_id": 9, "actor": "ann", "actor_id": 7, "at": AT}
    return Trigger(**(values | changes))


def comment(body: str = "/bendcoder", **changes: object) -> Comment:
    values = {"id": 9, "body": body, "author": ANN, "created_at": STAMP, "updated_at": STAMP}
    return Comment(**(values | changes))


def facts(**changes: object) -> Facts:
    event = LabelEvent(label="BENDCODER", actor=ANN, created_at=STAMP)
    values = {"issue": issue(), "role": Role.WRITE, "label_events": (event,), "comment": comment(), "now": AT}
    return Facts(**(values | changes))


@pytest.mark.parametrize(
    ("name", "allow", "expected"),
    [
        ("acme/app", ("acme",), True),
        ("Acme/App", ("acme/APP",), True),
        ("acme/app", ("acme/other",), False),
        ("acme-evil/app", ("acme",), False),
        ("acme/app", (), False),
        ("acme/app", ("", " "), False),
        ("x/acme", ("acme",), False),
    ],
)
def test_only_listed_owners_and_repositories_may_use_the_installation(name, allow, expected):
    assert policy.allowed(name, allow) is expected


def test_a_label_that_github_bears_out_is_authorised():
    assert policy.authorise(label_trigger(), facts(), label="bendcoder") == Authorised(
        trigger=label_trigger(), by="ann"
    )


@pytest.mark.parametrize(
    ("trigger", "found", "words"),
    [
        (label_trigger(), facts(role=Role.TRIAGE), "`triage`"),
        (label_trigger(), facts(role=Role.NONE), "`none`"),
        (label_trigger(label="other"), facts(), "Only the label"),
        (label_trigger(), facts(issue=issue(labels=())), "not on the issue"),
        (label_trigger(), facts(label_events=()), "no such labelling"),
        (
            label_trigger(),
            facts(label_events=(LabelEvent(label="bendcoder", actor=Actor(login="ann", id=8), created_at=STAMP),)),
            "no such labelling",
        ),
        (label_trigger(actor="boss"), facts(), "no such labelling"),
        (comment_trigger(actor="boss"), facts(), "somebody else"),
        (label_trigger(at=AT + timedelta(minutes=5)), facts(), "no such labelling"),
        (label_trigger(), facts(issue=issue(state="closed")), "closed"),
        (comment_trigger(), facts(comment=None), "not there"),
        (comment_trigger(), facts(comment=comment(author=Actor(login="bob", id=8))), "somebody else"),
        (comment_trigger(), facts(comment=comment(updated_at="2026-11-30T12:00:05Z")), "edited"),
        (comment_trigger(), facts(comment=comment(app_id=5)), "through an App"),
        (comment_trigger(), facts(comment=comment("thanks")), "does not start"),
        (comment_trigger(), facts(comment=comment("```\n/bendcoder\n```\n")), "does not start"),
        (comment_trigger(), facts(comment=comment("/bendcoder stop")), "not the one"),
        (comment_trigger(), facts(comment=comment("/bendcoder steps=40")), "not the one"),
        (comment_trigger(options={"steps": "4"}), facts(comment=comment("/bendcoder steps=40")), "not the one"),
        (comment_trigger(), facts(role=Role.READ), "`read`"),
        (comment_trigger(at=AT - timedelta(hours=1)), facts(), "another time"),
        (label_trigger(), facts(now=AT + timedelta(days=9)), "more than 8 days ago"),
    ],
)
def test_what_github_does_not_bear_out_is_refused_and_said(trigger, found, words):
    decision = policy.authorise(trigger, found, label="bendcoder")
    assert isinstance(decision, Refused)
    assert decision.say
    assert words in decision.reason


@pytest.mark.parametrize(
    ("body", "trigger"),
    [
        ("/bendcoder", comment_trigger()),
        ("> quoted\n\n/BendCoder steps=07 base=dev\nmore", comment_trigger(options={"steps": "7", "base": "dev"})),
        ("/bendcoder Stop", comment_trigger(command=Command.STOP)),
        ("/bendcoder nonsense", comment_trigger(command=Command.INVALID, problem="what?")),
    ],
)
def test_a_command_that_reads_as_the_queue_says_is_authorised(body, trigger):
    assert isinstance(policy.authorise(trigger, facts(comment=comment(body)), label="bendcoder"), Authorised)


def test_bots_are_refused_in_silence_unless_named_by_id():
    bot = label_trigger(actor_type="Bot")
    assert policy.authorise(bot, facts(), label="bendcoder") == Refused(
        trigger=bot, reason="ann is not a person.", say=False
    )
    robot = Actor(login="ann", id=7, type="Bot")
    labelled = (LabelEvent(label="bendcoder", actor=robot, created_at=STAMP),)
    assert isinstance(
        policy.authorise(bot, facts(label_events=labelled, role=Role.NONE), label="bendcoder", bot_ids=frozenset({7})),
        Authorised,
    )


def test_a_locked_issue_is_refused_in_silence():
    decision = policy.authorise(label_trigger(), facts(issue=issue(locked=True)), label="bendcoder")
    assert isinstance(decision, Refused)
    assert not decision.say


def test_the_newest_authorised_trigger_wins_and_refused_ones_change_nothing():
    older = Authorised(trigger=label_trigger(), by="ann")
    newer = Authorised(trigger=comment_trigger(at=AT + timedelta(seconds=1)), by="ann")
    latest = Refused(trigger=label_trigger(at=AT + timedelta(seconds=9)), reason="no")
    assert policy.newest([latest, newer, older]) == newer
    assert policy.newest([latest]) is None


def record() -> JobRecord:
    repo = RepoRef(id=1, owner="o", name="r")
    return JobRecord(
        job_id="0" * 16, wish="1:3", host="h", installation_id=1, repo=repo, issue=3, title="T", body="B",
        triggers=(label_trigger(),), created=0, updated=0,
    )  # fmt: skip


@pytest.mark.parametrize(("title", "body", "same"), [("T", "B", True), ("T", "b", False), ("t", "B", False)])
def test_text_must_be_what_it_was_at_the_trigger(title, body, same):
    now = issue(title=title, body=body)
    assert policy.text_unchanged(label_trigger(), record(), now) is same
    assert policy.text_unchanged(label_trigger(text=text_digest("T", "B")), record(), now) is same


def result(outcome: Outcome, verdict: Verdict | None) -> RunResult:
    judgement = Judgement(verdict=verdict, reason="r", final=None, tree="t") if verdict else None
    changes = (Change(path="a", before=b"", after=b"x"),) if verdict else ()
    return RunResult(
        run_id="r", outcome=outcome, outcome_reason="why", judgement=judgement, changes=changes, diff="",
        baseline=None, usage=Usage(),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("outcome", "verdict", "drafts", "expected"),
    [
        (Outcome.COMPLETED, Verdict.VERIFIED, Drafts.ALWAYS, (JobState.DONE, Pull.VERIFIED, "success", False)),
        (Outcome.COMPLETED, Verdict.VERIFIED, Drafts.VERIFIED, (JobState.DONE, Pull.VERIFIED, "success", False)),
        (Outcome.STALLED, Verdict.UNVERIFIED, Drafts.ALWAYS, (JobState.DONE, Pull.UNVERIFIED, "neutral", False)),
        (Outcome.CANCELLED, Verdict.UNVERIFIED, Drafts.VERIFIED, (JobState.DONE, Pull.NONE, "neutral", True)),
        (Outcome.COMPLETED, Verdict.FAILING, Drafts.ALWAYS, (JobState.DONE, Pull.FAILING, "failure", False)),
        (Outcome.COMPLETED, Verdict.FAILING, Drafts.VERIFIED, (JobState.DONE, Pull.NONE, "failure", True)),
        (Outcome.STALLED, None, Drafts.ALWAYS, (JobState.DONE, Pull.NONE, "neutral", False)),
        (Outcome.ANSWERED, None, Drafts.ALWAYS, (JobState.DONE, Pull.NONE, "neutral", False)),
        (Outcome.CANCELLED, None, Drafts.ALWAYS, (JobState.CANCELLED, Pull.NONE, "neutral", False)),
        (Outcome.SUITE_UNUSABLE, None, Drafts.ALWAYS, (JobState.FAILED, Pull.NONE, "action_required", False)),
    ],
)
def test_the_table_of_outcomes(outcome, verdict, drafts, expected):
    disposal = policy.dispose(result(outcome, verdict), drafts)
    assert (disposal.state, disposal.pull, disposal.conclusion, disposal.patch_in_comment) == expected


def test_the_next_free_branch_is_taken():
    assert policy.next_branch(4, []) == "bendcoder/issue-4"
    assert policy.next_branch(4, ["main", "bendcoder/issue-4"]) == "bendcoder/issue-4-2"
    assert policy.next_branch(4, ["bendcoder/issue-4", "bendcoder/issue-4-2"]) == "bendcoder/issue-4-3"


@pytest.mark.parametrize(
    ("setting", "role", "held"),
    [(None, Role.READ, True), (None, Role.ADMIN, False), ("run", Role.NONE, False), ("hold", Role.ADMIN, True)],
)
def test_actions_are_held_for_strangers_unless_the_repository_says_otherwise(setting, role, held):
    assert policy.hold_ci(setting, role) is held
