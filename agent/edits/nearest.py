"""Finds the lines of a file that come closest to a text which does not stand in it, as a hint; must not match loosely.

The hint shows true line numbers and the true indentation, so that the next attempt can quote what is there.
"""

from dataclasses import dataclass

MIN_LENGTH = 8
"""Characters that have to be the same: shorter pieces stand in every file."""
MAX_ROWS = 4
MAX_ROW = 200
_TRIED = 100  # lines of the text that are looked for: bounds the time on a large file


@dataclass(frozen=True, slots=True, kw_only=True)
class Nearest:
    """Lines of the file from the closest one on."""

    line: int
    """Number of the first, 1-based."""
    rows: tuple[str, ...]
    """At most four lines, each cut at 200 characters."""

    def render(self) -> str:
        """For a reader: `number:line` rows under a heading."""
        rows = "\n".join(f"{number}:{row}" for number, row in enumerate(self.rows, start=self.line))
        return f"the closest text in the file is:\n{rows}"


def nearest(body: bytes, text: str) -> Nearest | None:
    """Where the longest beginning of the first line of `text` that occurs at all does occur; None: no part does."""
    for line in text.split("\n")[:_TRIED]:
        wanted = line.strip()[:MAX_ROW]
        at = _longest_prefix(body, wanted) if len(wanted) >= MIN_LENGTH else -1
        if at >= 0:
            return _shown(body, at)
    return None


def _longest_prefix(body: bytes, wanted: str) -> int:
    """Offset of the longest prefix of at least `MIN_LENGTH` characters; -1 for none. A prefix of a hit is a hit."""
    at = body.find(wanted[:MIN_LENGTH].encode())
    if at < 0:
        return -1
    good, bad = MIN_LENGTH, len(wanted) + 1
    while bad - good > 1:
        middle = (good + bad) // 2
        found = body.find(wanted[:middle].encode(), at)
        good, bad, at = (middle, bad, found) if found >= 0 else (good, middle, at)
    return at


def _shown(body: bytes, at: int) -> Nearest:
    begin = body.rfind(b"\n", 0, at) + 1
    rows: list[str] = []
    here = begin
    while here < len(body) and len(rows) < MAX_ROWS:
        end = body.find(b"\n", here)
        end = len(body) if end < 0 else end
        rows.append(_clipped(body[here : min(end, here + 4 * MAX_ROW)]))
        here = end + 1
    return Nearest(line=body.count(b"\n", 0, begin) + 1, rows=tuple(rows))


def _clipped(row: bytes) -> str:
    return row.removesuffix(b"\r").decode(errors="backslashreplace")[:MAX_ROW]
