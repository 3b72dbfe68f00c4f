"""The `replay` command: a trace in, a table of its steps out, and with a repository the run once more along it."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

HELP = """Show a run from its trace; with --repo, run it again along the trace and compare every event.

No model is asked and no code of the repository runs: models and suite answer as they did then. Everything else (guards,
edits, the verdict) is done anew. The repository's HEAD must be the commit the run began at; nothing in it is changed.

Exit code: 0 shown, and the same again; 2 something differs; 1 the trace cannot be read or does not fit the repository.
"""


def replay(
    trace: Annotated[Path, typer.Argument(metavar="TRACE", help="The JSON Lines file of a run.")],
    repo: Annotated[Path | None, typer.Option(help="Git checkout at the run's base: run along the trace.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was found as JSON on standard output.")] = False,
) -> None:
    """Show, and perhaps run again; HELP says what for."""
    from agent.errors import AgentError
    from deploy.delegate.request import CannotStart
    from worker.errors import WorkerError

    try:
        raise typer.Exit(_replay(trace, repo, as_json))
    except (AgentError, CannotStart, WorkerError) as problem:
        typer.echo(f"{problem.args[0]}", err=True)
        raise typer.Exit(1) from None


def _replay(trace: Path, repo: Path | None, as_json: bool) -> int:
    from agent.measure import measure
    from agent.resuming import lived
    from agent.trace import read_trace
    from deploy.replay.again import again
    from deploy.replay.showing import show
    from deploy.replay.table import rows

    records = lived(read_trace(trace))
    found, figures = rows(records), measure(records)
    once_more = again(trace, repo) if repo is not None else None
    difference = once_more.difference if once_more else ""
    if as_json:
        told = {
            "steps": [asdict(row) for row in found],
            "measures": asdict(figures),
            "again": {"events": once_more.events, "difference": difference} if once_more else None,
        }
        typer.echo(json.dumps(told, indent=2))
        return 2 if difference else 0
    show(found, figures, once_more)
    return 2 if difference else 0
