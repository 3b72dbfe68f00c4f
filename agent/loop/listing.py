"""Which files are offered to Classify, and how they are described; must not read more than the files it shows."""

import re
from collections.abc import Iterable

from agent.domain.thresholds import PATH_OPTIONS
from agent.errors import WorkspaceError
from agent.loop.notebook import Notebook
from agent.ports import Entry, Workspace

_SYMBOL = re.compile(rb"^[ \t]{0,4}(?:async def|def|class|func|fn|function|type|struct)[ \t]+(\w+)", re.MULTILINE)
_WORD = re.compile(r"[A-Za-z_][\w-]{2,}")
_COMMON = frozenset(
    {
        "the", "and", "for", "with", "that", "this", "from", "are", "was", "not", "but", "have", "has", "had", "can",
        "should", "would", "when", "then", "than", "there", "their", "which", "what", "where", "who", "how", "why",
        "all", "any", "each", "other", "some", "such", "only", "same", "into", "over", "under", "after", "before",
        "more", "most", "very", "just", "also", "its", "does", "did", "done", "use", "used", "using", "get", "gets",
        "returns", "return", "raise", "raises", "error", "test", "tests", "file", "files", "line", "lines", "code",
        "issue", "bug", "fix", "fails", "fail", "failing", "expected", "actual", "instead", "please", "add", "make",
        "change", "run", "value", "values", "result",
    }
)  # fmt: skip
_NAME = re.compile(r"\w*(?:_\w|[a-z][A-Z]|\d)\w*").fullmatch
_READABLE = 512 * 1024  # bytes from which a file is listed by its path alone
_DESCRIPTION = 160


class Listing:
    """The tracked files, ranked against goal and failing tests before the cut; symbols are cached by blob id."""

    def __init__(self, workspace: Workspace, goal: str, book: Notebook) -> None:
        self._workspace = workspace
        self._book = book
        found = dict.fromkeys(_WORD.findall(goal))
        self._words = {word.lower() for word in found}
        self._terms = sorted((word for word in found if word.lower() not in _COMMON), key=lambda word: not _NAME(word))
        self._symbols: dict[str, str] = {}
        self._key: tuple[object, ...] = ()
        self._ranked: tuple[str, ...] = ()

    def ranked(self) -> tuple[str, ...]:
        """The most promising paths, at most 254."""
        entries = self._workspace.entries()
        book = self._book
        key = (tuple((entry.path, entry.blob) for entry in entries), book.suspects, len(book.hits), book.red)
        if key != self._key:
            self._key = key
            scored = sorted(entries, key=lambda entry: (-self._score(entry), entry.path))
            self._ranked = tuple(entry.path for entry in scored[:PATH_OPTIONS])
        return self._ranked

    def to_read(self) -> dict[str, str]:
        """Options of the file to read: not those read to their end."""
        return self._described(path for path in self.ranked() if path not in self._book.finished)

    def to_edit(self) -> dict[str, str]:
        """Options of the file to edit."""
        return self._described(self.ranked())

    def exists(self, path: str) -> bool:
        """Whether a path is tracked now."""
        return any(entry.path == path for entry in self._workspace.entries())

    def patterns(self) -> tuple[str, ...]:
        """Words of the goal worth searching, those that look like names first, not searched yet, at most 4."""
        left = [word for word in self._terms if word not in self._book.searched]
        return tuple(left[:4])

    def _described(self, paths: Iterable[str]) -> dict[str, str]:
        entries = {entry.path: entry for entry in self._workspace.entries()}
        return {path: self._description(entries[path]) for path in paths if path in entries}

    def _description(self, entry: Entry) -> str:
        if entry.blob not in self._symbols:
            try:
                content = self._workspace.read(entry.path) if entry.size <= _READABLE else b""
            except WorkspaceError:
                content = b""
            names = dict.fromkeys(name.decode(errors="replace") for name in _SYMBOL.findall(content))
            self._symbols[entry.blob] = ", ".join(names)[:_DESCRIPTION]
        symbols = self._symbols[entry.blob]
        return f"{entry.path}: {symbols}" if symbols else entry.path

    def _score(self, entry: Entry) -> float:
        path = entry.path.lower()
        words = set(_WORD.findall(path.replace("/", " ").replace(".", " ")))
        score = 2.0 * len(words & self._words) + (5.0 if any(path == word for word in self._words) else 0.0)
        score += 20.0 * max((one.score for one in self._book.suspects if one.path == entry.path), default=0.0)
        score += 3.0 * any(test.split("::")[0] == entry.path for test in self._book.red)
        score += 2.0 * sum(entry.path in hit.text for hit in self._book.hits[-8:])
        return score
