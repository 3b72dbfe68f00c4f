"""Finds the longest head and tail of a text that do occur when all of it does not; must not match anything loosely.

A piece of a piece occurs wherever the piece does, so the longest one is found by halving, and as soon as few files are
left they are looked at in memory: a handful of searches, whatever the length.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
_COUNTED = 100
"""Files counted at most; also how many may lie in memory, each up to 1 MiB."""


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


def pieces(workspace: Workspace, pattern: str, path: str, *, folder: bool) -> tuple[Piece, ...]:
    """The longest head and tail of at least four characters that occur; one and the same piece is reported once."""
    size = len(pattern)
    heads = [pattern[:end] for end in range(MIN_PIECE, size)]
    tails = [pattern[start:] for start in range(size - MIN_PIECE, 0, -1)]
    found: list[Piece] = []
    for growing in (heads, tails):
        piece = _longest(workspace, growing, path, folder=folder)
        if piece is not None and piece.text.lower() not in {one.text.lower() for one in found}:
            found.append(piece)
    return tuple(found)


def _longest(workspace: Workspace, growing: Sequence[str], path: str, *, folder: bool) -> Piece | None:
    """The last of the pieces, each part of the next, that occurs in a file at all."""
    texts = None if folder else _loaded(workspace, (path,))
    best, low, high, probe = None, 0, len(growing), 0
    while low < high:
        piece = growing[probe]
        files = _holding(workspace, piece, path, texts)
        if files:
            best, low = Piece(text=piece, files=files[:MAX_NAMES], count=len(files)), probe + 1
            if texts is None and len(files) < _COUNTED:
                texts = _loaded(workspace, files)
        else:
            high = probe
        probe = (low + high) // 2
    return best


def _holding(workspace: Workspace, piece: str, path: str, texts: Mapping[str, bytes] | None) -> tuple[str, ...]:
    if texts is None:
        return tuple(islice(workspace.grep(piece, ignore_case=True, under=path), _COUNTED))
    wanted = piece.encode().lower()
    return tuple(name for name, content in texts.items() if wanted in content)


def _loaded(workspace: Workspace, files: Sequence[str]) -> Mapping[str, bytes]:
    texts = {}
    for path in files:
        try:
            content = workspace.read(path)
        except WorkspaceError:
            continue
        if not is_binary(content):
            texts[path] = content.lower()
    return texts
