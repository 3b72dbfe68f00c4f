"""Reads a reply in sentinel form, `<<<PATH>>> <<<OLD>>> <<<NEW>>> <<<END>>>`, into hunks; applies nothing itself.

A reply with any other shape is malformed with a reason: half a reply is never half applied.
"""

import re
from dataclasses import dataclass

from agent.domain.edit import Hunk

_MARK = re.compile(r"^<<<(PATH|OLD|NEW|DELETE|END)>>>[ \t]*\r?$", re.MULTILINE)
_REPLACE = ("PATH", "OLD", "NEW", "END")
_DELETE = ("PATH", "DELETE", "END")
_FORMS = (_REPLACE, _DELETE)


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
    if not marks:
        return Malformed(
            reason="no change was written: a group needs PATH, OLD, NEW and END, each on a line of its own"
        )
    hunks: list[Hunk] = []
    while marks:
        names = tuple(mark[1] for mark in marks)
        form = next((one for one in _FORMS if names[: len(one)] == one), None)
        if form is None:
            return Malformed(
                reason="the marks of a group are PATH, OLD, NEW, END, or PATH, DELETE, END, in this order and each on "
                f"a line of its own; here stands {', '.join(names[:4])}"
            )
        group, marks = marks[: len(form)], marks[len(form) :]
        path = _between(reply, group[0], group[1]).strip()
        if not path or "\n" in path:
            return Malformed(reason="the path of a group is empty or more than one line")
        hunks.append(_hunk(reply, path, group))
    return tuple(hunks)


def _hunk(reply: str, path: str, group: list[re.Match[str]]) -> Hunk:
    if len(group) == len(_DELETE):
        return Hunk(path=path, delete=True)
    return Hunk(path=path, old=_between(reply, group[1], group[2]), new=_between(reply, group[2], group[3]))


def _between(reply: str, opening: re.Match[str], closing: re.Match[str]) -> str:
    """The text between two marks without one newline of framing on either side."""
    text = reply[opening.end() : closing.start()].removeprefix("\n")
    if text.endswith("\r\n"):
        return text[:-2]
    return text.removesuffix("\n")
