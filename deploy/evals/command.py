"""The `eval` command: options in, a table and two files out, exit code 0 when everything ended as expected."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from deploy import model_options

HELP = """Run small tasks like delegations and judge each by a hidden check.

DIR is a task (task.toml, issue.md, repo/, optional script.json, check.py or check.sh) or a folder of tasks. Each
attempt has a fresh repository and a process of its own; the check runs in the sandbox when the run is over.
`--classify scripted` and `--generate scripted` take what the task's script.json says, over real HTTP.

Exit codes: 0 every run ended as its task expects and no hidden check failed, 2 some did not, 1 could not start.
"""


def evaluate(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR...", help="Tasks, or folders of tasks.")],
    task: Annotated[list[str] | None, typer.Option(help="Only this task; may be given again.")] = None,
    repeat: Annotated[int, typer.Option(min=1, max=100, help="Attempts per task.")] = 1,
    jobs: Annotated[int, typer.Option(min=1, max=64, help="Attempts at the same time.")] = 1,
    baseline: Annotated[
        Path | None, typer.Option(help="results.json of an earlier evaluation to compare with; it must be alike.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for results.json, results.md, traces and logs.")] = None,
    classify: model_options.Classify = "embedded",
    classify_url: model_options.ClassifyUrl = "",
    classify_model: model_options.ClassifyModel = "",
    generate: model_options.Generate = "embedded",
    generate_url: model_options.GenerateUrl = "",
    generate_model: model_options.GenerateModel = "",
    generate_price_in: model_options.PriceIn = None,
    generate_price_out: model_options.PriceOut = None,
    money: model_options.Money = None,
    without: model_options.Without = "",
    env: Annotated[Path | None, typer.Option(help="Virtual environment the suites run in.")] = None,
    sandbox: Annotated[
        str, typer.Option(envvar="BENDCODER_SANDBOX", help="bubblewrap, or local: NO protection, own tasks only.")
    ] = "bubblewrap",
    typesafe_api_key: model_options.ClassifyKey = "",
    openrouter_api_key: model_options.GenerateKey = "",
) -> None:
    """Evaluate; HELP says how."""
    from deploy.delegate.models import from_environment
    from deploy.delegate.request import CannotStart
    from deploy.evals.evaluation import Wish, run

    try:
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
    except CannotStart as problem:
        typer.echo(f"could not start: {problem.args[0]}", err=True)
        raise typer.Exit(1) from problem
    wish = Wish(
        folders=tuple(folders),
        names=tuple(task or ()),
        repeat=repeat,
        jobs=jobs,
        baseline=baseline,
        out=out,
        models=models,
        env=env.absolute() if env else None,
        sandbox=sandbox,
    )
    raise typer.Exit(run(wish))
