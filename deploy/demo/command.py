"""The `demo` command: starts the stage, plays, prints the draft pull request, ends everything it started."""

import json
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.markdown import Markdown
from rich.panel import Panel
from rich.syntax import Syntax
from rich.text import Text

from deploy.demo import programs
from deploy.demo.children import ChildDied
from deploy.demo.play import Played, PlayFailed, Report, play
from deploy.demo.stage import Setup, Stage, stage
from deploy.devhub.client import DevhubRefused
from deploy.redis_server import NoRedisServer

FAILED, NO_PULL_REQUEST, NOT_VERIFIED = 1, 2, 3

NO_SANDBOX = (
    "WARNING: no sandbox. {problem}. The demo's worker runs its own small program WITHOUT ONE (sandbox `local`, chosen "
    "here by name): good enough for the demo's own repository, never for anybody else's."
)


def run_demo(*, program: str, stay: bool, as_json: bool, listed: bool, source: Path | None, generate: str) -> int:
    """Exit code: 0 a draft with verdict `verified`, 3 any other draft, 2 none, 1 the demo could not be played."""
    told = Console(stderr=True)
    if listed:
        sys.stdout.write("".join(f"{name}\n" for name in programs.names()))
        return 0
    began = time.monotonic()
    for number in (signal.SIGINT, signal.SIGTERM):  # INT too: a shell starts background jobs with it ignored
        signal.signal(number, _interrupt)
    try:
        chosen = programs.load_from(source) if source else programs.load(program)
        setup = Setup(sandbox=_sandbox(told), generate=generate, redis_url=os.environ.get("BENDCODER_REDIS_URL"))
        with (
            tempfile.TemporaryDirectory(prefix="bendcoder-demo-", ignore_cleanup_errors=True) as folder,
            _progress(told) as say,
        ):
            say("starting GitHub stand-in, Redis, receiver and worker")
            with stage(Path(folder), setup) as running:
                played = play(running, chosen, say)
                _print(played, time.monotonic() - began, as_json=as_json)
                if stay:
                    _stay(told, running, played)
    except (programs.NoProgram, ChildDied, PlayFailed, NoRedisServer, DevhubRefused, TimeoutError) as problem:
        told.print(Text.assemble(("the demo failed: ", "bold red"), str(problem.args[0] if problem.args else problem)))
        return FAILED
    except KeyboardInterrupt:
        told.print("Stopped; everything the demo had started is ended.")
        return 130
    if played.pull is None:
        return NO_PULL_REQUEST
    return 0 if played.verified else NOT_VERIFIED


def _interrupt(*_: object) -> None:
    """Being told to end is Ctrl-C: everything started is ended on the way out."""
    raise KeyboardInterrupt


def _sandbox(console: Console) -> str:
    from agent.adapters.sandbox.bubblewrap import probe
    from agent.domain.environment import Environment

    problem = probe(Environment())
    if not problem:
        return "bubblewrap"
    console.print(Text(NO_SANDBOX.format(problem=problem), style="bold red"))
    return "local"


@contextmanager
def _progress(console: Console) -> Iterator[Report]:
    """What is going on, as lines that stay, and a clock that moves."""
    with console.status("starting") as status:

        def say(text: str) -> None:
            console.print(Text(f"  {text}", style="dim"))
            status.update(Text(text))

        yield say


def _print(played: Played, seconds: float, *, as_json: bool) -> None:
    if as_json:
        sys.stdout.write(json.dumps(as_document(played, seconds), indent=2) + "\n")
        return
    console = Console()
    pull = played.pull
    if pull is None:
        console.print(Text.assemble(("no pull request", "bold yellow"), f"  {played.job.outcome}: {played.job.reason}"))
        console.print(Panel(Markdown(_without_markers(played.status_comment)), title="what the bot says on the issue"))
        console.print(Text(f"issue {played.issue_url}"))
        return
    console.print(Panel(Markdown(_without_markers(pull.body)), title=Text(pull.title)))
    console.print(Syntax(played.diff, "diff", background_color="default"))
    style = "bold green" if played.verified else "bold yellow"
    console.print(Text.assemble(("draft pull request ", ""), (pull.title, "bold")))
    console.print(Text.assemble("verdict ", (played.job.verdict, style), f": {played.job.reason}"))
    for test in played.fixed:
        console.print(Text(f"  fixed {test}", style="green"))
    console.print(Text(f"page {pull.url}\nissue {played.issue_url}\nafter {seconds:.0f} s"))


def as_document(played: Played, seconds: float) -> dict[str, object]:
    """The end of a demo for a machine."""
    pull = played.pull
    return {
        "program": played.program,
        "repository": played.repo,
        "issue": played.issue_url,
        "state": played.job.state.value,
        "outcome": played.job.outcome,
        "verdict": played.job.verdict or None,
        "reason": played.job.reason,
        "pull_request": None
        if pull is None
        else {"title": pull.title, "url": pull.url, "draft": pull.draft, "branch": pull.head, "body": pull.body},
        "fixed": list(played.fixed),
        "diff": played.diff,
        "comment": played.status_comment,
        "seconds": round(seconds, 1),
    }


def _without_markers(markdown: str) -> str:
    """Without the HTML a forge hides or folds and a terminal would print."""
    tags = ("<!--", "<details", "</details")
    return "\n".join(line for line in markdown.splitlines() if not line.lstrip().startswith(tags))


def _stay(console: Console, running: Stage, played: Played) -> None:
    console.print(
        Text(
            f"Everything stays up until Ctrl-C: {running.hub.url} (stand-in), {running.receiver_url} (receiver), "
            f"logs in {running.folder}. Label another issue of {played.repo} to see it again."
        )
    )
    threading.Event().wait()
