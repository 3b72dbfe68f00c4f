"""Replaces a quoted text in a file's bytes, once or wherever it stands; must not guess and must not touch a disk.

The rules in their order: nothing to change, copied line numbers, bytes that are no text, an empty quotation (it fills
an empty file and no other), then the search of `matching`, and how often it found it. What is refused changed nothing;
what succeeds changed the matched bytes alone: byte order mark, endings and foreign bytes elsewhere stay.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from agent.edits.content import BOM, ending_near, is_binary, is_utf8
from agent.edits.indentation import keeps_indentation
from agent.edits.matching import MAX_PLACES, Found, How, Place, find, numbered, unnumbered
from agent.edits.nearest import Nearest, nearest

_QUOTED = 400  # characters of the given text that a refusal repeats


class Why(StrEnum):
    """Reasons a replacement is refused."""

    SAME = "same"
    NUMBERED = "numbered"
    EXISTS = "exists"
    BINARY = "binary"
    NO_TEXT = "no text"
    ENCODING = "encoding"
    ABSENT = "absent"
    AMBIGUOUS = "ambiguous"
    INDENTATION = "indentation"


@dataclass(frozen=True, slots=True, kw_only=True)
class Replaced:
    """The file as it is afterwards."""

    content: bytes
    spans: tuple[tuple[int, int], ...]
    """Which bytes of the old content were taken out, in order: begin and end."""
    how: How = How.LITERAL

    @property
    def count(self) -> int:
        """How many places were replaced."""
        return len(self.spans)


@dataclass(frozen=True, slots=True, kw_only=True)
class NotReplaced:
    """Why nothing was changed."""

    why: Why
    reason: str
    near: Nearest | None = None

    def render(self) -> str:
        """For a reader: the reason, and the closest lines of the file where there are any."""
        return f"{self.reason}\n{self.near.render()}" if self.near else self.reason


def replace(content: bytes, old: str, new: str, *, everywhere: bool = False) -> Replaced | NotReplaced:
    r"""Put `new` where `old` stands: at its only place, or with `everywhere` at each of them.

    `\n` in `old` stands for `\r\n` too, and `new` takes the line ending of the place it comes to. A `new` that is empty
    takes the ending of the lines it removes with it.
    """
    old, new = _plain(old), _plain(new)
    mark = BOM if content.startswith(BOM) else b""
    body = content[len(mark) :]
    refused = unwritable(old, new) or _unfit(content, old, new)
    if refused:
        return refused
    if not old:
        return _checked(content, Replaced(content=mark + new.encode(), spans=((len(mark), len(mark)),)))
    found = find(body, old, new)
    refused = _nowhere(found, body, old, new) if not found.places else _undecided(found, body, old, new, everywhere)
    if refused:
        return refused
    shift = len(mark)
    spans = tuple((begin + shift, end + shift) for begin, end in _spans(body, found.places, old))
    return _checked(content, Replaced(content=mark + _spliced(body, found.places, old), spans=spans, how=found.how))


def _checked(before: bytes, result: Replaced) -> Replaced | NotReplaced:
    """The result, unless it is the file as it was, or begins with a byte order mark that was none before."""
    if result.content == before:
        return NotReplaced(why=Why.SAME, reason="the replacement leaves the file as it is: nothing was changed")
    if result.content.startswith(BOM) and not before.startswith(BOM):
        reason = "the file would begin with a byte order mark and did not before: nothing was changed"
        return NotReplaced(why=Why.NO_TEXT, reason=reason)
    return result


def numbered_rows(text: str, *, colons: bool = False) -> NotReplaced | None:
    """A refusal when the text holds lines with the numbers of a page before them, which belong to the display."""
    rows, lines = numbered(text, colons=colons), text.removesuffix("\n").count("\n") + 1
    if not rows:
        return None
    reason = (
        f"{rows} of {lines} lines begin with a line number, which belongs to the display and not to the file:"
        " give the lines without it. Nothing was changed"
    )
    return NotReplaced(why=Why.NUMBERED, reason=reason)


def not_text(text: str) -> NotReplaced | None:
    """A refusal when the text cannot be written as UTF-8, or would make a binary file of the one it comes to."""
    try:
        text.encode()
    except UnicodeEncodeError:
        reason = "the given text holds code points that no encoding can write: nothing was changed"
        return NotReplaced(why=Why.NO_TEXT, reason=reason)
    if "\0" in text:
        return NotReplaced(why=Why.NO_TEXT, reason="the given text holds a NUL byte: nothing was changed")
    return None


def _plain(text: str) -> str:
    return text.removeprefix("\ufeff").replace("\r\n", "\n")


def unwritable(old: str, new: str) -> NotReplaced | None:
    """What speaks against the two texts whatever the file is; a quotation with numbers may be one from such a file."""
    if old == new:
        return NotReplaced(why=Why.SAME, reason="old and new text are the same: there is nothing to change")
    return not_text(old) or not_text(new) or (None if numbered(old) else numbered_rows(new))


def _unfit(content: bytes, old: str, new: str) -> NotReplaced | None:
    """What speaks against this file before anything is looked for."""
    if is_binary(content):
        return NotReplaced(why=Why.BINARY, reason="it is a binary file, which is no matter for a text edit")
    if not old and content.removeprefix(BOM):
        reason = "the file exists already: name the text to replace (an empty old text fills an empty file only)"
        return NotReplaced(why=Why.EXISTS, reason=reason)
    if not new.isascii() and not is_utf8(content):
        reason = (
            "the file is not UTF-8 and the new text is not ASCII: it would mix two encodings in one file."
            " Nothing was changed; write the new text with escapes or in ASCII"
        )
        return NotReplaced(why=Why.ENCODING, reason=reason)
    return None


def _nowhere(found: Found, body: bytes, old: str, new: str) -> NotReplaced:
    """What to say when the text was not found: the closest lines, and what stands in the way of quoting some."""
    refused = numbered_rows(new) or numbered_rows(found.moved)
    if refused:
        return refused
    near = nearest(body, unnumbered(old))
    what = "does not stand in the file" if near else "does not stand in the file, nor does any part of it"
    bytes_shown = "\\x" in old and not is_utf8(body)
    hint = "; its bytes that are no UTF-8, shown as \\xNN, cannot be quoted: leave them out" if bytes_shown else ""
    return NotReplaced(why=Why.ABSENT, reason=f"the old text {what}: {_quoted(old)}{hint}", near=near)


def _undecided(found: Found, body: bytes, old: str, new: str, everywhere: bool) -> NotReplaced | None:
    """Why what was found is not what was meant, or not clearly."""
    places = found.places
    if found.how is not How.LITERAL:
        refused = numbered_rows(new, colons=found.how is How.UNNUMBERED) or numbered_rows(found.moved)
        if refused:
            return refused
    if len(places) > 1 and not (everywhere and found.how is How.LITERAL and len(places) <= MAX_PLACES):
        return NotReplaced(why=Why.AMBIGUOUS, reason=_several(found, body))
    if found.how is How.REINDENTED and not keeps_indentation(old, new):
        reason = (
            "the old text stands in the file at another indentation, and the new text is indented less than the old:"
            " where its lines belong cannot be told. Give both as they are to stand in the file"
        )
        return NotReplaced(why=Why.INDENTATION, reason=reason)
    return None


def _several(found: Found, body: bytes) -> str:
    many = len(found.places)
    times = f"more than {MAX_PLACES}" if many > MAX_PLACES else str(many)
    lines = ", ".join(str(body.count(b"\n", 0, place.begin) + 1) for place in found.places[:5])
    how = "" if found.how is How.LITERAL else f" {found.how}"
    more = ", ..." if many > 5 else ""
    return (
        f"the old text stands in the file {times} times{how} (lines {lines}{more}), and one place is needed:"
        " give more of the lines around it. Nothing was changed"
    )


def _quoted(text: str) -> str:
    return repr(text if len(text) <= _QUOTED else text[:_QUOTED] + " ...")


def _spans(body: bytes, places: tuple[Place, ...], old: str) -> list[tuple[int, int]]:
    """The bytes to take out: the places, and the endings of whole lines that go without a replacement."""
    if places[0].text or old.endswith("\n"):
        return [(place.begin, place.end) for place in places]
    return [(place.begin, _line_end(body, place)) for place in places]


def _line_end(body: bytes, place: Place) -> int:
    """Past the ending that follows, when the place begins a line: half a line leaves the rest of its line alone."""
    ending = re.compile(rb"\r?\n").match(body, place.end)
    starts = place.begin == 0 or body[place.begin - 1 : place.begin] == b"\n"
    return ending.end() if ending and starts else place.end


def _spliced(body: bytes, places: tuple[Place, ...], old: str) -> bytes:
    spans = _spans(body, places, old)
    pieces = [body[: spans[0][0]]]
    for place, (span, following) in zip(places, pairwise([*spans, (len(body), len(body))]), strict=True):
        pieces.append(_fitted(place.text, body[place.begin : place.end], ending_near(body, *span)))
        pieces.append(body[span[1] : following[0]])
    return b"".join(pieces)


def _fitted(text: str, matched: bytes, ending: bytes) -> bytes:
    """The text with the place's line ending; first and last lines that stay keep whichever ending they have."""
    rows, there = text.encode().split(b"\n"), matched.split(b"\n")
    endings = [ending] * (len(rows) - 1)
    for index, (row, old) in enumerate(zip(rows[:-1], there[:-1], strict=False)):
        if row != old.removesuffix(b"\r"):
            break
        endings[index] = old[len(row) :] + b"\n"
    for index in range(1, min(len(rows), len(there))):
        if rows[-index] != (there[-index] if index == 1 else there[-index].removesuffix(b"\r")):
            break
        before = there[-index - 1]
        endings[-index] = b"\r\n" if before.endswith(b"\r") else b"\n"
    return b"".join(row + end for row, end in zip(rows, [*endings, b""], strict=True))
