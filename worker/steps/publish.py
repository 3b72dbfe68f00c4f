"""From kept edits to a draft pull request: commit, push, draft; every one of them found again, not doubled.

Each outside effect is preceded by a look whether the job is still ours. A pull request somebody has taken
over (a changed body, closed) is left alone.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from agent.domain.result import Judgement, RunResult
from worker.contract.job import JobRecord
from worker.domain import PullRequest
from worker.errors import GitAuthError
from worker.policy import Pull
from worker.ports import Forge, JobStore, Repositories
from worker.report import markers, pull_request
from worker.report.pull_request import Origin
from worker.steps.patience import Sleep, patiently

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlet:
    """Where things are published."""

    forge: Forge
    store: JobStore
    repositories: Repositories
    record: JobRecord
    url: str
    sleep: Sleep


def publish(
    outlet: Outlet, origin: Origin, result: RunResult, judgement: Judgement, pull: Pull, *,
    by: str, by_id: int, present: str | None,
) -> tuple[PullRequest, str]:  # fmt: skip
    """The pull request and the commit it shows; `present` is the branch's commit on the remote, or None.

    GitError, PushRefused and ForgeError pass through: nothing after the failing step happened.
    """
    sha = outlet.repositories.commit(
        outlet.record.repo,
        base_sha=origin.base_sha,
        changes=result.changes,
        message=pull_request.commit_message(origin, result.changes, by, by_id),
        identity=outlet.forge.identity(),
        tree=judgement.tree,
    )
    outlet.store.update(head_sha=sha)
    # One commit, then patience: made again it would be another commit, and its push would be refused.
    patiently(lambda: _push(outlet, sha, origin.branch, present), outlet.sleep)
    made = patiently(lambda: _draft(outlet, origin, result, judgement, pull), outlet.sleep)
    outlet.store.update(pr=made.number, pr_url=made.url)
    return made, sha


def _push(outlet: Outlet, sha: str, branch: str, present: str | None) -> None:
    def push(token: str) -> None:
        outlet.store.check_owner()
        outlet.repositories.push(
            outlet.record.repo, sha=sha, branch=branch, url=outlet.url, token=token, expect=present
        )

    git_step(outlet.forge, push, write=True)


def _draft(outlet: Outlet, origin: Origin, result: RunResult, judgement: Judgement, pull: Pull) -> PullRequest:
    forge, marker = outlet.forge, markers.job(origin.job_id)
    found = [one for one in forge.pulls(origin.branch) if markers.carries(one.body, marker)]
    body = pull_request.body(origin, result, judgement, pull)
    outlet.store.check_owner()
    if not found:
        title = pull_request.title(origin, pull)
        made = forge.open_draft(title=title, body=body, head=origin.branch, base=origin.base)
        if made.draft or not markers.carries(made.body, marker):
            return made
        plain = replace(origin, draft=False)
        return forge.edit_pull(
            made.number,
            title=pull_request.title(plain, pull),
            body=pull_request.body(plain, result, judgement, pull),
        )
    first = min(found, key=lambda one: one.number)
    for double in found:
        if double.number != first.number and double.state == "open":
            forge.close_pull(double.number)
    if first.state != "open" or markers.touched_outside(first.body, body):
        return first
    return forge.edit_pull(first.number, title=pull_request.title(origin, pull), body=body)


def git_step(forge: Forge, use: Callable[[str], T], *, write: bool) -> T:
    """One git step with a token of its own, revoked after it; a refused token is minted anew once."""
    try:
        return _with_token(forge, use, write)
    except GitAuthError:
        return _with_token(forge, use, write)


def _with_token(forge: Forge, use: Callable[[str], T], write: bool) -> T:
    token = forge.git_token(write)
    try:
        return use(token)
    finally:
        forge.revoke(token)
