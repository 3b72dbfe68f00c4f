"""Prints a replayed run for a person; must not read a trace or run anything."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from agent.measure import Measures
from deploy.replay.again import Again
from deploy.replay.table import Row


def show(found: Sequence[Row], figures: Measures, once_more: Again | None) -> None:
    """The steps as a table, what they cost, and how the run compared when it was run again."""
    console = Console()
    console.print(_table(found))
    console.print(Text(_figures(figures), style="dim"))
    if once_more is not None:
        same = f"the same again: {once_more.events} events, and the same diff and verdict"
        console.print(Text(f"it differs: {once_more.difference}" if once_more.difference else same))


def _table(found: Sequence[Row]) -> Table:
    table = Table("step", "Classify put first", "refused", "done", "came of it", show_lines=True)
    for row in found:
        by = f" (by {row.by})" if row.by not in ("classify", "") else ""
        table.add_row(
            str(row.step),
            Text(row.proposed),
            Text("\n".join(row.refused)),
            Text(f"{row.done}{by}"),
            Text("; ".join(dict.fromkeys(row.result))),
        )
    return table


def _figures(figures: Measures) -> str:
    refusals = ", ".join(f"{guard} {count}" for guard, count in figures.refusals.items()) or "none"
    first = figures.before_first_change
    return (
        f"{figures.steps} steps, {figures.waste} of them waste; "
        f"{'no edit was kept' if first is None else f'{first} before the first kept edit'}; "
        f"{figures.drafts} drafts tried, {figures.suites} runs of the suite in {figures.suite_seconds:.1f} s, "
        f"{figures.model_seconds:.1f} s in models; refusals by guard: {refusals}"
    )
