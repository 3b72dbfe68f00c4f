"""Runs the agent on a local folder with the embedded backends; must not be used on code that is not trusted.

`python -m agent FOLDER --goal FILE` works on a copy and prints diff and verdict; the folder itself stays as it is. Its
suite runs without isolation. `bendcoder delegate` is the command for repositories of other people.
"""

import argparse
import io
import secrets
import shlex
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from agent import run
from agent.adapters.models.options import ModelOptions
from agent.adapters.models.registry import classifier_named, generator_named
from agent.adapters.sandbox.local import LocalSandbox
from agent.adapters.sandbox.screening import BoxScreener
from agent.adapters.workspace.directory import copies_of
from agent.domain.environment import Environment
from agent.domain.result import RunResult, Verdict
from agent.domain.task import Budget, Commands, Options, Task
from agent.errors import AgentError
from agent.ports import Ports
from agent.trace import JsonLines


def main(argv: Sequence[str] | None = None) -> int:
    """Run; 0 when verified, 3 for kept edits without that, 2 without a kept edit, 1 when it could not run."""
    asked = _parser().parse_args(argv)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # the diff may hold what the machine's encoding lacks
    try:
        result = _run(asked)
    except (AgentError, OSError) as error:
        sys.stderr.write(f"{error}. Nothing was changed.\n")
        return 1
    sys.stdout.write(_told(result))
    if result.judgement is None:
        return 2
    return 0 if result.judgement.verdict is Verdict.VERIFIED else 3


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m agent", description="Repair a local folder by its own suite.")
    parser.add_argument("folder", type=Path, help="the folder; it is copied and never written to")
    parser.add_argument("--goal", required=True, help="a file with the goal, or - for standard input")
    parser.add_argument("--verify", default=f"{shlex.quote(sys.executable)} -m pytest -q", help="the suite's command")
    parser.add_argument("--check", default="", help="a cheaper command per file; {file} stands for its path")
    parser.add_argument("--steps", type=int, default=12, help="steps at most (default 12)")
    parser.add_argument("--seconds", type=float, default=600.0, help="seconds at most, verdict included (default 600)")
    parser.add_argument("--trace", type=Path, help="where the trace goes (default: beside the folder)")
    return parser


def _run(asked: argparse.Namespace) -> RunResult:
    goal = sys.stdin.read() if asked.goal == "-" else Path(asked.goal).read_text(encoding="utf-8")
    title, _, body = goal.strip().partition("\n")
    task = Task(run_id=secrets.token_hex(6), title=title.lstrip("# ").strip(), body=body.strip())
    options = Options(
        commands=Commands(
            verify=tuple(shlex.split(asked.verify)), check=tuple(shlex.split(asked.check)) if asked.check else None
        ),
        budget=Budget(steps=asked.steps, seconds=asked.seconds),
    )
    environment = Environment(python=shlex.split(asked.verify)[0])
    folder = asked.folder.resolve(strict=True)
    trace = JsonLines(asked.trace or folder.parent / f"{folder.name}.{task.run_id}.jsonl", task.run_id, time.time)
    sandbox, models = LocalSandbox(), ModelOptions()
    with copies_of(folder) as copies:
        ports = Ports(
            classifier=classifier_named(models),
            generator=generator_named(models, lambda: BoxScreener(sandbox, copies.checkouts, environment, options)),
            workspace=copies.workspace,
            checkouts=copies.checkouts,
            sandbox=sandbox,
            trace=trace,
            clock=time.monotonic,
            cancelled=lambda: False,
        )
        try:
            return run(task, options, environment, ports)
        finally:
            trace.close()


def _told(result: RunResult) -> str:
    verdict = f"{result.judgement.verdict.value}: {result.judgement.reason}" if result.judgement else "no edit was kept"
    lines = [result.diff, f"{result.outcome.value}: {result.outcome_reason}", verdict, f"trace: {result.trace}"]
    return "\n".join(line for line in lines if line) + "\n"


if __name__ == "__main__":
    sys.exit(main())
