"""Finds where a quoted text stands in a file: to the letter, without copied line numbers, or at another indentation.

Only the side that is looked for is ever relaxed; what replaces it is changed in its indentation alone, and a relaxed
match counts only as whole lines. Must not choose between several places: it names them.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from agent.edits.indentation import indentation, indented, standing, without

MAX_PLACES = 10_000
"""Places found at most: a text that stands more often than this is no quotation. Bounds the memory of a search."""
_SHOWN_NUMBER = re.compile(
    r"^(?:\d+\t|\d+:|\t)"
)  # as pages and searches show lines; the tab alone: the number got lost
_NUMBERED = re.compile(r"^\d+(?:\.\d+)?\t", re.MULTILINE)
_COUNTED = re.compile(r"^\d+(?:\.\d+\t|\t|:)", re.MULTILINE)


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
    r"""Where `old` stands, in the first of the three ways that finds it; texts with `\n` endings, `old` not empty.

    A `\n` of it stands for `\r\n` as well: the search goes through the body with `\n` endings alone.
    """
    flat = body.replace(b"\r\n", b"\n")
    found = _found(flat, old, new)
    return found if len(flat) == len(body) else replace(found, places=_moved(found.places, flat, body))


def _found(flat: bytes, old: str, new: str) -> Found:
    spans = _literal(flat, old)
    if spans:
        return Found(how=How.LITERAL, places=tuple(Place(begin=b, end=e, text=new) for b, e in spans))
    quoted = unnumbered(old)
    if quoted not in (old, ""):
        spans = [span for span in _literal(flat, quoted) if _starts_line(flat, span[0])]
        if spans:
            text = _untabbed(new) if all(line.startswith("\t") for line in old.split("\n") if line) else new
            return Found(how=How.UNNUMBERED, places=tuple(Place(begin=b, end=e, text=text) for b, e in spans))
    quote = indentation(old)
    if not quote:
        return Found(how=How.REINDENTED, places=())
    moved = without(new, quote)
    places = (
        Place(begin=begin, end=end, text=indented(moved, lead))
        for begin, end, lead in standing(flat, without(old, quote), MAX_PLACES)
    )
    return Found(how=How.REINDENTED, places=tuple(places), moved=moved)


def _literal(flat: bytes, old: str) -> list[tuple[int, int]]:
    """Non-overlapping spans of the text."""
    needle = old.encode()
    spans: list[tuple[int, int]] = []
    at = flat.find(needle)
    while at >= 0 and len(spans) <= MAX_PLACES:
        spans.append((at, at + len(needle)))
        at = flat.find(needle, at + len(needle))
    return spans


def _starts_line(flat: bytes, at: int) -> bool:
    return at == 0 or flat[at - 1 : at] == b"\n"


def _untabbed(text: str) -> str:
    """Without a leading tab on each line, when every filled line has one: it belongs to the quotation there as well."""
    filled = [line for line in text.split("\n") if line]
    return without(text, "\t") if all(line.startswith("\t") for line in filled) else text


def _moved(places: tuple[Place, ...], flat: bytes, body: bytes) -> tuple[Place, ...]:
    """Places in the flat body as places in the real one, where lines may end in one byte more."""
    real = _offsets([edge for place in places for edge in (place.begin, place.end)], flat, body)
    return tuple(replace(place, begin=next(real), end=next(real)) for place in places)


def _offsets(edges: Iterable[int], flat: bytes, body: bytes) -> Iterator[int]:
    """Rising offsets of the flat body as offsets of the real one: lines are as many, and differ at their very end."""
    line_flat = line_real = 0
    for edge in edges:
        newline = flat.find(b"\n", line_flat, edge)
        while newline >= 0:
            line_flat, line_real = newline + 1, body.index(b"\n", line_real) + 1
            newline = flat.find(b"\n", line_flat, edge)
        yield line_real + edge - line_flat
