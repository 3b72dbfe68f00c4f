"""Literal search through the tracked files of a Workspace, with what nearly matched; never a pattern language.

A miss is a fact with its own field, not a text to be guessed at: a source line that says `error:` is not an error.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from agent.errors import WorkspaceError
from agent.ports import Workspace

MAX_MATCHES = 200
MAX_LINE = 500
MAX_FILE = 1024 * 1024
BINARY_PROBE = 8192
MIN_PIECE = 4
MAX_NAMES = 6


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
    matches: tuple[Match, ...] = ()
    ignored_case: bool = False
    """True: nothing matched exactly, these match when case is ignored."""
    truncated: bool = False
    near: tuple[tuple[str, tuple[str, ...]], ...] = field(default=())
    """Longest head and tail of the pattern that do occur, each with up to six files."""

    @property
    def missed(self) -> bool:
        """Nothing matched exactly."""
        return not self.matches or self.ignored_case

    def render(self) -> str:
        """For a reader: `path:line:text` rows or what nearly matched."""
        if not self.matches:
            pieces = "".join(f"\n{piece!r} occurs in {', '.join(files)}" for piece, files in self.near)
            return f"no matches for {self.pattern!r}{pieces}"
        head = "no exact matches; ignoring case:\n" if self.ignored_case else ""
        tail = f"\nstopped after {MAX_MATCHES} matches" if self.truncated else ""
        return head + "\n".join(f"{m.path}:{m.line}:{m.text}" for m in self.matches) + tail


def grep(workspace: Workspace, pattern: str) -> Found:
    """Search every tracked text file up to 1 MiB; ValueError for an empty pattern."""
    if not pattern:
        raise ValueError("an empty pattern matches everything: give the text to look for")
    texts = list(_texts(workspace))
    exact = _search(texts, pattern, fold=False)
    if exact:
        return _found(pattern, exact, ignored_case=False)
    folded = _search(texts, pattern, fold=True)
    if folded:
        return _found(pattern, folded, ignored_case=True)
    return Found(pattern=pattern, near=tuple(_near(texts, pattern.lower())))


def _texts(workspace: Workspace) -> Iterator[tuple[str, str]]:
    for entry in workspace.entries():
        if entry.size > MAX_FILE or any(part.startswith(".") for part in entry.path.split("/")):
            continue
        try:
            content = workspace.read(entry.path)
        except WorkspaceError:
            continue  # a symlink or a submodule: tracked, but no text of this tree
        if b"\0" not in content[:BINARY_PROBE]:
            yield entry.path, content.decode("utf-8", "replace")


def _search(texts: Iterable[tuple[str, str]], pattern: str, *, fold: bool) -> list[Match]:
    wanted = pattern.lower() if fold else pattern
    matches: list[Match] = []
    for path, text in texts:
        if wanted not in (text.lower() if fold else text):
            continue
        for number, line in enumerate(text.split("\n"), start=1):
            if wanted in (line.lower() if fold else line):
                matches.append(Match(path=path, line=number, text=_clip(line.removesuffix("\r"))))
                if len(matches) > MAX_MATCHES:
                    return matches
    return matches


def _found(pattern: str, matches: list[Match], *, ignored_case: bool) -> Found:
    return Found(
        pattern=pattern,
        matches=tuple(matches[:MAX_MATCHES]),
        ignored_case=ignored_case,
        truncated=len(matches) > MAX_MATCHES,
    )


def _clip(line: str) -> str:
    return line if len(line) <= MAX_LINE else line[:MAX_LINE] + " ..."


def _near(texts: list[tuple[str, str]], pattern: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The longest prefix and suffix that occur somewhere; the same piece is reported once."""
    lowered = [(path, text.lower()) for path, text in texts]
    seen = set()
    for pieces in ((pattern[:end] for end in range(len(pattern) - 1, MIN_PIECE - 1, -1)),
                   (pattern[start:] for start in range(1, len(pattern) - MIN_PIECE + 1))):  # fmt: skip
        for piece in pieces:
            files = tuple(path for path, text in lowered if piece in text)
            if files:
                if piece not in seen:
                    yield piece, files[:MAX_NAMES]
                seen.add(piece)
                break
