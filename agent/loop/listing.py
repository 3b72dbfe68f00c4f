"""Which files are offered to Classify, and how they are described; must not read more than the files it shows."""

import re
from collections.abc import Iterable
from heapq import nsmallest
from itertools import chain, islice

from agent.domain.thresholds import GOAL_CHARS, PATH_OPTIONS
from agent.errors import WorkspaceError
from agent.index.rank import bm25, words
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
        self._terms = sorted((word for word in found if word.lower() not in _COMMON), key=lambda word: not _NAME(word))
        self._goal = words(goal[:GOAL_CHARS])
        self._symbols: dict[str, str] = {}
        self._entries: dict[str, Entry] = {}
        self._likeness: dict[str, float] | None = None
        self._version = -1
        self._key: tuple[object, ...] = ()
        self._ranked: tuple[str, ...] = ()

    def ranked(self) -> tuple[str, ...]:
        """The most promising paths, at most 254."""
        entries, book = self._now(), self._book
        key = (self._version, book.suspects, len(book.hits), book.red)
        if key != self._key:
            if self._likeness is None:
                likeness = bm25(self._goal, {path: path for path in entries})
                self._likeness = {path: score for path, score in likeness.items() if score > 0}
            scores = dict(self._likeness)
            for path, more in self._bonus().items():
                scores[path] = scores.get(path, 0.0) + more
            best = nsmallest(
                PATH_OPTIONS, (path for path in scores if path in entries), lambda one: (-scores[one], one)
            )
            rest = (path for path in entries if path not in scores)  # sorted by path, as the workspace gives them
            self._key, self._ranked = key, tuple(islice(chain(best, rest), PATH_OPTIONS))
        return self._ranked

    def to_read(self) -> dict[str, str]:
        """Options of the file to read: not those read to their end."""
        return self._described(path for path in self.ranked() if path not in self._book.finished)

    def to_edit(self) -> dict[str, str]:
        """Options of the file to edit."""
        return self._described(self.ranked())

    def paths(self) -> tuple[str, ...]:
        """Every tracked path, sorted."""
        return tuple(self._now())

    def exists(self, path: str) -> bool:
        """Whether a path is tracked now."""
        return path in self._now()

    def patterns(self) -> tuple[str, ...]:
        """Words of the goal worth searching, those that look like names first, not searched yet, at most 4."""
        left = [word for word in self._terms if word not in self._book.searched]
        return tuple(left[:4])

    def _now(self) -> dict[str, Entry]:
        """Entries by path; asked of the workspace only after the run changed a file."""
        if self._version != len(self._book.changed):
            self._version = len(self._book.changed)
            self._entries = {entry.path: entry for entry in self._workspace.entries()}
        return self._entries

    def _described(self, paths: Iterable[str]) -> dict[str, str]:
        return {path: self._description(self._now()[path]) for path in paths}

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

    def _bonus(self) -> dict[str, float]:
        """What the run itself knows: suspected files, files of failing tests, files with search hits."""
        bonus: dict[str, float] = {}
        for suspect in self._book.suspects:
            bonus[suspect.path] = max(bonus.get(suspect.path, 0.0), 20.0 * suspect.score)
        for test in self._book.red:
            path = test.split("::")[0]
            bonus[path] = bonus.get(path, 0.0) + 0.1
        for hit in self._book.hits[-8:]:
            for path in dict.fromkeys(row.split(":", 1)[0] for row in hit.text.split("\n")):
                bonus[path] = bonus.get(path, 0.0) + 2.0
        return bonus
