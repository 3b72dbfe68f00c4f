"""Finds the longest head and tail of a text that do occur when all of it does not; must not match anything loosely.

A piece of a piece stands wherever the piece does: all of them stand in the lines that hold the shortest, which are
fetched at once and halved through in memory. What comes out is looked up again, now in the run's own files.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from agent.ports import Workspace
from agent.tools.locate import shown

MIN_PIECE = 4
MAX_NAMES = 6
_NAME_BYTES = 768
"""Of file names in one piece's row."""
_SHOWN = 90  # characters of a piece that are shown
_COUNTED = 100  # files counted at most


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


def pieces_in_tree(workspace: Workspace, pattern: str, under: str, hint: bytes | None) -> tuple[Piece, ...]:
    """The longest head and tail in a folder; `hint`: lines that hold the shortest ones, folded, None for not known."""
    return _distinct(_in_tree(workspace, growing, under, hint) for growing in heads_and_tails(pattern))


def pieces_in_file(folded: bytes, pattern: str, path: str) -> tuple[Piece, ...]:
    """The longest head and tail in one file, given with its case folded."""
    pieces = heads_and_tails(pattern)
    sizes = [(growing, _occurring(growing, lambda text: stands(text, folded))) for growing in pieces]
    return _distinct(Piece(text=growing[size - 1], files=(path,), count=1) if size else None for growing, size in sizes)


def stands(text: str, folded: bytes) -> bool:
    """Whether a text stands in content, ASCII case ignored; the content is folded already."""
    return text.encode().lower() in folded


def _in_tree(workspace: Workspace, growing: Sequence[str], under: str, hint: bytes | None) -> Piece | None:
    def files(size: int) -> tuple[str, ...]:
        names = workspace.grep(growing[size - 1], ignore_case=True, under=under) if size else ()
        return tuple(islice(names, _COUNTED))

    size = len(growing) if hint is None else _occurring(growing, lambda text: stands(text, hint))
    found = files(size)
    if size and not found:  # the lines were too many, or of files that are not the run's
        size = bisect_left(range(1, size), True, key=lambda one: not files(one))
        found = files(size)
    return Piece(text=growing[size - 1], files=found[:MAX_NAMES], count=len(found)) if found else None


def _occurring(growing: Sequence[str], occurs: Callable[[str], bool]) -> int:
    """How many of the pieces occur: each is part of the next, so those that do come first."""
    return bisect_left(growing, True, key=lambda text: not occurs(text))


def _distinct(pieces: Iterable[Piece | None]) -> tuple[Piece, ...]:
    """One and the same piece on both edges is named once."""
    found: dict[str, Piece] = {}
    for piece in pieces:
        if piece is not None:
            found.setdefault(piece.text.lower(), piece)
    return tuple(found.values())
