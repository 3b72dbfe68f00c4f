"""One attempt at a task, from a fresh repository to its row: the same session as `delegate`, then the hidden check.

It runs in a process of its own, so that nothing it does or leaves behind reaches another attempt.
"""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from pathlib import Path
from types import FrameType

from agent.adapters.models.options import ModelOptions
from agent.adapters.sandbox import sandbox_named
from agent.errors import AgentError
from agent.measure import Measures, measure
from agent.trace import read_trace
from deploy.delegate.document import document, not_started
from deploy.delegate.request import CannotStart, Request
from deploy.delegate.session import Ended, delegate, room
from deploy.delegate.suite import environment_for
from deploy.evals.hidden import Checked, Hidden, check
from deploy.evals.row import Row, broken_row, row_of, skipped_row
from deploy.evals.task import Ending, Task, files_of
from deploy.standin.script import load
from deploy.standin.server import Standin, standin
from worker.errors import WorkerError
from worker.git import LocalRepository

SCRIPTED = "scripted"
_GIT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/nonexistent", "LC_ALL": "C.UTF-8",
    "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_AUTHOR_NAME": "eval", "GIT_AUTHOR_EMAIL": "eval@localhost", "GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z",
    "GIT_COMMITTER_NAME": "eval", "GIT_COMMITTER_EMAIL": "eval@localhost", "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z",
}  # fmt: skip
"""A fixed identity and clock: the same task has the same commit id everywhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """One attempt to make."""

    task: Task
    attempt: int
    models: ModelOptions
    sandbox: str
    env: Path | None = None
    out: Path | None = None
    """Where its trace and log go; None: nowhere."""

    @property
    def log(self) -> Path:
        """What it prints."""
        return Path(os.devnull) if self.out is None else self.out / f"{self.task.name}-{self.attempt}.log"


@dataclass(slots=True, kw_only=True)
class _Made:
    """What an attempt has come to so far."""

    document: dict[str, object]
    measures: Measures = field(default_factory=Measures)
    checked: Checked = field(default_factory=lambda: Checked(word=Hidden.NONE))
    problem: str = ""
    """Why what was kept could not be put into a branch."""


def serve(order: Order, folder: Path, answer: Connection) -> None:
    """A child process's whole life: make the attempt in `folder`, send its row; told to end, end what was started."""
    os.setsid()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the parent, which tells us
    signal.signal(signal.SIGTERM, _end)
    with order.log.open("wb", buffering=0) as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
        answer.send(make(order, folder).model_dump_json())


def _end(_number: int, _frame: FrameType | None) -> None:
    raise SystemExit(143)


def make(order: Order, folder: Path) -> Row:
    """The attempt's row, whatever comes; `folder` is empty and the attempt's own."""
    if order.task.missing:
        return skipped_row(order.task, order.attempt)
    try:
        with _models(order) as (models, server):
            made = _run(order, models, folder)
            problems = (*_problems(server), *((made.problem,) if made.problem else ()))
    except (AgentError, WorkerError, OSError) as problem:
        return broken_row(order.task, order.attempt, Ending.BROKEN, f"{type(problem).__name__}: {problem}", 0.0)
    return row_of(order.task, order.attempt, made.document, made.measures, made.checked, problems)


def _run(order: Order, models: ModelOptions, folder: Path) -> _Made:
    repository = fresh(order.task, folder / "repository")
    trace = (order.out or folder) / f"{order.task.name}-{order.attempt}.trace.jsonl"
    request = _request(order, models, repository, trace)
    try:
        ended = delegate(request, follow=lambda *_: None, cancelled=lambda: False)
    except CannotStart as problem:
        return _Made(document=not_started(str(problem.args[0]), problem.outcome))
    told = document(ended.result, branch=ended.branch, base=ended.base, title=ended.title, sandbox=order.sandbox)
    checked = _hidden(order, request, repository, ended, told)
    return _Made(document=told, measures=measure(read_trace(trace)), checked=checked, problem=ended.problem)


def _request(order: Order, models: ModelOptions, repository: Path, trace: Path) -> Request:
    settings = order.task.settings
    return Request(
        repo=repository,
        issue=(order.task.folder / "issue.md").read_bytes(),
        models=models,
        steps=settings.steps,
        seconds=settings.seconds,
        verify=settings.verify or None,
        check=settings.check or None,
        env=order.env,
        sandbox=order.sandbox,
        trace=trace,
    )


def _hidden(order: Order, request: Request, repository: Path, ended: Ended, told: dict[str, object]) -> Checked:
    """The hidden check on a clean tree with exactly what was kept."""
    script = order.task.hidden
    if script is None:
        return Checked(word=Hidden.NONE)
    environment = environment_for(request, request.verify or ())
    with (
        LocalRepository.find(repository).tree(room()) as tree,
        tree.checkouts.of(ended.result.changes) as checkout,
    ):
        return check(
            script,
            checkout.path,
            told,
            dict(files_of(order.task.folder / "hidden")),
            sandbox=sandbox_named(order.sandbox),
            environment=environment,
            seconds=order.task.settings.check_seconds,
        )


def fresh(task: Task, target: Path) -> Path:
    """The task's repository with one commit, in a folder of its own."""
    for name, source in files_of(task.folder / "repo"):
        place = target / name
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, place)
    for words in (("init", "-q", "-b", "main"), ("add", "-A", "-f"), ("commit", "-q", "-m", "first")):
        settings = ("-c", "core.autocrlf=false", "-c", "commit.gpgSign=false", "-c", "core.hooksPath=/dev/null")
        subprocess.run(["git", *settings, *words], cwd=target, env=_GIT, check=True, capture_output=True)
    return target


@contextmanager
def _models(order: Order) -> Iterator[tuple[ModelOptions, Standin | None]]:
    """The models as they were asked for; `scripted` ones are served by a stand-in of this attempt's own."""
    models = order.models
    if SCRIPTED not in (models.classify, models.generate):
        yield models, None
        return
    with standin(load(order.task.script)) as server:
        if models.classify == SCRIPTED:
            models = replace(
                models, classify="systemone", classify_url=server.classify_url, classify_model=SCRIPTED, classify_key=""
            )
        if models.generate == SCRIPTED:
            models = replace(
                models, generate="chat", generate_url=server.generate_url, generate_model=SCRIPTED, generate_key=""
            )
        yield models, server


def _problems(server: Standin | None) -> tuple[str, ...]:
    found = server.record()["problems"] if server is not None else []
    return tuple(f"script: {problem}" for problem in found) if isinstance(found, list) else ()
