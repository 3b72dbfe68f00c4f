"""Builds everything a worker process needs, once, from its settings: the one place that knows every room."""

import logging
import os
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import agent
from agent.adapters.index.sqlite import SqliteMemory
from agent.adapters.models import ModelOptions, opened
from agent.adapters.sandbox import sandbox_named
from agent.adapters.sandbox.screening import BoxScreener
from agent.adapters.sandbox.setting_up import WayOut
from agent.domain.action import Action
from agent.domain.environment import Environment
from agent.domain.result import RunResult
from agent.domain.task import Commands
from agent.errors import WorkspaceError
from agent.ports import Ports, Sandbox, TraceSink, Workspace
from agent.resuming import resumed
from worker.contract.job import JobRecord
from worker.domain import Errand
from worker.environment import EnvironmentStore, PreparedEnvironments, detect_verify
from worker.errors import ConfigError
from worker.forge.client import AppKey, GithubForges
from worker.git import GitRepositories
from worker.options import Ceiling
from worker.pipeline import Dependencies, deliver
from worker.policy import Rules
from worker.ports import Agents, JobStore, JobTree
from worker.repo_config import PATH, RepoConfig
from worker.report.redact import RedactingFilter, Redactor
from worker.settings import WorkerSettings

Runner = Callable[[JobRecord, JobStore], None]


def build(settings: WorkerSettings, redactor: Redactor | None = None) -> Dependencies:
    """Everything a job is done with; agent and worker errors when machine or settings cannot do it."""
    redactor = redactor or Redactor(settings.secrets)
    sandbox = sandbox_named(settings.sandbox)
    models = settings.options()
    with opened(models, _NoScreener):  # a setting that cannot work is refused here, and not in the first run
        pass
    key = AppKey(
        api_url=settings.github_api_url,
        web_url=settings.github_web_url,
        app_id=settings.app_id,
        private_key=settings.private_key,
    )
    return Dependencies(
        rules=_rules(settings),
        forges=GithubForges(key, redact=redactor, learn=redactor.add),
        repositories=GitRepositories(settings.data_dir, network=settings.network, schemes=_schemes(settings)),
        environments=_environments(settings, sandbox),
        agents=WiredAgents(models, sandbox, settings.data_dir / "traces", redactor),
        clock=time.monotonic,
        sleep=time.sleep,
        now=lambda: datetime.now(UTC),
    )


def runner(settings: WorkerSettings) -> Runner:
    """What the doorbell runs: dependencies are built at a process's first job, after it was forked."""
    built: dict[int, Dependencies] = {}

    def run_job(record: JobRecord, store: JobStore) -> None:
        process = os.getpid()
        if process not in built:
            built.clear()
            redactor = Redactor(settings.secrets)
            for handler in logging.getLogger().handlers:
                handler.addFilter(RedactingFilter(redactor))
            built[process] = build(settings, redactor)
        deliver(record, store, built[process])

    return run_job


class WiredAgents(Agents):
    """Puts models, sandbox and trace together for one run."""

    def __init__(self, models: ModelOptions, sandbox: Sandbox, traces: Path, redact: Callable[[str], str]) -> None:
        self._models = models
        self._sandbox = sandbox
        self._traces = traces
        self._redact = redact

    def commands(self, workspace: Workspace, config: RepoConfig) -> Commands:
        """The configured verify command, else the one the files suggest; ConfigError when there is neither."""
        verify = config.verify or detect_verify(
            frozenset(entry.path for entry in workspace.entries()), lambda path: _read(workspace, path)
        )
        if verify is None:
            raise ConfigError(
                f"No test command was found in this repository. Set `verify` in `{PATH}` to the command that runs the "
                "tests. Nothing ran."
            )
        return Commands(verify=verify, check=config.check)

    def run(
        self,
        errand: Errand,
        tree: JobTree,
        environment: Environment,
        *,
        cancelled: Callable[[], bool],
        say: Callable[[str], None],
    ) -> RunResult:
        """Run the agent; its trace lies below the data folder, named after the job.

        Where a runner of this job was killed, the run goes on from there: same machine, same base, same options.
        """
        models = self._models if errand.model is None else replace(self._models, generate_model=errand.model)
        path = self._traces / f"{errand.job_id}.jsonl"

        def screener() -> BoxScreener:
            return BoxScreener(self._sandbox, tree.checkouts, environment, errand.options)

        with (
            closing(resumed(path, errand.task.run_id, time.time, time.monotonic, self._redact)) as trace,
            opened(models, screener) as (classifier, generator),
        ):
            ports = Ports(
                classifier=classifier,
                generator=generator,
                workspace=tree.workspace,
                checkouts=tree.checkouts,
                sandbox=self._sandbox,
                trace=_Telling(trace, say, errand.options.budget.steps),
                clock=trace.now,
                cancelled=cancelled,
                memory=SqliteMemory(tree.memory) if tree.memory else None,
            )
            result = agent.run(errand.task, errand.options, environment, ports)
        return replace(result, trace=str(path))


@dataclass(frozen=True, slots=True)
class _Telling:
    """A trace that also says in words what is going on."""

    trace: TraceSink
    say: Callable[[str], None]
    steps: int

    def emit(self, kind: str, step: int, data: Mapping[str, object]) -> None:
        """Keep the event, then tell it where it has words."""
        self.trace.emit(kind, step, data)
        words = _WORDS.get(kind) or (kind == "decision" and _DOING.get(_selected(data)))
        if words:
            self.say(words.format(step=min(step + 1, self.steps), steps=self.steps))

    def recall(self, kind: str, about: str) -> str | None:
        """What the trace remembers."""
        return self.trace.recall(kind, about)


_WORDS = {
    "run_started": "running the suite as it is",
    "baseline": "reading the issue beside the suite's result",
    "kept": "step {step} of {steps}: a change is kept",
    "verdict": "putting the result into words",
}
_DOING = {
    Action.READ_CODE.value: "step {step} of {steps}: reading",
    Action.SEARCH_CODE.value: "step {step} of {steps}: searching",
    Action.PLAN.value: "step {step} of {steps}: planning",
    Action.REPRODUCE.value: "step {step} of {steps}: writing a test that shows the bug",
    Action.APPLY_EDIT.value: "step {step} of {steps}: writing a change and trying it",
    Action.RUN_SUITE.value: "step {step} of {steps}: running the suite",
    Action.GENERATE_ANSWER.value: "step {step} of {steps}: writing an answer",
    Action.TASK_COMPLETE.value: "judging the result: the suite on the base and on the change",
}


def _selected(data: Mapping[str, object]) -> str:
    """The action a decision chose; empty when it chose to stop."""
    selected = data.get("selected")
    return str(selected.get("action", "")) if isinstance(selected, Mapping) else ""


class _NoScreener:
    """Stands in while settings are tried at start: nothing is screened then."""

    def try_all(self, *_: object) -> tuple[()]:
        """Nothing to try."""
        return ()


def _rules(settings: WorkerSettings) -> Rules:
    named = (settings.generate_model,) if settings.generate_model else ()
    ceiling = Ceiling(
        steps=settings.steps,
        seconds=settings.seconds,
        money=settings.money,
        models=(*named, *(name for name in settings.models if name not in named)),
        bases=settings.bases,
    )
    return Rules(
        label=settings.label,
        allow=settings.allow,
        ceiling=ceiling,
        git_base=settings.git_base,
        bot_ids=frozenset(settings.bot_ids),
    )


def _environments(settings: WorkerSettings, sandbox: Sandbox) -> PreparedEnvironments:
    """Set-up goes through the operator's own proxy where there is one."""
    return PreparedEnvironments(
        sandbox,
        sys.executable,
        store=EnvironmentStore(settings.data_dir / "environments", int(settings.environments_gb * 1024**3)),
        way_out=WayOut(
            proxy=settings.https_proxy or settings.http_proxy,
            certificates=Path(settings.ssl_cert_file) if settings.ssl_cert_file else None,
        ),
        seconds=settings.setup_seconds,
    )


def _schemes(settings: WorkerSettings) -> tuple[str, ...]:
    """Plain HTTP only where the operator's own address says so."""
    return ("http", "https") if settings.git_base.startswith("http://") else ("https",)


def _read(workspace: Workspace, path: str) -> bytes | None:
    try:
        return workspace.read(path)
    except WorkspaceError:
        return None
