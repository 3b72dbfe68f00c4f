r"""Finds whole lines of a file that are quoted ones at another indentation; must not overlook any other difference.

All texts here end their lines in `\n`. The search follows the most telling line of the quotation, so that a file of any
size and any repetition takes a time that is bounded by how often that line stands.
"""

import re
from collections.abc import Iterator
from functools import reduce

_BLANK = " \t"


def indentation(text: str) -> str:
    """The white space that all lines with anything else on them begin with."""
    leads = [line[: len(line) - len(line.lstrip(_BLANK))] for line in text.split("\n") if line.strip(_BLANK)]
    return reduce(_common, leads) if leads else ""


def without(text: str, quote: str) -> str:
    """The text with `quote` taken off each line that begins with it."""
    return "\n".join(line.removeprefix(quote) for line in text.split("\n"))


def indented(text: str, lead: str) -> str:
    """The text with `lead` before each line that is not blank."""
    return "\n".join(lead + line if line.strip(_BLANK) else line for line in text.split("\n"))


def keeps_indentation(old: str, new: str) -> bool:
    """Whether every filled line of `new` is indented at least as `old` is: only then can both move together."""
    quote = indentation(old)
    return all(line.startswith(quote) for line in new.split("\n") if line.strip(_BLANK))


def standing(body: bytes, text: str, most: int) -> list[tuple[int, int, str]]:
    """Begin, end and white space of each place where the lines of `text` stand with one white space before all of them.

    `text` has no common indentation of its own. Nothing when its most telling line stands more than `most` times.
    """
    rows = text.split("\n")
    index = max(range(len(rows)), key=lambda at: len(rows[at].strip(_BLANK)))
    pattern, found, past = _pattern(rows), [], 0
    for count, start in enumerate(_starts(body, rows[index].encode(), index)):
        if count == most:
            return []
        match = pattern.match(body, start) if start >= past else None
        if match:
            found.append((match.start(), match.end(), match["lead"].decode()))
            past = match.end()
    return found


def _common(one: str, other: str) -> str:
    same = 0
    while same < min(len(one), len(other)) and one[same] == other[same]:
        same += 1
    return one[:same]


def _pattern(rows: list[str]) -> re.Pattern[bytes]:
    """The rows as whole lines with the same white space, group `lead`, before each that is not blank."""
    parts, seen = [], False
    for index, row in enumerate(rows):
        if row.strip(_BLANK):
            parts.append((rb"(?P=lead)" if seen else rb"(?P<lead>[ \t]*)") + re.escape(row.encode()))
            seen = True
        else:
            parts.append(b"" if index == len(rows) - 1 and not row else rb"[ \t]*")
    return re.compile(b"\n".join(parts) + (rb"(?=\n|\Z)" if rows[-1] else b""))


def _starts(body: bytes, row: bytes, above: int) -> Iterator[int]:
    """Where a block begins whose line number `above` (0-based) holds `row`, for each line that does."""
    at = body.find(row)
    while at >= 0:
        start = body.rfind(b"\n", 0, at) + 1
        for _ in range(above):
            start = body.rfind(b"\n", 0, start - 1) + 1 if start else -1
            if start < 0:
                break
        if start >= 0:
            yield start
        newline = body.find(b"\n", at)
        at = body.find(row, newline) if newline >= 0 else -1
