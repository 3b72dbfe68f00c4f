"""Prints how a delegation ended, for a person. Text that came from a repository is printed as text, never as markup."""

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text
from unidiff.patch import PatchSet

from agent.domain.result import RunResult, Verdict
from agent.domain.suite import SuiteRun

COLOURS = {Verdict.VERIFIED: "bold green", Verdict.UNVERIFIED: "bold yellow", Verdict.FAILING: "bold red"}
MOST = 20
"""Tests listed by name; the JSON has all of them."""


def show(console: Console, result: RunResult, *, branch: str | None) -> None:
    """Verdict, diff stat, evidence, and where the change is."""
    judgement = result.judgement
    console.print()
    if judgement is None:
        console.print(_line("no change kept", "bold yellow", result.outcome_reason))
        if result.answer:
            console.print(Text(result.answer))
    else:
        console.print(_line(judgement.verdict.value, COLOURS[judgement.verdict], judgement.reason))
        console.print(_stat(result))
        _tests(console, "fixed", judgement.fixed, "green")
        _tests(console, "broken", judgement.broken, "red")
        _tests(console, "still failing, as before", judgement.still_red, "yellow")
        _tests(console, "evidence (fails before, passes after)", judgement.evidence, "green")
        for note in judgement.notes:
            console.print(Text(f"note: {note}"))
        console.print(Text(f"before: {_suite(result.baseline)}\nafter:  {_suite(judgement.final)}"))
    if judgement is None:  # what was not done explains an end with nothing; beside a kept change it is noise
        for guard, reason in {(refusal.guard, refusal.reason): None for refusal in result.refusals[-5:]}:
            console.print(Text(f"refused by {guard}: {reason}", style="dim"))
    usage = result.usage
    console.print(
        Text(
            f"{usage.steps} steps, {usage.classify_calls} Classify and {usage.generate_calls} Generate calls, "
            f"{usage.seconds:.1f} s; decided by {result.classify}, written by {result.generate}",
            style="dim",
        )
    )
    if branch:
        console.print(Text.assemble("branch ", (branch, "bold"), ": look at it with ", f"git show {branch}"))
    else:
        console.print(Text("Your checkout is as it was; no branch was made."))


def _line(word: str, style: str, reason: str) -> Text:
    return Text.assemble((word.upper(), style), f"  {reason}")


def _stat(result: RunResult) -> Table:
    table = Table.grid(padding=(0, 2))
    for path, (added, removed) in diff_stat(result.diff).items():
        table.add_row(Text(path), Text(f"+{added}", style="green"), Text(f"-{removed}", style="red"))
    return table


def diff_stat(diff: str) -> Mapping[str, tuple[int, int]]:
    """Path to lines added and removed."""
    return {file.path: (file.added, file.removed) for file in PatchSet(diff)}


def _tests(console: Console, title: str, tests: Sequence[str], style: str) -> None:
    if not tests:
        return
    more = f", and {len(tests) - MOST} more" if len(tests) > MOST else ""
    console.print(Text(f"{title} ({len(tests)}):", style=style))
    for test in tests[:MOST]:
        console.print(Text(f"  {test}"))
    if more:
        console.print(Text(f"  {more[2:]}"))


def _suite(run: SuiteRun | None) -> str:
    if run is None:
        return "not run"
    if run.cases is None:
        return f"exit code {run.exit_code}, no per-test report, {run.seconds:.1f} s"
    return f"{len(run.passed())} passed, {len(run.red())} failed of {len(run.cases)}, {run.seconds:.1f} s"
