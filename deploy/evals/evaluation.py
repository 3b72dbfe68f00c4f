"""An evaluation from wish to report: everything that can be refused is refused before the first attempt."""

import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.text import Text

from agent.adapters.models.options import ModelOptions
from agent.adapters.models.registry import classifier_named, generator_named
from agent.adapters.sandbox import sandbox_named
from agent.errors import AgentError
from agent.ports import Screener
from deploy.evals.attempt import SCRIPTED, Order
from deploy.evals.results import Configuration, Results, UnlikeError, read, refuse_unlike, versions, write
from deploy.evals.row import Row
from deploy.evals.running import run_all
from deploy.evals.table import markdown
from deploy.evals.task import Task, TaskError, find
from deploy.standin.script import ScriptError, load

GOOD, NOT_STARTED, UNEXPECTED, INTERRUPTED = 0, 1, 2, 130
_PROJECT = Path(__file__).resolve().parents[2]
LOCAL_WARNING = (
    "WARNING: --sandbox local is no sandbox. The tasks' code, and what a model makes of it, runs as you. "
    "Use it for tasks of your own with scripted models only."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What a person asked for."""

    folders: tuple[Path, ...]
    models: ModelOptions
    names: tuple[str, ...] = ()
    repeat: int = 1
    jobs: int = 1
    baseline: Path | None = None
    out: Path | None = None
    env: Path | None = None
    sandbox: str = "bubblewrap"


class _CannotStartError(Exception):
    """Nothing was run; `args[0]` says why."""


def run(wish: Wish) -> int:
    """Evaluate and report; the exit code."""
    told = Console(stderr=True)
    before_us = signal.signal(signal.SIGTERM, _interrupt)  # being told to end is Ctrl-C: attempts are ended, too
    try:
        tasks, before = _checked(wish)
        if wish.sandbox == "local":
            told.print(Text(LOCAL_WARNING, style="bold red"))
        results = _results(wish, tasks, told)
        report = markdown(results, before)
        Console(soft_wrap=True).print(Text(report), end="")
        if wish.out is not None:
            write(results, wish.out / "results.json")
            (wish.out / "results.md").write_text(report, encoding="utf-8", errors="replace")
    except (_CannotStartError, TaskError, ScriptError, UnlikeError, AgentError) as problem:
        told.print(Text.assemble(("could not start: ", "bold red"), str(problem.args[0])))
        return NOT_STARTED
    except KeyboardInterrupt:
        told.print("Interrupted; every attempt was ended, nothing was written.")
        return INTERRUPTED
    finally:
        signal.signal(signal.SIGTERM, before_us)
    return GOOD if all(row.as_expected for row in results.rows) else UNEXPECTED


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def _checked(wish: Wish) -> tuple[tuple[Task, ...], Results | None]:
    """The tasks and the baseline, when everything they need is there."""
    tasks = find(wish.folders, wish.names)
    if SCRIPTED in (wish.models.classify, wish.models.generate):
        for task in tasks:
            load(task.script)
    sandbox_named(wish.sandbox)
    _try_models(wish.models)
    before = read(wish.baseline) if wish.baseline is not None else None
    if before is not None:
        refuse_unlike(before.configuration, _configuration(wish, tasks))
    if wish.out is not None:
        try:
            wish.out.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise _CannotStartError(f"--out: {wish.out} cannot be made ({problem.strerror})") from problem
    return tasks, before


def _try_models(models: ModelOptions) -> None:
    """ModelError when a backend lacks a setting: said once, and not by every attempt."""
    for name, make in (
        (models.classify, lambda: classifier_named(models)),
        (models.generate, lambda: generator_named(models, _NoScreener)),
    ):
        if name != SCRIPTED:
            close = getattr(make(), "close", None)
            if close is not None:
                close()


class _NoScreener(Screener):
    """Stands where a search would screen its drafts, while settings are merely tried."""


def _results(wish: Wish, tasks: tuple[Task, ...], console: Console) -> Results:
    orders = [
        Order(
            task=task, attempt=attempt, models=wish.models, sandbox=wish.sandbox, env=wish.env,
            out=wish.out.resolve() if wish.out else None,
        )
        for task in tasks
        for attempt in range(1, wish.repeat + 1)
    ]  # fmt: skip

    def told(row: Row) -> None:
        good = "as expected" if row.as_expected else f"expected {row.expected.value}"
        style = "dim" if row.as_expected else "bold red"
        console.print(
            Text(f"{row.task} {row.attempt}: {row.ending.value} ({good}), hidden {row.hidden.value}, "
                 f"{row.seconds:.1f} s", style=style)
        )  # fmt: skip

    rows = run_all(orders, wish.jobs, told)
    return Results(commit=_commit(), repeat=wish.repeat, configuration=_configuration(wish, tasks), rows=tuple(rows))


def _configuration(wish: Wish, tasks: tuple[Task, ...]) -> Configuration:
    return Configuration(
        tasks=versions(tasks),
        classify=wish.models.classify,
        classify_model=wish.models.classify_model,
        generate=wish.models.generate,
        generate_model=wish.models.generate_model,
        settings=_settings(wish.models),
        sandbox=wish.sandbox,
    )


_SETTINGS = (
    "classify_price_in", "classify_price_out", "generate_models", "generate_without", "generate_candidates",
    "generate_max_tokens", "generate_window", "price_in", "price_out", "money",
)  # fmt: skip


def _settings(models: ModelOptions) -> dict[str, str]:
    usual = ModelOptions()
    changed = {name: getattr(models, name) for name in _SETTINGS if getattr(models, name) != getattr(usual, name)}
    return {name: str(value) for name, value in changed.items()}


def _commit() -> str:
    """The commit of the program that is evaluated, with a plus when files differ from it; empty outside a checkout."""
    try:
        done = subprocess.run(
            ["git", "describe", "--always", "--abbrev=12", "--exclude=*", "--dirty=+"],
            cwd=_PROJECT, capture_output=True, text=True, check=False, timeout=20,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip()
