"""Reads a reply in sentinel form, `<<<PATH>>> <<<OLD>>> <<<NEW>>> <<<END>>>`, into hunks; applies nothing itself.

A reply with any other shape is malformed with a reason: half a reply is never half applied.
"""

import re
from dataclasses import dataclass
from itertools import pairwise

_MARK = re.compile(r"^<<<(PATH|OLD|NEW|END)>>>[ \t]*\r?$", re.MULTILINE)
_ORDER = ("PATH", "OLD", "NEW", "END")


@dataclass(frozen=True, slots=True, kw_only=True)
class Hunk:
    """One replacement in one file; an empty `old` creates the file."""

    path: str
    old: str
    new: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Malformed:
    """Why a reply cannot be used; nothing of it may be applied."""

    reason: str


def is_sentinel(reply: str) -> bool:
    """Whether the reply means to be in this form at all."""
    return any(match[1] == "PATH" for match in _MARK.finditer(reply))


def parse(reply: str) -> tuple[Hunk, ...] | Malformed:
    """All hunks of a reply in order; text before the first PATH and after the last END is ignored.

    One newline after an opening mark and one before the next mark are framing; all else is content.
    """
    marks = list(_MARK.finditer(reply))
    if not marks or len(marks) % len(_ORDER):
        return Malformed(reason="a hunk needs PATH, OLD, NEW and END, each on a line of its own")
    if tuple(match[1] for match in marks) != _ORDER * (len(marks) // len(_ORDER)):
        return Malformed(reason="the marks stand in another order than PATH, OLD, NEW, END")
    sections = [_between(reply, first.end(), second.start()) for first, second in pairwise(marks)]
    hunks = []
    for index in range(0, len(marks), len(_ORDER)):
        path, old, new = sections[index : index + 3]
        if not path.strip() or "\n" in path.strip():
            return Malformed(reason="the path of a hunk is empty or more than one line")
        hunks.append(Hunk(path=path.strip(), old=old, new=new))
    return tuple(hunks)


def _between(reply: str, begin: int, end: int) -> str:
    """The text between two marks without one newline of framing on either side."""
    text = reply[begin:end].removeprefix("\n")
    if text.endswith("\r\n"):
        return text[:-2]
    return text.removesuffix("\n")
