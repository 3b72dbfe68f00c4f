"""The story of a job in one page: authorise, acknowledge, prepare, run, judge, publish, report. The page to read first.

It decides nothing itself (`policy`, `options`) and does nothing itself (`steps` and the ports). Whatever happens, a job
that spoke to people ends with a last word to them, and its record with a state.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from agent.domain.result import RunResult
from agent.domain.task import Options
from agent.errors import AgentError
from worker import options, policy, repo_config
from worker.contract.job import Command, JobRecord, JobState, RepoRef
from worker.domain import Errand, Issue, Repository
from worker.errors import ConfigError, ForgeError, LeaseLost, PushRefused, TakenOver, WorkerError
from worker.policy import Authorised, Decision, Rules
from worker.ports import Agents, Environments, Forge, Forges, JobStore, Repositories
from worker.report import pull_request, status
from worker.report.pull_request import Origin
from worker.steps import endings
from worker.steps.checks import start_checks
from worker.steps.desk import RUNS, Desk
from worker.steps.endings import Ending
from worker.steps.goal import goal
from worker.steps.patience import patiently
from worker.steps.plan import Plan, fit, limits
from worker.steps.publish import Outlet, git_step, publish
from worker.steps.talk import Talk

logger = logging.getLogger("bendcoder.worker")

MOST_ATTEMPTS = 2
"""Runners a job may lose before it is taken for the cause."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependencies:
    """Everything a job is done with."""

    rules: Rules
    forges: Forges
    repositories: Repositories
    environments: Environments
    agents: Agents
    clock: Callable[[], float]
    sleep: Callable[[float], None]
    now: Callable[[], datetime]
    """Wall clock, with its time zone."""


def deliver(record: JobRecord, store: JobStore, tools: Dependencies) -> None:
    """Run one claimed job to its end. LeaseLost: another runner has it, and nothing more may be touched."""
    if not policy.allowed(record.repo.full_name, tools.rules.allow):
        # Before any call: a repository outside the list learns nothing of us, not even that we looked.
        store.update(state=JobState.FAILED, outcome="refused", reason="the repository is not on BENDCODER_ALLOW")
        return
    with tools.forges.open(record.installation_id, record.repo) as forge:
        Job(record, store, forge, tools).run()


class Job:
    """One job in the hands of one runner."""

    def __init__(self, record: JobRecord, store: JobStore, forge: Forge, tools: Dependencies) -> None:
        self.record = record
        self.store = store
        self.forge = forge
        self.tools = tools
        self.talk = Talk(forge, store, record, clock=tools.clock, sleep=tools.sleep)
        self.desk = Desk(forge, store, record, tools.rules, tools.now)
        self.doing = ""
        self.base_sha = ""

    def run(self) -> None:
        """To the end, with a last word; an error nobody foresaw is said, recorded and raised."""
        try:
            self._close(self._story())
        except LeaseLost:
            raise
        except (WorkerError, AgentError) as error:
            logger.warning("job %s: %s: %s", self.record.job_id, type(error).__name__, error.args[:1])
            self._close(endings.of_error(error))
        except Exception as error:
            self._close(endings.of_bug(error))
            raise

    def _story(self) -> Ending:
        if self.record.attempts > MOST_ATTEMPTS:
            return endings.worn_out(self.record.attempts - 1)
        issue = patiently(lambda: self.forge.issue(self.record.issue), self.tools.sleep)
        decisions = patiently(lambda: self.desk.decide(self.record.triggers, issue), self.tools.sleep)
        self.desk.answer(decisions, running=False)
        asked = policy.newest([one for one in decisions if one.trigger.command in RUNS])
        if asked is None:
            self._start_checks(decisions)
            return endings.nobody(decisions)
        if not policy.text_unchanged(asked.trigger, self.record, issue):
            return endings.plain(JobState.FAILED, "text_changed", TEXT_CHANGED, "set the label again.")
        if self.store.cancelled():
            return endings.plain(JobState.CANCELLED, "cancelled", "The run was stopped before it began.", RETRY)
        plan = patiently(lambda: self._prepare(asked, issue), self.tools.sleep)
        with self.tools.repositories.tree(plan.ref, plan.base_sha) as tree:
            self._progress("preparing the repository's environment")
            commands = self.tools.agents.commands(tree.workspace, plan.config)
            environment = self.tools.environments.prepare(
                tree.checkouts, plan.config.setup, commands.verify, plan.config.setup_seconds
            )
            errand = self._errand(plan, limits(plan, commands))
            result = self.tools.agents.run(errand, tree, environment, cancelled=self._cancelled, say=self._progress)
            return self._deliver(plan, errand, result)

    def _start_checks(self, decisions: Sequence[Decision]) -> None:
        """`/bendcoder ci` where no run is asked for: done here and answered."""
        for one in decisions:
            trigger = one.trigger
            if isinstance(one, Authorised) and trigger.command is Command.CI and trigger.comment_id:
                ref, url = self._place(self.forge.repository())
                said = start_checks(self._outlet(url), ref, self.record.issue, one.by, trigger.actor_id)
                self.desk.reply(trigger.comment_id, said)

    def _place(self, repository: Repository) -> tuple[RepoRef, str]:
        """The repository as it is named now, and where git finds it."""
        fit(repository, self.record, self.tools.rules)
        ref = self.record.repo.model_copy(update={"owner": repository.owner, "name": repository.name})
        return ref, f"{self.tools.rules.git_base}/{repository.full_name}.git"

    def _outlet(self, url: str) -> Outlet:
        return Outlet(
            forge=self.forge, store=self.store, repositories=self.tools.repositories, record=self.record, url=url,
            sleep=self.tools.sleep,
        )  # fmt: skip

    def _prepare(self, asked: Authorised, issue: Issue) -> Plan:
        """Settle options, base and branch, acknowledging as soon as it is clear that something will run."""
        self.talk.by = asked.by
        repository = self.forge.repository()
        ref, url = self._place(repository)
        config = repo_config.parse(self.forge.file(repo_config.PATH, repository.default_branch, repo_config.SIZE))
        merged = options.merge(self.tools.rules.ceiling, config, asked.trigger.options, repository.default_branch)
        self.store.check_owner()
        self.forge.react(issue.number, asked.trigger.comment_id, "eyes")
        self.talk.say(status.acknowledged(merged.steps, merged.seconds, self.talk.hidden))
        self._progress("fetching the repository")
        heads = git_step(self.forge, lambda token: self.tools.repositories.fetch(ref, url, token), write=False)
        if merged.base not in heads:
            raise ConfigError(f"The repository has no branch `{merged.base}`. Nothing ran.")
        branch = self.record.branch or policy.next_branch(issue.number, tuple(heads))
        if heads.get(branch, self.record.head_sha) != self.record.head_sha:
            raise TakenOver(f"Somebody committed to `{branch}` since this job pushed to it, so it is left alone.")
        self.base_sha = heads[merged.base]
        self.store.update(branch=branch, base_sha=self.base_sha)
        return Plan(
            asked=asked, issue=issue, repository=repository, config=config, merged=merged, ref=ref, url=url,
            branch=branch, base_sha=self.base_sha, present=heads.get(branch),
        )  # fmt: skip

    def _errand(self, plan: Plan, limits: Options) -> Errand:
        run_id = f"{self.record.job_id}-{self.record.attempts}"
        told = goal(self.forge, plan.issue, plan.asked.trigger, run_id)
        self.talk.hide(told.hidden)
        return Errand(
            job_id=self.record.job_id, attempt=self.record.attempts, task=told.task, options=limits,
            model=plan.merged.model,
        )  # fmt: skip

    def _deliver(self, plan: Plan, errand: Errand, result: RunResult) -> Ending:
        """Judge by the table, publish what it says, and put it into words."""
        self.store.update(trace=result.trace)
        disposal = policy.dispose(result, plan.config.drafts)
        judgement = result.judgement
        if disposal.pull is policy.Pull.NONE or judgement is None:
            return endings.of_result(result, disposal, "", self.talk.hidden)
        self._progress("opening the draft pull request")
        origin = Origin(
            job_id=self.record.job_id, issue=plan.issue.number, issue_title=plan.issue.title,
            repo=plan.repository.full_name, base=plan.merged.base, base_sha=plan.base_sha, branch=plan.branch,
            verify=errand.options.commands.verify,
            ci_held=policy.hold_ci(plan.config.ci, self.forge.role(plan.issue.author.login)),
        )  # fmt: skip
        try:
            made, sha = publish(
                self._outlet(plan.url), origin, result, judgement, disposal.pull,
                by=plan.asked.by, by_id=plan.asked.trigger.actor_id, present=plan.present,
            )  # fmt: skip
        except PushRefused as error:
            return endings.of_push(error, result, disposal)
        self._check(sha, disposal.conclusion, result)
        return endings.of_result(result, disposal, made.url, self.talk.hidden)

    def _check(self, sha: str, conclusion: str, result: RunResult | None, step: str = "") -> None:
        """One check run; an App without that permission still delivers."""
        if result is None:
            return
        self.store.check_owner()
        title, summary = pull_request.check_title(result), pull_request.check_summary(result, step)
        make = partial(
            self.forge.check_run,
            head_sha=sha, conclusion=conclusion, title=title, summary=summary, job_id=self.record.job_id,
        )  # fmt: skip
        try:
            patiently(make, self.tools.sleep)
        except ForgeError as error:
            logger.warning("job %s: no check run: %s", self.record.job_id, error)

    def _close(self, ending: Ending) -> None:
        """The last word: status comment, check where no pull request carries one, record."""
        if ending.status is not None:
            self.talk.last_word(ending.status)
        if self.base_sha and ending.result is not None and ending.conclusion in ON_BASE and not ending.pushed:
            self._check(self.base_sha, ending.conclusion, ending.result, ending.status.next if ending.status else "")
        self.store.update(
            state=ending.state, outcome=ending.outcome, verdict=ending.verdict, reason=ending.reason, step="",
        )  # fmt: skip

    def _progress(self, doing: str) -> None:
        self.doing = doing
        self.talk.progress(doing)

    def _cancelled(self) -> bool:
        """Asked by the agent before each step: triggers that joined are taken now, a `stop` among them."""
        try:
            self.desk.take_new(self.doing)
        except ForgeError as error:
            logger.warning("job %s: new triggers could not be read: %s", self.record.job_id, error)
        return self.store.cancelled()


ON_BASE = ("neutral", "action_required")
"""Conclusions shown on the base commit where no pull request carries them."""

RETRY = "comment `/bendcoder retry` to start anew."

TEXT_CHANGED = "The issue's title or body was changed after it was handed over."
