"""Finds where a quoted text stands in a file: to the letter, without copied line numbers, or at another indentation.

Only the side that is looked for is ever relaxed; what replaces it is changed in its indentation alone, and a relaxed
match counts only as whole lines. Must not choose between several places: it names them.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import reduce
from itertools import islice

from agent.edits.content import with_endings

MAX_PLACES = 10_000
"""Places found at most: a text that stands more often than this is no quotation. Bounds the memory of a search."""
_SHOWN_NUMBER = re.compile(
    r"^(?:\d+\t|\d+:|\t)"
)  # as pages and searches show lines; the tab alone: the number got lost
_NUMBERED = re.compile(r"^\d+(?:\.\d+)?\t", re.MULTILINE)
_COUNTED = re.compile(r"^\d+(?:\.\d+\t|\t|:)", re.MULTILINE)
_BLANK = " \t"


class How(StrEnum):
    """What it took to find the text."""

    LITERAL = "as it is given"
    UNNUMBERED = "without the line numbers it was quoted with"
    REINDENTED = "at another indentation"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One occurrence: bytes `begin` to `end` of the file, and the text meant for this place."""

    begin: int
    end: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    r"""All places in their order, at most `MAX_PLACES` and one; none: it stands nowhere. `text` as for `\n` endings."""

    how: How
    places: tuple[Place, ...]
    moved: str = ""
    """The replacement without the indentation that was taken off the quoted text: what has to be looked at again."""


def numbered(text: str, *, colons: bool = False) -> int:
    """How many lines begin with a number and a tab, as in a page and hardly ever in a file; or also with a colon."""
    return len((_COUNTED if colons else _NUMBERED).findall(text))


def unnumbered(text: str) -> str:
    """The text without the numbers a page or a search puts before lines; unchanged unless every line has one."""
    lines = text.split("\n")
    filled = [line for line in lines if line]
    if not filled or not all(_SHOWN_NUMBER.match(line) for line in filled):
        return text
    return "\n".join(_SHOWN_NUMBER.sub("", line) for line in lines)


def find(body: bytes, old: str, new: str) -> Found:
    r"""Where `old` stands, in the first of the three ways that finds it; texts with `\n` endings, `old` not empty."""
    spans = _first(_literal(body, old))
    if spans:
        return Found(how=How.LITERAL, places=tuple(Place(begin=b, end=e, text=new) for b, e in spans))
    quoted = unnumbered(old)
    if quoted not in (old, ""):
        spans = [span for span in _first(_literal(body, quoted)) if _starts_line(body, span[0])]
        if spans:
            text = _untabbed(new) if all(line.startswith("\t") for line in old.split("\n") if line) else new
            return Found(how=How.UNNUMBERED, places=tuple(Place(begin=b, end=e, text=text) for b, e in spans))
    return _reindented(body, old, new)


def _first(spans: Iterator[tuple[int, int]]) -> list[tuple[int, int]]:
    return list(islice(spans, MAX_PLACES + 1))


def _literal(body: bytes, old: str) -> Iterator[tuple[int, int]]:
    r"""Non-overlapping spans of the text; a `\n` of it stands for `\r\n` as well, and never for half of one."""
    needle = with_endings(old, b"\n")
    if b"\r" in body and (b"\n" in needle or needle.endswith(b"\r")):
        tail = rb"(?!\n)" if needle.endswith(b"\r") else b""
        pattern = re.compile(rb"\r?\n".join(re.escape(row) for row in needle.split(b"\n")) + tail)
        yield from (match.span() for match in pattern.finditer(body))
        return
    at = body.find(needle)
    while at >= 0:
        yield at, at + len(needle)
        at = body.find(needle, at + len(needle))


def _starts_line(body: bytes, at: int) -> bool:
    return at == 0 or body[at - 1 : at] == b"\n"


def _untabbed(text: str) -> str:
    """Without a leading tab on each line, when every filled line has one: it belongs to the quotation there as well."""
    lines = text.split("\n")
    if all(line.startswith("\t") for line in lines if line):
        return "\n".join(line.removeprefix("\t") for line in lines)
    return text


def _reindented(body: bytes, old: str, new: str) -> Found:
    """Whole lines that are the quoted ones with one other indentation in front of all of them."""
    quote = _indentation(old)
    moved = "\n".join(line.removeprefix(quote) for line in new.split("\n"))
    rows = [line.removeprefix(quote) for line in old.split("\n")]
    longest = max(rows, key=len).encode()
    if not quote or longest not in body:
        return Found(how=How.REINDENTED, places=())
    matches = islice(_lines_pattern(rows).finditer(body), MAX_PLACES + 1)
    places = tuple(
        Place(begin=match.start(), end=match.end(), text=_indented(moved, match[1].decode())) for match in matches
    )
    return Found(how=How.REINDENTED, places=places, moved=moved)


def _indentation(text: str) -> str:
    """The white space that all lines with anything else on them begin with."""
    leads = [line[: len(line) - len(line.lstrip(_BLANK))] for line in text.split("\n") if line.strip(_BLANK)]
    return reduce(_common, leads) if leads else ""


def _common(one: str, other: str) -> str:
    same = 0
    while same < min(len(one), len(other)) and one[same] == other[same]:
        same += 1
    return one[:same]


def _lines_pattern(rows: list[str]) -> re.Pattern[bytes]:
    """The rows as whole lines with the same white space, group 1, before each that is not blank."""
    parts, seen = [], False
    for index, row in enumerate(rows):
        if row.strip(_BLANK):
            parts.append((rb"\1" if seen else rb"([ \t]*)") + re.escape(row.encode()))
            seen = True
        else:
            parts.append(b"" if index == len(rows) - 1 and not row else rb"[ \t]*")
    tail = b"" if not rows[-1] else rb"(?=\r?$)"
    return re.compile(b"^" + rb"\r?\n".join(parts) + tail, re.MULTILINE)


def _indented(text: str, lead: str) -> str:
    return "\n".join(lead + line if line.strip(_BLANK) else line for line in text.split("\n"))


def keeps_indentation(old: str, new: str) -> bool:
    """Whether every filled line of `new` is indented at least as `old` is: only then can both move together."""
    quote = _indentation(old)
    return all(line.startswith(quote) for line in new.split("\n") if line.strip(_BLANK))
