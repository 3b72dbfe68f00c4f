"""Finds the longest head and tail of a text that do occur when all of it does not; must not match anything loosely.

A piece of a piece stands wherever the piece does: all of them stand in the lines that hold the shortest ones. Those are
fetched by one search, whatever the length, and the longest is found among them by halving.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice

from agent.edits.content import is_binary
from agent.errors import WorkspaceError
from agent.ports import Workspace
from agent.tools.locate import shown

MIN_PIECE = 4
MAX_NAMES = 6
_NAME_BYTES = 768
"""Of file names in one piece's row."""
_SHOWN = 90  # characters of a piece that are shown
_COUNTED = 100  # files counted at most
Lines = Mapping[str, bytes]
"""Path -> some of its lines, with their case folded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A part of a pattern that occurs, case ignored."""

    text: str
    files: tuple[str, ...]
    """Where, the first few in order; one path when one file was searched."""
    count: int
    """In how many files, counted up to 100."""

    def render(self) -> str:
        """For a reader: the piece, in how many files it is, and some of their names."""
        names: list[str] = []
        for name in map(shown, self.files):
            if sum(map(len, names)) + len(name) <= _NAME_BYTES:
                names.append(name)
        text = self.text if len(self.text) <= _SHOWN else self.text[:_SHOWN] + " ..."
        many = f"{_COUNTED} or more files" if self.count >= _COUNTED else f"{self.count} files"
        many = "1 file" if self.count == 1 else many
        return f"{text!r} occurs in {many}: {', '.join(names)}{', ...' if self.count > len(names) else ''}"


def heads_and_tails(pattern: str) -> tuple[Sequence[str], Sequence[str]]:
    """Pieces of four characters and more from the front and from the back, growing; none of a pattern that short."""
    size = len(pattern)
    heads = [pattern[:end] for end in range(MIN_PIECE, size)]
    tails = [pattern[start:] for start in range(size - MIN_PIECE, 0, -1)]
    return heads, tails


def pieces_in_tree(workspace: Workspace, pattern: str, under: str, lines: Lines | None) -> tuple[Piece, ...]:
    """The longest head and tail in a folder; `lines`: those with the shortest of both, None for not known."""
    texts = cache(lambda path: _is_text(workspace, path))

    def files(text: str) -> tuple[str, ...]:
        if lines is None:
            return tuple(islice(workspace.grep(text, ignore_case=True, under=under), _COUNTED))
        return tuple(islice(filter(texts, paths_with(text, lines)), _COUNTED))

    return _distinct(_longest(growing, files) for growing in heads_and_tails(pattern))


def pieces_in_file(folded: bytes, pattern: str, path: str) -> tuple[Piece, ...]:
    """The longest head and tail in one file, given with its case folded."""

    def files(text: str) -> tuple[str, ...]:
        return (path,) if text.encode().lower() in folded else ()

    return _distinct(_longest(growing, files) for growing in heads_and_tails(pattern))


def paths_with(text: str, lines: Lines) -> list[str]:
    """Where a text stands, ASCII case ignored, sorted; the lines are folded already."""
    wanted = text.encode().lower()
    return sorted(path for path, folded in lines.items() if wanted in folded)


def _is_text(workspace: Workspace, path: str) -> bool:
    try:
        return not is_binary(workspace.read(path))
    except WorkspaceError:
        return False


def _longest(growing: Sequence[str], files: Callable[[str], tuple[str, ...]]) -> Piece | None:
    """The last piece that stands in any file: each is part of the next, so those that do come first."""
    size = bisect_left(growing, True, key=lambda text: not files(text))
    if not size:
        return None
    found = files(growing[size - 1])
    return Piece(text=growing[size - 1], files=found[:MAX_NAMES], count=len(found))


def _distinct(pieces: Iterable[Piece | None]) -> tuple[Piece, ...]:
    """One and the same piece on both edges is named once."""
    found: dict[str, Piece] = {}
    for piece in pieces:
        if piece is not None:
            found.setdefault(piece.text.lower(), piece)
    return tuple(found.values())
