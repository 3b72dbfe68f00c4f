"""One page of a file as numbered lines; takes bytes, returns a value, and never raises on odd content.

Rows are counted as a viewer does: after a final newline there is one more, empty row.
"""

from dataclasses import dataclass
from enum import StrEnum

from agent.edits.content import BOM, is_binary
from agent.errors import WorkspaceError
from agent.ports import Workspace
from agent.tools.locate import existing, shown
from agent.tools.refused import Refused

PAGE_LINES = 200  # one read; stays under the 255-option cap of a Choice over lines
MAX_WHOLE = 262_144
"""Bytes of the largest file that is read without a limit (bendcoder's cap), and of the largest page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Consecutive rows of a file."""

    begin: int
    """Number of the first row, 1-based."""
    rows: tuple[str, ...]
    total: int
    """Rows of the whole file."""
    done: bool
    """Nothing but the empty row behind a final newline comes after it."""

    @property
    def end(self) -> int:
        """Number of the last row."""
        return self.begin + len(self.rows) - 1

    def render(self) -> str:
        """For a reader: `number<TAB>line` rows."""
        return "\n".join(f"{number}\t{row}" for number, row in enumerate(self.rows, start=self.begin))


class Why(StrEnum):
    """Reasons there is nothing to show."""

    EMPTY = "the file is empty"
    BINARY = "binary file: not shown"
    PAST_END = "past the end"


@dataclass(frozen=True, slots=True, kw_only=True)
class Blank:
    """A file was read and has no rows to show."""

    why: Why
    asked: int = 1
    """The row that was asked for."""
    total: int = 0
    """Rows of the whole file."""
    begin: int = 0
    end: int = 0
    """No rows are shown."""
    done: bool = True

    def render(self) -> str:
        """For a reader: one sentence."""
        if self.why is Why.PAST_END:
            return f"line {self.asked} is past the end: the file has {self.total} lines"
        return self.why.value


def read(workspace: Workspace, path: str, *, offset: int = 1, limit: int = PAGE_LINES) -> Page | Blank | Refused:
    """A page of a file of the run; refused when there is none, or when all of a large file is asked for."""
    place = existing(workspace, path)
    if isinstance(place, Refused):
        return place
    try:
        content = workspace.read(place.path)
    except WorkspaceError as error:
        return Refused(reason=str(error))
    if limit <= 0 and len(content) > MAX_WHOLE:
        size = f"{len(content)} bytes and more than {MAX_WHOLE} are not read at once"
        return Refused(reason=f"{shown(place.path)} has {size}: read it by pages, with an offset and a limit")
    return read_page(content, offset=offset, limit=limit)


def read_page(content: bytes, *, offset: int = 1, limit: int = PAGE_LINES) -> Page | Blank:
    """Rows `offset`.. (1-based; 0 is the same as 1), at most `limit` (0: to the end) and at most `MAX_WHOLE` bytes.

    A byte order mark and the `\\r` of a `\\r\\n` are not shown; bytes that are not UTF-8 are shown as escapes. A single
    row that is larger than a page is cut and marked.
    """
    if is_binary(content):
        return Blank(why=Why.BINARY)
    at = len(BOM) if content.startswith(BOM) else 0
    if at == len(content):
        return Blank(why=Why.EMPTY)
    first, total = max(offset, 1), content.count(b"\n") + 1
    if first > total:
        return Blank(why=Why.PAST_END, asked=first, total=total)
    for _ in range(first - 1):
        at = content.find(b"\n", at) + 1
    rows, at = _rows(content, at, limit if limit > 0 else total)
    return Page(begin=first, rows=tuple(rows), total=total, done=at >= len(content))


def _rows(content: bytes, at: int, limit: int) -> tuple[list[str], int]:
    """Rows from an offset on and where the next one begins: past the end of the content when there is none."""
    rows: list[str] = []
    room = MAX_WHOLE
    while len(rows) < limit and at <= len(content):
        newline = content.find(b"\n", at)
        end = newline if newline >= 0 else len(content)
        if rows and end - at > room:
            break
        room -= end - at + 1
        rows.append(_row(content[at : min(end, at + MAX_WHOLE)], cut=end - at > MAX_WHOLE, ended=newline >= 0))
        at = end + 1
    return rows, at


def _row(line: bytes, *, cut: bool, ended: bool) -> str:
    shown_part = line.removesuffix(b"\r") if ended and not cut else line
    return shown_part.decode("utf-8", "backslashreplace") + (" ... (cut)" if cut else "")
