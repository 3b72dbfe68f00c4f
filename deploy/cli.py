"""The `bendcoder` command; each command imports its own needs as it runs: `--help` is quick and `serve` stays lean."""

import io
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from typer._click.exceptions import ClickException  # no public name; every usage error is one

from deploy.delegate import command as delegate_command
from deploy.evals import command as eval_command
from deploy.replay import command as replay_command

USAGE = 1
"""Exit code of a bad option: 2 and 3 mean how a delegation ended."""

app = typer.Typer(
    name="bendcoder",
    help="Hand an issue to a machine and get back a draft pull request with a machine-made verdict.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("delegate", help=delegate_command.HELP)(delegate_command.delegate)
app.command("eval", help=eval_command.HELP)(eval_command.evaluate)
app.command("replay", help=replay_command.HELP)(replay_command.replay)

Host = Annotated[str, typer.Option(help="Address to listen on.")]


@app.command()
def demo(
    program: Annotated[str, typer.Option(help="Which small program to repair; see --list.")] = "intervals",
    stay: Annotated[bool, typer.Option("--stay", help="Keep everything up afterwards, until Ctrl-C.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the end as JSON on standard output.")] = False,
    listed: Annotated[bool, typer.Option("--list", help="List the programs and stop.")] = False,
    source: Annotated[
        Path | None, typer.Option("--from", help="Another program: a folder with issue.md and repo/.")
    ] = None,
    generate: Annotated[
        str, typer.Option(hidden=True, help="Generate backend; `nothing` writes nothing.")
    ] = "embedded",
) -> None:
    """Watch the main job on this machine, without any key: issue, signed webhook, worker, draft pull request.

    Starts a GitHub stand-in, a Redis-protocol server, the receiver and a worker on free loopback ports, files an issue
    about a real bug, labels it, and prints the draft pull request the worker opens. Exit code 0: verdict `verified`.
    """
    from deploy.demo.command import run_demo

    raise typer.Exit(
        run_demo(program=program, stay=stay, as_json=as_json, listed=listed, source=source, generate=generate)
    )


@app.command()
def serve(
    host: Host = "127.0.0.1", port: Annotated[int, typer.Option(min=0, max=65535, help="0: a free one.")] = 8080
) -> None:
    """Run the public process: receive GitHub's webhooks and queue jobs. Settings: BENDCODER_* variables."""
    from bot.__main__ import serve as run
    from bot.errors import SettingsError

    try:
        run(host, port)
    except SettingsError as problem:
        raise _refuse(str(problem)) from problem


@app.command()
def work(
    concurrency: Annotated[int, typer.Option(min=1, max=256, help="Jobs at the same time on this machine.")] = 2,
) -> None:
    """Run the worker: take jobs, run them sandboxed, open draft pull requests. Settings: BENDCODER_* variables."""
    from agent.errors import AgentError
    from deploy.working import work as run
    from worker.errors import WorkerError

    try:
        raise typer.Exit(run(concurrency))
    except (WorkerError, AgentError) as problem:
        raise _refuse(str(problem.args[0])) from problem


@app.command()
def devhub(
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: a free one.")] = 8070,
    host: Host = "127.0.0.1",
) -> None:
    """Run the GitHub stand-in for development: REST, git over HTTP, signed webhooks, a page per issue."""
    from deploy.devhub.server import serve as run

    run(host, port)


@app.command()
def doctor(as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False) -> None:
    """Check what this machine has of what bendcoder needs. Exit code 1 when something necessary is missing."""
    from deploy.doctor import examine, report

    raise typer.Exit(report(examine(), as_json=as_json))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; exit codes are the command's own, 1 for a bad option."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # whatever the machine's encoding lacks is no reason to end
    try:
        code = typer.main.get_command(app).main(args=words, prog_name="bendcoder", standalone_mode=False)
    except ClickException as problem:
        problem.show()
        delegate_command.record_usage_error(words, problem.format_message())
        return USAGE
    except typer.Abort:
        return 130
    return code if isinstance(code, int) else 0


def _refuse(reason: str) -> typer.Exit:
    typer.echo(f"could not start: {reason}", err=True)
    return typer.Exit(1)


if __name__ == "__main__":
    sys.exit(main())
