"""The `delegate` command: options in, a printed report, a JSON file and an exit code out."""

import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from deploy import model_options

HELP = """Work on an issue in a local git checkout and leave the result as a branch.

Runs the repository's own suite, finds and tries changes on a copy, and keeps none the suite does not allow. Your
checkout (HEAD, index, reflog, files) stays byte for byte as it is; kept edits become a branch bendcoder/SLUG-N.

Exit codes: 0 verified, 3 kept edits that are unverified or failing, 2 no kept edit (or a prose answer),
1 could not start, each with its reason: unusable suite, dirty checkout, bad option.
"""
ISSUE_HELP = "Markdown file with the issue, or - for standard input; its first heading is the title."
JSON_HELP = "Write the result here as JSON (- for standard output), whatever the end."


def delegate(
    repo: Annotated[Path, typer.Option(help="Top folder of a git checkout without uncommitted changes.")],
    issue: Annotated[str, typer.Option(help=ISSUE_HELP)],
    steps: Annotated[int, typer.Option(min=1, max=40, help="Steps the loop may take.")] = 12,
    verify: Annotated[str, typer.Option(help="Suite command, split like a shell's words. Default: detected.")] = "",
    check: Annotated[str, typer.Option(help="Cheaper command per file, with {file} as one argument.")] = "",
    env: Annotated[Path | None, typer.Option(help="Virtual environment the suite runs in.")] = None,
    classify: model_options.Classify = "embedded",
    classify_url: model_options.ClassifyUrl = "",
    classify_model: model_options.ClassifyModel = "",
    generate: model_options.Generate = "embedded",
    generate_url: model_options.GenerateUrl = "",
    generate_model: model_options.GenerateModel = "",
    without: model_options.Without = "",
    generate_price_in: model_options.PriceIn = None,
    generate_price_out: model_options.PriceOut = None,
    money: model_options.Money = None,
    sandbox: Annotated[
        str, typer.Option(envvar="BENDCODER_SANDBOX", help="bubblewrap, or local: NO protection, own code only.")
    ] = "bubblewrap",
    seconds: Annotated[
        float, typer.Option(min=1, help="Wall clock, baseline and verdict inside; a fifth is kept for the verdict.")
    ] = 600.0,
    json_file: Annotated[str, typer.Option("--json", metavar="FILE", help=JSON_HELP)] = "",
    trace: Annotated[Path | None, typer.Option(help="Write every event of the run here, as JSON Lines.")] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on where the run of --trace was killed; same checkout, same options.")
    ] = False,
    typesafe_api_key: model_options.ClassifyKey = "",
    openrouter_api_key: model_options.GenerateKey = "",
) -> None:
    """Run the loop on a local checkout; HELP says what for."""
    from deploy.delegate.ending import finish
    from deploy.delegate.models import from_environment
    from deploy.delegate.request import CannotStart, Request

    def request() -> Request:
        if resume and trace is None:
            raise CannotStart("--resume goes on along the trace of a run that was killed: name it with --trace.")
        models = replace(
            from_environment(),
            classify=classify,
            classify_url=classify_url,
            classify_model=classify_model,
            classify_key=typesafe_api_key,
            generate=generate,
            generate_url=generate_url,
            generate_model=generate_model,
            generate_key=openrouter_api_key,
            generate_without=model_options.families(without),
            price_in=generate_price_in,
            price_out=generate_price_out,
            money=money,
        )
        return Request(
            repo=repo,
            issue=_read(issue),
            models=models,
            steps=steps,
            seconds=seconds,
            verify=_words("--verify", verify),
            check=_words("--check", check),
            env=env,
            sandbox=sandbox,
            trace=trace,
            resume=resume,
        )

    raise typer.Exit(finish(request, json_file))


def _read(issue: str) -> bytes:
    from deploy.delegate.issue import LARGEST
    from deploy.delegate.request import CannotStart

    if issue == "-":
        return sys.stdin.buffer.read(LARGEST + 1)
    try:
        # a named pipe would be waited for, and a device may never end: `-` reads what is no file
        if not Path(issue).is_file() and Path(issue).exists():
            raise CannotStart(f"--issue: {issue} is no file; name a Markdown file, or - for standard input.")
        with Path(issue).open("rb") as file:
            return file.read(LARGEST + 1)
    except (OSError, ValueError) as problem:
        why = problem.strerror if isinstance(problem, OSError) else problem
        raise CannotStart(f"--issue: {issue} cannot be read ({why}).") from problem


def _words(option: str, command: str) -> tuple[str, ...] | None:
    from deploy.delegate.request import CannotStart

    try:
        words = tuple(shlex.split(command))
    except ValueError as problem:
        raise CannotStart(f"{option}: {problem}; quote the command like a shell would.") from problem
    return words or None


def record_usage_error(words: Sequence[str], reason: str) -> None:
    """Write the JSON a program waits for when its command line was wrong, if `--json FILE` can be made out in it."""
    if not words or words[0] != "delegate":
        return
    target = ""
    for word, following in zip(words, [*words[1:], ""], strict=True):
        if word == "--json":
            target = following
        elif word.startswith("--json="):
            target = word.partition("=")[2]
    from deploy.delegate.ending import record

    record(target, reason)
