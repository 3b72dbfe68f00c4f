"""Measures every bar, prints a table (or JSON), and says by exit code whether all budgets hold."""

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace

from rich.console import Console
from rich.table import Table
from rich.text import Text

from deploy.bench import git, index, loop, prompts, receiver, searching, task
from deploy.bench.measure import COUNTED, SLACK, Measure, stretch

BARS: tuple[Callable[[], Iterator[Measure]], ...] = (
    receiver.command, receiver.receiver, loop.guards, prompts.growth, git.checkouts, index.ranking, loop.small,
    loop.large, searching.search, task.task,
)  # fmt: skip


def main() -> int:
    """Measure what was chosen; 1 when a budget is missed."""
    parser = argparse.ArgumentParser(prog="python -m deploy.bench", description="Measure the bars of the design.")
    parser.add_argument("--json", action="store_true", help="print the measures as JSON")
    parser.add_argument("--only", default="", help="measure only families whose name holds this")
    chosen = parser.parse_args()
    console = Console(stderr=True)
    measures: list[Measure] = []
    with console.status("measuring"):
        for bar in (one for one in BARS if chosen.only in f"{one.__module__}.{one.__name__}"):
            began = time.monotonic()
            measures.extend(_measured(bar))
            console.print(f"{bar.__module__}.{bar.__name__}: {time.monotonic() - began:.1f} s", style="dim")
    if chosen.json:
        sys.stdout.write(json.dumps([asdict(one) | {"good": one.good} for one in measures], indent=2) + "\n")
    else:
        Console().print(_table(measures))
    return 0 if all(one.good for one in measures) else 1


def _measured(bar: Callable[[], Iterator[Measure]]) -> list[Measure]:
    """The bar's measures, stretched by how slow the machine was before or after them."""
    before = stretch()
    found = list(bar())
    worst = max(before, stretch())
    return [replace(one, stretch=1.0 if one.unit in COUNTED else worst) for one in found]


def _table(measures: list[Measure]) -> Table:
    table = Table("what", "measured", "budget", "machine slower by", f"within {SLACK:g}x of that")
    for one in measures:
        sign = "<" if one.most else ">"
        word, style = ("yes", "green") if one.good else ("NO", "bold red")
        table.add_row(
            one.what,
            f"{one.value:,.2f} {one.unit}",
            f"{sign} {one.budget:,g} {one.unit}",
            f"{one.stretch:.1f}x",
            Text(word, style),
        )
    return table


if __name__ == "__main__":
    sys.exit(main())
