"""How a job ends: state, words for the record, words for the person; an error becomes an ending here, once."""

from collections.abc import Sequence
from dataclasses import dataclass

from agent.domain.result import RunResult
from agent.errors import AgentError, ModelError, SandboxError
from worker.contract.job import JobState
from worker.errors import (
    ConfigError,
    EnvironmentSetupError,
    ForgeDenied,
    ForgeError,
    ForgeUnavailable,
    GitError,
    PushRefused,
    TakenOver,
    WorkerError,
)
from worker.policy import Decision, Disposal, Pull, Refused
from worker.report import status
from worker.report.status import Status

AGAIN = "comment `/bendcoder retry` to try again; if it stays so, tell the operator the job's number."


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """The last word on a job."""

    state: JobState
    outcome: str
    reason: str
    status: Status | None = None
    """None: nothing is said in a status comment."""
    verdict: str = ""
    trace: str = ""
    conclusion: str = "action_required"
    result: RunResult | None = None
    pushed: bool = False
    """A pull request carries the check."""


def of_result(result: RunResult, disposal: Disposal, url: str, hidden: tuple[str, ...]) -> Ending:
    """The ending of a run that the agent finished."""
    said = status.finished(result, disposal.pull, url, with_patch=disposal.patch_in_comment, hidden=hidden)
    judgement = result.judgement
    return Ending(
        state=disposal.state,
        outcome=result.outcome.value,
        verdict=judgement.verdict.value if judgement else "",
        reason=judgement.reason if judgement else result.outcome_reason,
        status=said,
        trace=result.trace,
        conclusion=disposal.conclusion,
        result=result,
        pushed=bool(url),
    )


def of_push(error: PushRefused, result: RunResult, disposal: Disposal) -> Ending:
    """A run with kept edits whose branch the repository's rules refuse: the change goes into the comment."""
    base = of_result(result, Disposal(state=disposal.state, pull=Pull.NONE, conclusion="neutral"), "", ())
    said = Status(
        headline="A change was kept, but this repository's rules refuse the push.",
        lines=(_sentence(error),),
        detail=_detail(error),
        detail_title="What the remote said",
        patch=result.diff,
        next="allow the App to push branches below `bendcoder/`, then comment `/bendcoder retry`; or apply the patch.",
        run_id=result.run_id,
    )
    return Ending(
        state=JobState.FAILED,
        outcome="push_refused",
        verdict=base.verdict,
        reason=_sentence(error),
        status=said,
        trace=result.trace,
    )


def of_error(error: WorkerError | AgentError) -> Ending:
    """The ending of a job that could not be done."""
    outcome, step = _meaning(error)
    said = status.failed(_sentence(error), step, _detail(error), "Output")
    return Ending(state=JobState.FAILED, outcome=outcome, reason=_sentence(error), status=said)


def of_bug(error: Exception) -> Ending:
    """Something nobody foresaw: said without details, which are in the operator's log."""
    if type(error).__name__ == "SoftTimeLimitExceeded":  # Celery's; this room does not know Celery
        reason = "The job took longer than the operator allows."
        step = "comment `/bendcoder steps=N` with fewer steps, or ask the operator for more time."
        return Ending(state=JobState.FAILED, outcome="timed_out", reason=reason, status=status.failed(reason, step))
    reason = f"An internal error ({type(error).__name__}) ended the job."
    said = status.failed(f"{reason} Details are in the operator's log.", AGAIN)
    return Ending(state=JobState.FAILED, outcome="internal_error", reason=reason, status=said)


def plain(state: JobState, outcome: str, reason: str, step: str, *, headline: str = "") -> Ending:
    """An ending before anything ran."""
    said = Status(headline=headline or "bendcoder did not start.", lines=(reason, "Nothing ran."), next=step)
    return Ending(state=state, outcome=outcome, reason=reason, status=said)


def silent(state: JobState, outcome: str, reason: str) -> Ending:
    """An ending whose answer was given already, or that must not be answered."""
    return Ending(state=state, outcome=outcome, reason=reason)


def nobody(decisions: Sequence[Decision]) -> Ending:
    """No trigger stands for a run: commands were answered, refusals were said."""
    refused = next((one for one in decisions if isinstance(one, Refused)), None)
    if refused is None:
        return silent(JobState.DONE, "answered", "a command was answered; nothing was to run")
    return silent(JobState.FAILED, "refused", refused.reason)


def worn_out(times: int) -> Ending:
    """A job that seems to end whatever process runs it."""
    reason = f"This job's runner was lost {times} times in a row, so it is not tried again."
    return plain(
        JobState.FAILED,
        "worn_out",
        reason,
        "tell the operator the job's number: the worker's log and memory limit are the places to look.",
        headline="bendcoder could not do this job.",
    )


def _meaning(error: WorkerError | AgentError) -> tuple[str, str]:
    """A word for the record and the next step for the person, by whose turn it is."""
    table: tuple[tuple[type[Exception], str, str], ...] = (
        (ConfigError, "bad_configuration", "correct it, then set the label again or comment `/bendcoder`."),
        (
            EnvironmentSetupError,
            "setup_failed",
            "correct `setup` in `.github/bendcoder.yml`, then comment `/bendcoder retry`.",
        ),
        (TakenOver, "taken_over", "go on with the branch; comment `/bendcoder` when you want a new run beside it."),
        (ForgeUnavailable, "forge_unavailable", "comment `/bendcoder retry` when GitHub is well again."),
        (ForgeDenied, "forge_denied", "the installation's owner can correct the App's permissions; then ask again."),
        (ForgeError, "forge_error", AGAIN),
        (GitError, "git_error", AGAIN),
        (
            SandboxError,
            "sandbox_error",
            "the operator has to look at the sandbox (`bendcoder doctor`); then ask again.",
        ),
        (ModelError, "model_error", "the operator has to look at the model's settings; then ask again."),
    )
    return next(((word, step) for kind, word, step in table if isinstance(error, kind)), ("agent_error", AGAIN))


def _sentence(error: Exception) -> str:
    text = str(error.args[0]) if error.args else type(error).__name__
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _detail(error: Exception) -> str:
    """Output that came with an error; what GitHub said is in its sentence already."""
    if isinstance(error, ForgeError) or len(error.args) < 2:
        return ""
    return str(error.args[1])
