"""Runs a delegation to its printed report, its JSON and its exit code: the same for every way it can end."""

import json
import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from rich.console import Console
from rich.text import Text

from agent.errors import AgentError
from deploy.delegate.document import EXIT_NOT_STARTED, document, exit_code, not_started, write
from deploy.delegate.progress import Display
from deploy.delegate.request import COULD_NOT_START, CannotStart, Request
from deploy.delegate.session import delegate
from deploy.delegate.show import show

INTERRUPTED = 130  # what a shell calls a program ended by Ctrl-C

LOCAL_WARNING = (
    "WARNING: --sandbox local is no sandbox. The repository's code runs as you, with your files and your network. "
    "Use it on code of your own only."
)


def finish(ask: Callable[[], Request], json_file: str) -> int:
    """The exit code; `json_file` empty: no JSON, `-`: on standard output, and the report on standard error."""
    with _recorded(json_file):
        return _finish(ask, json_file, Console(stderr=True))


def _finish(ask: Callable[[], Request], json_file: str, told: Console) -> int:
    if refusal := _unwritable(json_file):
        return _refuse(told, "", refusal)
    printed = told if json_file == "-" else Console()
    try:
        request = ask()
        if request.sandbox == "local":
            told.print(Text(LOCAL_WARNING, style="bold red"))
        with _interruptible(told) as cancelled, Display(told) as display:
            ended = delegate(request, follow=display.event, cancelled=cancelled)
    except CannotStart as problem:
        return _refuse(told, json_file, str(problem.args[0]), problem.outcome)
    except AgentError as problem:
        return _refuse(told, json_file, str(problem.args[0] if problem.args else problem))
    except KeyboardInterrupt:
        _refuse(told, json_file, "Interrupted. Your checkout is as it was; no branch was made.")
        return INTERRUPTED
    show(printed, ended.result, branch=ended.branch)
    content = document(ended.result, branch=ended.branch, base=ended.base, title=ended.title, sandbox=request.sandbox)
    code = exit_code(ended.result)
    if ended.problem:
        told.print(Text(ended.problem, style="bold red"))
        code = EXIT_NOT_STARTED
        content = {**content, "exit_code": code, "outcome_reason": ended.problem, "verdict": None}
    return code if _write(told, json_file, content) else EXIT_NOT_STARTED


def _unwritable(json_file: str) -> str:
    """Why the JSON could not be written at the end; found out before minutes of work, empty when it can."""
    if json_file in ("", "-"):
        return ""
    target = Path(json_file)
    if target.is_dir():
        return f"--json: {json_file} is a folder; name a file in it."
    if not target.parent.is_dir() or not os.access(target.parent, os.W_OK | os.X_OK):
        return f"--json: {json_file} cannot be written (its folder is missing or not yours to write to)."
    return ""


def _refuse(console: Console, json_file: str, reason: str, outcome: str = COULD_NOT_START) -> int:
    console.print(Text.assemble(("could not start: ", "bold red"), reason))
    record(json_file, reason, outcome)
    return EXIT_NOT_STARTED


def record(json_file: str, reason: str, outcome: str = COULD_NOT_START) -> None:
    """Write the JSON of a delegation that could not start, where asked for."""
    _write(Console(stderr=True), json_file, not_started(reason, outcome))


def _write(console: Console, json_file: str, content: Mapping[str, object]) -> bool:
    try:
        if json_file == "-":
            sys.stdout.write(json.dumps(content, indent=2) + "\n")
        elif json_file:
            write(Path(json_file), content)
    except OSError as problem:
        console.print(Text(f"--json: {json_file} cannot be written ({problem.strerror}).", style="bold red"))
        return False
    return True


@contextmanager
def _recorded(json_file: str) -> Iterator[None]:
    """Whoever waits for the JSON gets one even when bendcoder itself breaks; the error goes on its way."""
    try:
        yield
    except BaseException as problem:
        record(json_file, f"bendcoder broke off ({type(problem).__name__}); please report it. No branch was made.")
        raise


@contextmanager
def _interruptible(console: Console) -> Iterator[Callable[[], bool]]:
    """The first Ctrl-C ends the run at its next step, keeping what is kept; the second, or TERM, ends it at once."""
    asked = False

    def interrupt(number: int, _frame: FrameType | None) -> None:
        nonlocal asked
        if asked or number == signal.SIGTERM:
            raise KeyboardInterrupt
        asked = True  # and no word here: a handler that writes may interrupt a writer

    before = {number: signal.signal(number, interrupt) for number in (signal.SIGINT, signal.SIGTERM)}

    def cancelled() -> bool:
        if asked:
            console.print("Stopping; press Ctrl-C again to stop at once.")
        return asked

    try:
        yield cancelled
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
