"""Literal search through the tracked files of a Workspace, with what nearly matched; never a pattern language.

A miss is a fact with its own field, not a text to be guessed at: a source line that says `error:` is not an error. The
Workspace names the files that hold the text, in order; only as many of them are read as matches are shown.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from agent.edits.content import BOM, is_binary
from agent.errors import WorkspaceError
from agent.ports import Workspace
from agent.tools.locate import Located, locate, shown
from agent.tools.near import Piece, heads_and_tails, paths_with, pieces_in_file, pieces_in_tree
from agent.tools.refused import Refused

MAX_MATCHES = 200
MAX_LINE = 500
MAX_FILE = 1024 * 1024
"""Bytes of the largest file that is searched."""
CONTEXT = 3
"""Lines shown on either side of a match."""
MAX_PATTERN = 1_000
"""Characters of the longest text that is searched for: whoever gives more has pasted something."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of a file."""

    line: int
    text: str
    hit: bool
    """False: it stands near a line that holds the text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Consecutive lines of one file, at least one of them a hit."""

    path: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """One line that holds the text."""

    path: str
    line: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The answer to one search."""

    pattern: str
    blocks: tuple[Block, ...] = ()
    ignored_case: bool = False
    """True: nothing matched exactly, these match when case is ignored."""
    truncated: bool = False
    near: tuple[Piece, ...] = ()
    """Longest head and tail of the pattern that do occur."""
    named: bool = True
    """Whether rows carry their path: not when one file was searched."""

    @property
    def matches(self) -> tuple[Match, ...]:
        """The lines that hold the text, in order."""
        return tuple(
            Match(path=block.path, line=row.line, text=row.text)
            for block in self.blocks
            for row in block.rows
            if row.hit
        )

    @property
    def missed(self) -> bool:
        """Nothing matched exactly."""
        return not self.blocks or self.ignored_case

    def render(self) -> str:
        """For a reader: `path:line:text` rows, `-` for `:` in those around a match; or what nearly matched."""
        if not self.blocks:
            return "\n".join((f"no matches for {self.pattern!r}", *(piece.render() for piece in self.near)))
        count = len(self.matches)
        lines = f"{count} line{'' if count == 1 else 's'}"
        head = f"no matches for {self.pattern!r}; case-insensitive {lines}:\n" if self.ignored_case else ""
        tail = f"\nstopped after {MAX_MATCHES} matches" if self.truncated else ""
        return head + "\n--\n".join(self._block(block) for block in self.blocks) + tail

    def _block(self, block: Block) -> str:
        path = shown(block.path) if self.named else ""
        marks = ((":" if row.hit else "-", row) for row in block.rows)
        return "\n".join(f"{path}{mark if path else ''}{row.line}{mark}{row.text}" for mark, row in marks)


def grep(workspace: Workspace, pattern: str, path: str = "") -> Found | Refused:
    """Search tracked text files up to 1 MiB: all, those of a folder, or one; refused for what cannot be in one line."""
    where = _where(workspace, pattern, path)
    if isinstance(where, Refused):
        return where
    try:
        return _in_tree(workspace, pattern, where.path) if where.entry is None else _in_file(workspace, pattern, where)
    except WorkspaceError as error:
        return Refused(reason=str(error))


def _in_tree(workspace: Workspace, pattern: str, under: str) -> Found:
    """To the letter; then with case ignored and by pieces, both among the lines that hold the shortest pieces."""
    blocks, truncated = _search(workspace, workspace.grep(pattern, under=under), pattern, ignore_case=False)
    if blocks:
        return Found(pattern=pattern, blocks=blocks, truncated=truncated)
    lines = workspace.lines([pieces[0] for pieces in heads_and_tails(pattern) if pieces] or [pattern], under=under)
    lines = None if lines is None else {path: some.lower() for path, some in lines.items()}
    files = workspace.grep(pattern, ignore_case=True, under=under) if lines is None else paths_with(pattern, lines)
    blocks, truncated = _search(workspace, files, pattern, ignore_case=True)
    if blocks:
        return Found(pattern=pattern, blocks=blocks, truncated=truncated, ignored_case=True)
    return Found(pattern=pattern, near=pieces_in_tree(workspace, pattern, under, lines))


def _in_file(workspace: Workspace, pattern: str, place: Located) -> Found:
    """The same in one file."""
    for ignore_case in (False, True):
        blocks, truncated = _search(workspace, (place.path,), pattern, ignore_case=ignore_case)
        if blocks:
            return Found(pattern=pattern, blocks=blocks, truncated=truncated, ignored_case=ignore_case, named=False)
    folded = b"\n".join(_lines(workspace, place.path)).lower()
    return Found(pattern=pattern, near=pieces_in_file(folded, pattern, place.path), named=False)


def _where(workspace: Workspace, pattern: str, path: str) -> Located | Refused:
    """The folder (no entry, the path empty for the root) or file to search, or why there is nothing to search."""
    try:
        pattern.encode()
    except UnicodeEncodeError:
        return Refused(reason="the pattern holds code points that no file can hold")
    if not pattern:
        return Refused(reason="an empty pattern matches everything: give the text to look for")
    if "\n" in pattern or "\0" in pattern or len(pattern) > MAX_PATTERN:
        return Refused(
            reason=f"a search is for a piece of one line, of at most {MAX_PATTERN} characters: give such a piece"
        )
    folder = path.removeprefix("./").rstrip("/")
    if path in ("", ".", "./") or _is_folder(workspace, folder):
        return Located(path="" if path in ("", ".", "./") else folder, entry=None)
    place = locate(workspace, path)
    if isinstance(place, Refused):
        return place
    if place.entry is None:
        return Refused(reason=f"no such file or folder: {shown(path)}")
    if place.entry.size > MAX_FILE:
        return Refused(
            reason=f"{shown(place.path)} has {place.entry.size} bytes, and files over {MAX_FILE} are not searched"
        )
    return place


def _is_folder(workspace: Workspace, path: str) -> bool:
    return any(entry.path.startswith(f"{path}/") for entry in workspace.entries())


def _search(
    workspace: Workspace, files: Iterable[str], pattern: str, *, ignore_case: bool
) -> tuple[tuple[Block, ...], bool]:
    """The first `MAX_MATCHES` matches as blocks, and whether there are more."""
    wanted = pattern.encode()
    blocks: list[Block] = []
    room = MAX_MATCHES
    for path in files:
        lines = _lines(workspace, path)
        sought = wanted.lower() if ignore_case else wanted
        hits = [index for index, line in enumerate(lines) if sought in (line.lower() if ignore_case else line)]
        blocks += _blocks(path, lines, hits[:room])
        if len(hits) > room:
            return tuple(blocks), True
        room -= len(hits)
    return tuple(blocks), False


def _lines(workspace: Workspace, path: str) -> list[bytes]:
    try:
        content = workspace.read(path)
    except WorkspaceError:
        return []  # it was there a moment ago
    lines = [] if is_binary(content) else content.removeprefix(BOM).split(b"\n")
    return lines[:-1] if lines and not lines[-1] else lines


def _blocks(path: str, lines: list[bytes], hits: list[int]) -> Iterator[Block]:
    """Hits with the lines around them; what overlaps or touches is one block, so that no line is shown twice."""
    wanted = set(hits)
    spans: list[list[int]] = []
    for hit in hits:
        begin, end = max(hit - CONTEXT, 0), min(hit + CONTEXT + 1, len(lines))
        if spans and begin <= spans[-1][1]:
            spans[-1][1] = end
        else:
            spans.append([begin, end])
    for begin, end in spans:
        rows = (Row(line=at + 1, text=_clipped(lines[at]), hit=at in wanted) for at in range(begin, end))
        yield Block(path=path, rows=tuple(rows))


def _clipped(line: bytes) -> str:
    text = line[: 4 * MAX_LINE + 4].removesuffix(b"\r").decode("utf-8", "backslashreplace")
    return text if len(text) <= MAX_LINE else text[:MAX_LINE] + " ..."
