"""The texts of the one status comment, from the first word to the last, and the answers to commands; pure."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from agent.domain.action import Refusal
from agent.domain.result import Outcome, RunResult
from worker.policy import Pull
from worker.report import markers
from worker.report.render import render

MOST_ROWS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusalRow:
    """How often one guard said no, with one of its reasons."""

    guard: str
    times: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """Everything the status comment may say; the template neutralises the foreign parts."""

    headline: str
    lines: tuple[str, ...] = ()
    link: str = ""
    answer: str = ""
    detail_title: str = "Output"
    detail: str = ""
    patch: str = ""
    refusals: tuple[RefusalRow, ...] = ()
    hidden: str = ""
    next: str = ""
    run_id: str = ""


def comment(job_id: str, status: Status, by: str = "") -> str:
    """The status comment as it is posted."""
    values = {name: getattr(status, name) for name in status.__slots__}
    return render("status.md", marker=markers.job(job_id), job_id=job_id, by=by, **values)


def acknowledged(steps: int, seconds: float, hidden: Sequence[str]) -> Status:
    """First words: somebody is at it."""
    return Status(
        headline="bendcoder is at work on this issue.",
        lines=(f"At most {steps} steps and {seconds / 60:.0f} minutes. This comment is edited as the run goes on.",),
        hidden="\n".join(hidden),
        next="comment `/bendcoder stop` to end it early.",
    )


def progress(doing: str, hidden: Sequence[str]) -> Status:
    """What the job is doing now."""
    return Status(
        headline="bendcoder is at work on this issue.",
        lines=(f"Now: {doing}.",),
        hidden="\n".join(hidden),
        next="comment `/bendcoder stop` to end it early.",
    )


def finished(result: RunResult, pull: Pull, url: str, *, with_patch: bool, hidden: Sequence[str]) -> Status:
    """How a run ended that delivered something, or came to a plain end without."""
    reason = result.judgement.reason if result.judgement else result.outcome_reason
    if pull is not Pull.NONE:
        headline, step = _PULLS[pull]
        status = Status(headline=headline, lines=(reason, *_ended(result)), link=url, next=step)
    elif with_patch:
        status = Status(
            headline="A change was kept, but not verified, so no pull request was opened.",
            lines=(reason, *_ended(result)),
            patch=result.diff,
            next="this repository opens pull requests for verified changes alone (`drafts: verified`). Apply the patch "
            "by hand if you want it, or add a failing test to the issue and ask again.",
        )
    else:
        status = _without_change(result)
    refusals = refusal_rows(result.refusals)
    return replace(status, refusals=refusals, hidden="\n".join(hidden), run_id=result.run_id)


def _without_change(result: RunResult) -> Status:
    unusable = result.outcome is Outcome.SUITE_UNUSABLE
    headline, step = _ENDS[result.outcome]
    return Status(
        headline=headline,
        lines=(result.outcome_reason, "No branch and no pull request were made."),
        answer=result.answer,
        detail=result.baseline.output if result.baseline and unusable else "",
        detail_title="What the suite printed on the base",
        next=step,
    )


def _ended(result: RunResult) -> tuple[str, ...]:
    """Why a run stopped early, where it did; what was kept until then is what was delivered."""
    if result.outcome is Outcome.COMPLETED:
        return ()
    return (f"The run ended early ({result.outcome.value.replace('_', ' ')}): {result.outcome_reason}",)


def failed(sentence: str, step: str, detail: str = "", detail_title: str = "Output") -> Status:
    """The job could not be done; what was left untouched is said by the sentence."""
    return Status(
        headline="bendcoder could not do this job.",
        lines=(sentence, "No branch and no pull request were made."),
        detail=detail,
        detail_title=detail_title,
        next=step,
    )


def refusal(actor_id: int, reason: str, label: str) -> str:
    """Answer to somebody who may not start a run, posted once per person and issue."""
    return render("refusal.md", marker=markers.refusal(actor_id), reason=reason, label=label)


def usage(comment_id: int, label: str, problem: str = "") -> str:
    """Answer to `help`, and to a command that was not understood."""
    return render("help.md", marker=markers.reply(comment_id), label=label, problem=problem)


def reply(comment_id: int, sentence: str) -> str:
    """One sentence in answer to one command."""
    return render("reply.md", marker=markers.reply(comment_id), sentence=sentence)


def refusal_rows(refusals: Sequence[Refusal]) -> tuple[RefusalRow, ...]:
    """Refusals counted by guard, the busiest first."""
    counts = Counter(one.guard for one in refusals)
    sample = {one.guard: one.reason for one in reversed(refusals)}
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:MOST_ROWS]
    return tuple(RefusalRow(guard=guard, times=times, reason=sample[guard]) for guard, times in ranked)


_PULLS = {
    Pull.VERIFIED: (
        "A draft pull request is open, and its change is verified.",
        "review the draft and mark it ready, or close it.",
    ),
    Pull.UNVERIFIED: (
        "A draft pull request is open; its change is not verified.",
        "read what was not checked before you trust it.",
    ),
    Pull.FAILING: (
        "A draft pull request is open, but the suite contradicts its change.",
        "use it as a hint, not as a fix.",
    ),
}

_ENDS = {
    Outcome.COMPLETED: (
        "The run ended without a change.",
        "describe the wrong behaviour with an example, and ask again.",
    ),
    Outcome.ANSWERED: (
        "The run ended with an answer, not a change.",
        "label the issue again after making it more exact.",
    ),
    Outcome.STALLED: (
        "The run found no change that the suite allows.",
        "add a failing test or name the function, then set the label again; `/bendcoder steps=N` allows more steps.",
    ),
    Outcome.OUT_OF_BUDGET: (
        "The run used up its budget and kept no change.",
        "`/bendcoder steps=N` allows more steps; a smaller issue needs fewer.",
    ),
    Outcome.CANCELLED: ("The run was stopped; no change had been kept.", "comment `/bendcoder retry` to start anew."),
    Outcome.SUITE_UNUSABLE: (
        "The repository's suite cannot be used, so nothing was tried.",
        "set `verify` in `.github/bendcoder.yml` to the command that runs the tests (and `setup` to what they need), "
        "then set the label again.",
    ),
}
