"""What is settled before the agent runs: who asked, which repository, base, branch and limits; pure."""

from dataclasses import dataclass

from agent.domain.task import Budget, Commands, Options, Timeouts
from worker import policy
from worker.contract.job import JobRecord, RepoRef
from worker.domain import Issue, Repository
from worker.errors import ConfigError, ForgeGone
from worker.options import Merged
from worker.policy import Authorised, Rules
from worker.repo_config import RepoConfig


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What was settled before the run."""

    asked: Authorised
    issue: Issue
    repository: Repository
    config: RepoConfig
    merged: Merged
    ref: RepoRef
    url: str
    branch: str
    base_sha: str
    present: str | None
    """The branch's commit on the remote: an earlier runner's push."""


def limits(plan: Plan, commands: Commands) -> Options:
    """What the agent may use."""
    merged = plan.merged
    return Options(
        commands=commands,
        budget=Budget(steps=merged.steps, seconds=merged.seconds, money=merged.money),
        timeouts=Timeouts(check=merged.check_seconds, suite=merged.suite_seconds),
        protected=merged.protected,
    )


def fit(repository: Repository, record: JobRecord, rules: Rules) -> None:
    """The repository GitHub shows must be the one of the record, still allowed, and able to take a branch."""
    if repository.id != record.repo.id or not policy.allowed(repository.full_name, rules.allow):
        raise ForgeGone("The repository was moved or replaced since it was handed over. Nothing ran.")
    if repository.archived:
        raise ConfigError("The repository is archived and takes no branch. Nothing ran.")
