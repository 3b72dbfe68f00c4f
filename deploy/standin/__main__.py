"""`python -m deploy.standin SCRIPT [--port N]` serves a script until told to end; it prints address and record."""

import json
import signal
import sys
import threading
from pathlib import Path
from typing import Annotated

import typer

from deploy.standin.script import ScriptError, load
from deploy.standin.server import RECORD, standin


def serve(
    script: Annotated[Path, typer.Argument(help="JSON file with `says` and `replies`.")],
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: a free one.")] = 0,
) -> None:
    """Stand in for Classify (`/v1/systemone`) and Generate (`/v1/chat/completions`) as a script says.

    The first line printed is the base address. `GET /record` tells what was asked so far; so does the last line.
    """
    try:
        loaded = load(script)
    except ScriptError as problem:
        typer.echo(str(problem.args[0]), err=True)
        raise typer.Exit(1) from problem
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    with standin(loaded, port) as running:
        sys.stdout.write(f"{running.classify_url}\n")
        sys.stderr.write(f"Generate: {running.generate_url}; record: {running.classify_url}{RECORD}\n")
        sys.stdout.flush()
        ended.wait()
        sys.stdout.write(json.dumps(running.record()) + "\n")


if __name__ == "__main__":
    typer.run(serve)
