"""One local delegation from checkout to branch: composes git, environment, sandbox, models and the agent.

It must leave the person's HEAD, index, reflog and files as they are, and anything at all only with a kept edit.
"""

import os
import secrets
import stat
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import agent
from agent.adapters.models.registry import classifier_named, generator_named
from agent.adapters.sandbox.screening import BoxScreener
from agent.domain.environment import Environment
from agent.domain.result import RunResult
from agent.domain.task import Budget, Options, Task, Timeouts
from agent.ports import Ports, TraceSink
from agent.trace import JsonLines
from deploy.delegate.issue import parse
from deploy.delegate.progress import Followed, Nowhere
from deploy.delegate.request import CannotStart, Request
from deploy.delegate.suite import commands_of, environment_for, sandbox_for
from worker.domain import BotIdentity
from worker.errors import GitError, WorkerError
from worker.git import LocalRepository
from worker.git.jobtree import GitJobTree
from worker.git.local import slug_of

IDENTITY = BotIdentity(name="bendcoder", email="bendcoder@localhost")
SHOWN_PATHS = 5

Follow = Callable[[str, int, Mapping[str, object]], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """A delegation that ran."""

    result: RunResult
    title: str
    base: str
    branch: str | None
    problem: str = ""
    """Why kept edits could not be put into a branch; empty otherwise."""


def delegate(request: Request, *, follow: Follow, cancelled: Callable[[], bool]) -> Ended:
    """Run it; CannotStart with one sentence when something is missing. Nothing was changed then."""
    try:
        issue = parse(request.issue)
    except ValueError as problem:
        raise CannotStart(f"{problem}.") from problem
    try:
        repository = LocalRepository.find(request.repo)
        _refuse_dirty(repository)
        with repository.tree(request.room or room()) as tree:
            task = Task(run_id=secrets.token_hex(6), title=issue.title, body=issue.body)
            result = _run(request, task, tree, follow, cancelled)
            return _publish(repository, tree, result, issue.title)
    except WorkerError as problem:
        raise CannotStart(str(problem.args[0])) from problem


def _run(request: Request, task: Task, tree: GitJobTree, follow: Follow, cancelled: Callable[[], bool]) -> RunResult:
    configured = commands_of(request, tree)
    environment = environment_for(request, configured.commands)
    options = Options(
        commands=configured.commands,
        budget=Budget(steps=request.steps, seconds=request.seconds),
        timeouts=Timeouts(
            check=min(configured.check_seconds, request.seconds), suite=min(configured.suite_seconds, request.seconds)
        ),
        protected=configured.protected,
    )
    with ExitStack() as stack:
        return agent.run(
            task, options, environment, _ports(request, task, tree, options, environment, follow, cancelled, stack)
        )


def _ports(
    request: Request, task: Task, tree: GitJobTree, options: Options, environment: Environment, follow: Follow,
    cancelled: Callable[[], bool], stack: ExitStack,
) -> Ports:  # fmt: skip
    sandbox = sandbox_for(request, environment)
    return Ports(
        classifier=classifier_named(request.models),
        generator=generator_named(request.models, lambda: BoxScreener(sandbox, tree.checkouts, environment, options)),
        workspace=tree.workspace,
        checkouts=tree.checkouts,
        sandbox=sandbox,
        trace=Followed(_trace(request, task, stack), follow),
        clock=time.monotonic,
        cancelled=cancelled,
    )


def _trace(request: Request, task: Task, stack: ExitStack) -> TraceSink:
    if request.trace is None:
        return Nowhere()
    request.trace.unlink(missing_ok=True)
    sink = JsonLines(request.trace, task.run_id, time.time)
    stack.callback(sink.close)
    return sink


def _publish(repository: LocalRepository, tree: GitJobTree, result: RunResult, title: str) -> Ended:
    branch, problem = None, ""
    if result.changes and result.judgement is not None:
        judgement = result.judgement
        message = f"{title}\n\n{judgement.verdict.value}: {judgement.reason}\n"
        try:
            branch = repository.publish(
                tree,
                changes=result.changes,
                message=message,
                identity=IDENTITY,
                tree_id=judgement.tree,
                slug=slug_of(title),
            )
        except GitError as refusal:
            problem = f"The change could not be put into a branch: {refusal.args[0]} Your checkout is as it was."
    return Ended(result=result, title=title, base=repository.head, branch=branch, problem=problem)


def _refuse_dirty(repository: LocalRepository) -> None:
    dirty = repository.dirty()
    if dirty:
        more = f" and {len(dirty) - SHOWN_PATHS} more" if len(dirty) > SHOWN_PATHS else ""
        raise CannotStart(
            f"The checkout has uncommitted changes in {', '.join(dirty[:SHOWN_PATHS])}{more}. "
            "Commit or stash them first; nothing was run or changed."
        )


def room() -> Path:
    """A folder for working copies that no other user of this machine can have prepared."""
    path = Path(tempfile.gettempdir()) / f"bendcoder-{os.getuid()}"
    path.mkdir(mode=0o700, exist_ok=True)
    found = path.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o022:
        return Path(tempfile.mkdtemp(prefix="bendcoder-"))
    return path
