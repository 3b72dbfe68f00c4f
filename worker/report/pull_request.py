"""Title, body and commit message of the draft, and the summary of its check; pure, states only what ran."""

import shlex
from dataclasses import dataclass

from agent.domain.edit import Change
from agent.domain.result import Judgement, RunResult
from worker.policy import Pull
from worker.report import evidence, markers, words
from worker.report.render import render
from worker.report.status import refusal_rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where a change comes from and where it goes."""

    job_id: str
    issue: int
    issue_title: str
    repo: str
    base: str
    base_sha: str
    branch: str
    verify: tuple[str, ...]
    ci_held: bool = False
    draft: bool = True


def title(origin: Origin, pull: Pull) -> str:
    """One line that says what it is for; the issue's own words, neutralised."""
    mark = {Pull.FAILING: "[failing] ", Pull.UNVERIFIED: "[unverified] "}.get(pull, "")
    kind = "" if origin.draft else "[draft] "
    return f"{kind}{mark}{words.heading(origin.issue_title, 120) or 'Change'} (issue {origin.issue})"


def body(origin: Origin, result: RunResult, judgement: Judgement, pull: Pull) -> str:
    """The whole body: our marked block, ready to be renewed later without touching anything around it."""
    all_rows = evidence.rows(result, judgement)
    return render(
        "pull_request.md",
        marker=markers.job(origin.job_id),
        begin=markers.BEGIN,
        end=markers.END,
        pull=pull.value,
        judgement=judgement,
        result=result,
        warnings=judgement.notes,
        issue=origin.issue,
        issue_title=origin.issue_title,
        before=evidence.before(result),
        now=evidence.now(judgement),
        unchecked=evidence.unchecked(judgement),
        suite=evidence.suite(judgement.final),
        base=origin.base,
        base_sha=origin.base_sha,
        rows=all_rows[: evidence.MOST_ROWS],
        more_rows=max(0, len(all_rows) - evidence.MOST_ROWS),
        lists=evidence.lists(judgement),
        files=[(change.path, judgement.coverage.get(change.path, "unknown")) for change in result.changes],
        reproduce=_reproduce(origin),
        money="" if result.usage.money is None else f", {result.usage.money:.2f} of money as the operator priced it",
        refusals=refusal_rows(result.refusals),
        ci_held=origin.ci_held,
        draft=origin.draft,
    )


def _reproduce(origin: Origin) -> str:
    """Commands a reviewer can paste; names are quoted for a shell because this text is for one."""
    command = shlex.join(origin.verify)
    return "\n".join(
        (
            f"git fetch origin {shlex.quote(origin.branch)}",
            f"git checkout {shlex.quote(origin.base_sha)} && {command}   # as it was",
            f"git checkout FETCH_HEAD && {command}   # with this change",
        )
    )


def commit_message(origin: Origin, changes: tuple[Change, ...], by: str, by_id: int) -> str:
    """Subject, what it touches, and who asked; no word in it closes or pings anything."""
    subject = words.heading(origin.issue_title, 60) or "Change"
    paths = "\n".join(f"- {words.heading(change.path, 200)}" for change in changes[:20])
    more = f"\n- and {len(changes) - 20} more" if len(changes) > 20 else ""
    skip = "\n\n[skip ci]" if origin.ci_held else ""
    trailer = f"\n\nBendcoder-Job: {origin.job_id}\nBendcoder-Asked-By: {words.heading(by, 60)} ({by_id})"
    return (
        f"{subject}\n\nFor issue {origin.issue} of {words.heading(origin.repo, 140)}.\n\n{paths}{more}{skip}{trailer}\n"
    )


def check_title(result: RunResult) -> str:
    """At most 255 characters, as GitHub allows."""
    word = result.judgement.verdict.value if result.judgement else result.outcome.value.replace("_", " ")
    return words.heading(word, 200)


def check_summary(result: RunResult, step: str = "") -> str:
    """What the check's page says."""
    judgement = result.judgement
    fixed = (("Fixed", *_shown(judgement.fixed)),) if judgement and judgement.fixed else ()
    return render(
        "check.md",
        reason=judgement.reason if judgement else result.outcome_reason,
        counts=evidence.counts(judgement) if judgement else (),
        lists=(*fixed, *(evidence.lists(judgement) if judgement else ())),
        next=step,
    )


def _shown(tests: tuple[str, ...]) -> tuple[tuple[str, ...], int]:
    return tests[:200], max(0, len(tests) - 200)
