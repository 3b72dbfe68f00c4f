"""An evaluation as Markdown, for a person: one line per task, then what all of it says, then what went wrong.

Text that came from a repository or a model is cut and made harmless; figures without a value are a dash.
"""

import statistics
from collections import Counter
from collections.abc import Iterable, Sequence

from deploy.evals.results import Results, by_task, interval, right
from deploy.evals.row import Row

_HEAD = (
    "task", "expected", "ended", "as expected", "hidden", "verdict", "steps", "calls", "tokens", "money", "seconds",
    "own s", "waste", "first change", "refused by",
)  # fmt: skip
_REASON = 160
_WHOLE = 100
"""From here on, what stands behind the point says nothing."""


def markdown(results: Results, before: Results | None = None) -> str:
    """The whole report; with an earlier evaluation, the comparison as well."""
    configuration = results.configuration
    lines = [
        "# Evaluation",
        "",
        f"Commit {results.commit}; Classify {_model(configuration.classify, configuration.classify_model)}, Generate "
        f"{_model(configuration.generate, configuration.generate_model)}, sandbox {configuration.sandbox}; "
        f"configuration {configuration.digest}.",
        "",
        *_table(_HEAD, [_line(rows) for rows in by_task(results.rows).values()]),
        "",
        *summary(results.rows),
    ]
    if before is not None:
        lines += ["", "## Compared with the baseline", "", *comparison(before, results)]
    wrong = [row for row in results.rows if not row.as_expected or row.problems]
    if wrong:
        lines += ["", "## What to look at", "", *(_told(row) for row in wrong)]
    return "\n".join(lines) + "\n"


def summary(rows: Sequence[Row]) -> list[str]:
    """Success and status, each with its interval, in one sentence each."""
    passed, told = right(rows)
    expected = sum(1 for row in rows if row.as_expected)
    return [
        f"Right by the hidden check: {_share(passed, told)}. Ended as expected: {_share(expected, len(rows))}.",
        f"{sum(row.tokens for row in rows)} tokens, {sum(row.seconds for row in rows):.1f} s, of which "
        f"{sum(row.own_seconds for row in rows):.1f} s besides models and the repositories' own commands.",
    ]


def comparison(before: Results, now: Results) -> list[str]:
    """What each task came to before and comes to now, and whether so few attempts can tell them apart."""
    old, new = by_task(before.rows), by_task(now.rows)
    lines = []
    for name in new:
        was, then = old.get(name, []), new[name]
        figures = [
            f"{_ratio(right(was))} → {_ratio(right(then))}",
            f"{_endings(was)} → {_endings(then)}",
            *(f"{_median(was, key)} → {_median(then, key)}" for key in ("steps", "tokens", "seconds")),
        ]
        lines.append([name, *figures])
    first, second = interval(*right(before.rows)), interval(*right(now.rows))
    apart = first[1] < second[0] or second[1] < first[0]
    said = "the difference is more than chance" if apart else "so few attempts cannot tell the two apart"
    return [
        *_table(("task", "hidden", "ended", "steps", "tokens", "seconds"), lines),
        "",
        f"Right by the hidden check: {_share(*right(before.rows))} before, {_share(*right(now.rows))} now: {said}.",
    ]


def _line(rows: Sequence[Row]) -> list[str]:
    first = rows[0]
    refused: Counter[str] = Counter()
    for row in rows:
        refused.update(row.refusals)
    money = [row.money for row in rows if row.money is not None]
    changes = [row.before_first_change for row in rows if row.before_first_change is not None]
    calls = [row.classify_calls + row.generate_calls for row in rows]
    return [
        first.task,
        first.expected.value,
        _endings(rows),
        _ratio((sum(1 for row in rows if row.as_expected), len(rows))),
        _words(row.hidden.value for row in rows),
        _words(row.verdict or "-" for row in rows),
        _median(rows, "steps"),
        f"{statistics.median(calls):g}",
        _median(rows, "tokens"),
        f"{statistics.median(money):.4f}" if money else "-",
        _median(rows, "seconds"),
        f"{statistics.median(row.own_seconds for row in rows):.2f}",
        f"{sum(row.waste for row in rows)}/{sum(row.steps for row in rows)}",
        f"{statistics.median(changes):g}" if changes else "-",
        ", ".join(f"{guard} {count}" for guard, count in sorted(refused.items())) or "-",
    ]


def _table(head: Sequence[str], lines: Iterable[Sequence[str]]) -> list[str]:
    rows = [head, ["---"] * len(head), *lines]
    return ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]


def _told(row: Row) -> str:
    what = "as expected" if row.as_expected else f"expected {row.expected.value}"
    said = [f"- {row.task}, attempt {row.attempt}: {row.ending.value} ({what}), hidden {row.hidden.value}."]
    said += [_plain(one) for one in (row.reason, *row.problems) if one]
    return " ".join(dict.fromkeys(said))


def _plain(text: str) -> str:
    """Somebody else's text on one line, in code, cut."""
    flat = " ".join(text.split()).replace("`", "'")
    return f"`{flat if len(flat) <= _REASON else flat[:_REASON] + ' …'}`"


def _endings(rows: Sequence[Row]) -> str:
    return _words(row.ending.value for row in rows)


def _words(words: Iterable[str]) -> str:
    counted = Counter(words)
    if len(counted) == 1:
        return next(iter(counted))
    return ", ".join(f"{word} {count}" for word, count in counted.most_common()) or "-"


def _median(rows: Sequence[Row], key: str) -> str:
    values = [float(getattr(row, key)) for row in rows]
    middle = statistics.median(values) if values else None
    return "-" if middle is None else f"{middle:.0f}" if middle >= _WHOLE else f"{middle:.3g}"


def _ratio(counts: tuple[int, int]) -> str:
    passed, told = counts
    return f"{passed}/{told}" if told else "-"


def _share(passed: int, of: int) -> str:
    if not of:
        return "nothing to tell"
    low, high = interval(passed, of)
    return f"{passed} of {of} ({passed / of:.0%}; 95 of 100 times between {low:.0%} and {high:.0%})"


def _model(backend: str, model: str) -> str:
    return f"{backend} {model}".strip()
