"""Shows whole lines of a file within a limit: all of them, or windows around the lines that matter; never rewraps."""

import re
from collections.abc import Iterable, Sequence

Span = tuple[int, int]
"""First and last line, 1-based and inclusive."""

_LINE = re.compile(r"[^\n]*\n|[^\n]+\Z")
_BESIDE = 1  # lines either side of a window that touch another one: two windows with nothing between are one


def lines_of(content: bytes) -> list[str]:
    r"""Lines with their `\n`; `\r\n` is shown as `\n`, a byte order mark is not shown, other bytes become escapes."""
    text = content.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "backslashreplace")
    return _LINE.findall(text.replace("\r\n", "\n"))


def windows(lines: Sequence[str], cores: Iterable[Span], limit: int, frame: int) -> tuple[Span, ...]:
    """Spans in order that hold the cores and, a line at a time on either side of each, as much around them as fits.

    `frame`: characters each window costs besides its lines. Cores come first whatever they cost; one that lies outside
    of the file is none.
    """
    kept = _merged(core for begin, end in cores if (core := (max(begin, 1), min(end, len(lines))))[0] <= core[1])
    room = limit - sum(frame + _size(lines, span) for span in kept)
    open_ends = [True] * len(kept)
    spans = [list(span) for span in kept]
    while any(open_ends):
        for place, span in enumerate(spans):
            if open_ends[place]:
                cost = _grown(lines, span, room)
                room -= cost
                open_ends[place] = cost > 0
    return _merged((begin, end) for begin, end in spans)


def clipped(lines: Sequence[str], limit: int, centre: int = 1) -> str:
    """The lines whole when they fit, else those around line `centre` of them, with a row that says what was cut."""
    text = "".join(lines)
    if len(text) <= limit or not text:
        return text
    room = limit - 2 * len(_cut(len(lines)))
    centre = min(max(centre, 1), len(lines))
    if len(lines[centre - 1]) > room:
        return clip_head(lines[centre - 1], limit)
    begin, end = windows(lines, [(centre, centre)], room, 0)[0]
    before, after = begin - 1, len(lines) - end
    body = "".join(lines[begin - 1 : end])
    return (_cut(before) if before else "") + body + (_cut(after) if after else "")


def clip_head(text: str, limit: int) -> str:
    """The beginning of a text, and a marker where it was cut; together at most `limit` characters."""
    if len(text) <= limit:
        return text
    marker = f"\n... ({len(text)} characters in all, cut here)\n"
    return text[: max(0, limit - len(marker))] + marker[: max(0, limit)]


def clip_rows(text: str, limit: int) -> str:
    """The first whole rows of a text, and how many are left out; together at most `limit` characters."""
    if len(text) <= limit:
        return text
    rows = text.split("\n")
    marker = f"... ({len(rows)} in all)"
    kept = text[: max(0, limit - len(marker))].rpartition("\n")[0]
    return (f"{kept}\n{marker}" if kept else marker)[: max(0, limit)]


def _cut(count: int) -> str:
    return f"... ({count} lines cut)\n"


def _grown(lines: Sequence[str], span: list[int], room: int) -> int:
    """Take one more line on either side while there is room; what that cost."""
    cost = 0
    if span[0] > 1 and len(lines[span[0] - 2]) <= room:
        span[0] -= 1
        cost += len(lines[span[0] - 1])
    if span[1] < len(lines) and len(lines[span[1]]) <= room - cost:
        span[1] += 1
        cost += len(lines[span[1] - 1])
    return cost


def _merged(spans: Iterable[Span]) -> tuple[Span, ...]:
    merged: list[Span] = []
    for begin, end in sorted(spans):
        if merged and begin <= merged[-1][1] + _BESIDE:
            merged[-1] = merged[-1][0], max(merged[-1][1], end)
        else:
            merged.append((begin, end))
    return tuple(merged)


def _size(lines: Sequence[str], span: Span) -> int:
    return sum(len(line) for line in lines[span[0] - 1 : span[1]])
