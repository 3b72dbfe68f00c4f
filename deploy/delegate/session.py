"""One local delegation from checkout to branch: composes git, environment, sandbox, models and the agent.

It must leave the person's HEAD, index, reflog and files as they are, and anything at all only with a kept edit.
"""

import os
import secrets
import stat
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import agent
from agent.adapters.index.sqlite import SqliteMemory
from agent.adapters.models.registry import opened
from agent.adapters.sandbox import sandbox_named
from agent.adapters.sandbox.screening import BoxScreener
from agent.domain.result import RunResult
from agent.domain.task import Budget, Options, Task, Timeouts
from agent.ports import Clock, Ports, TraceSink
from agent.resuming import resumed
from deploy.delegate.issue import parse
from deploy.delegate.progress import Followed, Nowhere
from deploy.delegate.request import CannotStart, Request
from deploy.delegate.suite import configured, environment_for
from worker.domain import BotIdentity
from worker.environment import refuse_outside_modules
from worker.errors import GitError, WorkerError
from worker.git import LocalRepository
from worker.git.jobtree import GitJobTree
from worker.git.local import slug_of
from worker.report.redact import Redactor

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
    chosen = configured(request, tree.workspace)
    environment = environment_for(request, chosen.commands.verify)
    sandbox = sandbox_named(request.sandbox)
    refuse_outside_modules(sandbox, tree.checkouts, environment, chosen.commands.verify)
    options = Options(
        commands=chosen.commands,
        budget=Budget(steps=request.steps, seconds=request.seconds, money=request.models.money),
        timeouts=Timeouts(
            check=min(chosen.check_seconds, request.seconds), suite=min(chosen.suite_seconds, request.seconds)
        ),
        protected=chosen.protected,
    )

    def screener() -> BoxScreener:
        return BoxScreener(sandbox, tree.checkouts, environment, options)

    with _trace(request, task) as (sink, clock), opened(request.models, screener) as (classifier, generator):
        ports = Ports(
            classifier=classifier,
            generator=generator,
            workspace=tree.workspace,
            checkouts=tree.checkouts,
            sandbox=sandbox,
            trace=Followed(sink, follow),
            clock=clock,
            cancelled=cancelled,
            memory=SqliteMemory(request.memory) if request.memory else None,
        )
        result = agent.run(task, options, environment, ports)
    return replace(result, trace=str(request.trace or ""))


@contextmanager
def _trace(request: Request, task: Task) -> Iterator[tuple[TraceSink, Clock]]:
    """Where events go: the file asked for, begun afresh or gone on with, or nowhere; and the run's clock."""
    if request.trace is None:
        yield Nowhere(), time.monotonic
        return
    if not request.resume:
        request.trace.unlink(missing_ok=True)
    with closing(resumed(request.trace, task.run_id, time.time, time.monotonic, Redactor(_keys(request)))) as sink:
        yield sink, sink.now


def _keys(request: Request) -> tuple[str, ...]:
    return tuple(key for key in (request.models.classify_key, request.models.generate_key) if key)


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
