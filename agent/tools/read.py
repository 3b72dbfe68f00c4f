"""One page of a file as numbered lines; takes bytes, returns a value, and never raises on odd content."""

from dataclasses import dataclass

PAGE_LINES = 200  # one read; stays under the 255-option cap of a Choice over lines


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What a read shows."""

    text: str
    """`number<TAB>line` rows joined by newlines, or a sentence when there is nothing to show."""
    lines: int
    """Lines of the whole file; a final newline does not open another one."""
    done: bool
    """The page reached the last line, or there is nothing to read."""


def read_page(content: bytes, *, offset: int = 1, limit: int = PAGE_LINES) -> Page:
    """Lines `offset`.. (1-based; 0 is the same as 1), at most `limit` (0: to the end).

    A byte order mark and the `\\r` of a `\\r\\n` are not shown; bytes that are not UTF-8 are shown as escapes.
    """
    if b"\0" in content[:8192]:
        return Page(text="binary file: not shown", lines=0, done=True)
    text = content.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "backslashreplace")
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    if not lines:
        return Page(text="empty file", lines=0, done=True)
    first = max(offset, 1)
    if first > len(lines):
        return Page(text=f"line {first} is past the end: the file has {len(lines)} lines", lines=len(lines), done=True)
    last = len(lines) if limit <= 0 else min(len(lines), first + limit - 1)
    rows = (f"{number}\t{lines[number - 1].removesuffix(chr(13))}" for number in range(first, last + 1))
    return Page(text="\n".join(rows), lines=len(lines), done=last == len(lines))
