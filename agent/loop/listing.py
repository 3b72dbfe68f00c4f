"""Which files are offered to Classify, and how they are described; must not read more than the files it weighs."""

from bisect import bisect_left, insort
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice

from agent.domain.edit import Change
from agent.domain.thresholds import GOAL_CHARS, PATH_OPTIONS
from agent.errors import WorkspaceError
from agent.index.kinds import likelihood
from agent.index.lexical import Lexical, Paths
from agent.index.outline import READ_BYTES, described, names, parsable, way_of
from agent.index.tally import TEXT_BYTES, Counting, count
from agent.index.terms import named_files, patterns, weights
from agent.loop.notebook import Notebook
from agent.ports import BlobMemory, Entry, Tally, Way, Workspace

TEXTS_BYTES = 6 * 1024 * 1024
"""Of texts weighed against the goal, the likeliest files first: 0.3 s once for each run that has no memory of them."""
_PARSED_BYTES = 128 * 1024
"""Of the listed files, parsed for the names they define, the best first: 0.05 s."""
_DESCRIPTION = 160
_NAMED = 0.5  # what being named by the goal or a failure adds to a score of 0..1; not measured
_HIT = 0.5  # what a search hit adds, shared by the files it was found in; not measured
_RED = 0.02  # a failing test's own file: only before what has nothing in common with the goal
_SUSPECT = 20.0  # of a suspicion 0..1: what was measured goes before what was read


class Listing:
    """The tracked files, ranked against goal, search hits, failures and suspects before the cut.

    Weighed once; afterwards only files the run changed are looked at again.
    """

    def __init__(self, workspace: Workspace, goal: str, book: Notebook, memory: BlobMemory | None = None) -> None:
        self._workspace, self._book, self._memory = workspace, book, memory
        self._goal = goal[:GOAL_CHARS]
        self._terms = patterns(goal)
        self._query = weights(self._goal)
        self._lexical = Lexical(self._query)
        self._base: dict[str, Entry] | None = None
        self._entries: dict[str, Entry] = {}
        self._seen: tuple[Change, ...] = ()
        self._scores: dict[str, float] = {}
        self._order: list[tuple[float, str]] = []
        self._descriptions: dict[str, str] = {}
        self._left = _PARSED_BYTES
        self._key: tuple[object, ...] = ()
        self._ranked: tuple[str, ...] = ()

    def ranked(self) -> tuple[str, ...]:
        """The most promising paths, at most 254."""
        self._now()
        book = self._book
        key = (self._seen, book.suspects, len(book.hits), book.red)
        if key != self._key:
            bonus = self._bonus()
            first = islice((pair for pair in self._order if pair[1] not in bonus), PATH_OPTIONS)
            lifted = ((-self._scores.get(path, 0.0) - more, path) for path, more in bonus.items())
            best = sorted([*first, *lifted])[:PATH_OPTIONS]
            self._key, self._ranked = key, tuple(path for _, path in best)
        return self._ranked

    def to_read(self) -> dict[str, str]:
        """Options of the file to read: not those read to their end."""
        return self._described(path for path in self.ranked() if path not in self._book.finished)

    def to_edit(self) -> dict[str, str]:
        """Options of the file to edit."""
        return self._described(self.ranked())

    def paths(self) -> tuple[str, ...]:
        """Every tracked path, sorted."""
        return tuple(sorted(self._now()))

    def exists(self, path: str) -> bool:
        """Whether a path is tracked now."""
        return path in self._now()

    def patterns(self) -> tuple[str, ...]:
        """Words of the goal worth searching, those that look like names first, not searched yet, at most 4."""
        left = [word for word in self._terms if word not in self._book.searched]
        return tuple(left[:4])

    def _now(self) -> dict[str, Entry]:
        """Entries by path: those of the base, and what the run changed since it was last asked."""
        if self._base is None:
            self._base = {entry.path: entry for entry in self._workspace.entries()}
            self._entries = dict(self._base)
            self._weigh()
        changes = self._workspace.changes()
        if changes != self._seen:
            before = {change.path: change for change in self._seen}
            now = {change.path: change for change in changes}
            for path in sorted({*before, *now}):
                if before.get(path) != now.get(path):
                    self._renew(path, now.get(path))
            self._seen = changes
        return self._entries

    def _weigh(self) -> None:
        """Score every file by its path, and the likeliest ones by their texts."""
        entries = [self._entries[path] for path in sorted(self._entries)]
        files = self._lexical.look([entry.path for entry in entries])
        blobs = self._texts(entries, files)
        tallies = list(self._memory.tallies(frozenset(blobs), self._query)) if self._memory else []
        seen, counting = {"", *(blob for tally in tallies for blob in tally.blobs)}, Counting()
        for entry, blob in zip(entries, blobs, strict=True):
            if blob not in seen:
                seen.add(blob)
                counting.add(blob, self._content(entry))
        tallies.append(counting.tally())
        if self._memory and tallies[-1].blobs:
            self._memory.keep(tallies[-1])
        self._scores = self._lexical.scores(files, blobs, tallies)
        weights = [-self._scores.get(path, 0.0) for path in files.paths]
        order = sorted(range(len(weights)), key=weights.__getitem__)  # equals stay in the order of their paths
        self._order = [(weights[file], files.paths[file]) for file in order]

    def _texts(self, entries: Sequence[Entry], files: Paths) -> list[str]:
        """Blobs of the files whose texts are weighed, all when they are few, else the likeliest; empty for others."""
        sizes = [min(entry.size, TEXT_BYTES) if entry.size <= READ_BYTES else 0 for entry in entries]
        left = TEXTS_BYTES
        if sum(sizes) <= left:
            return [entry.blob if size else "" for entry, size in zip(entries, sizes, strict=True)]
        blobs = [""] * len(entries)
        for file in self._lexical.likeliest(files):
            left -= sizes[file]
            if left < 0:
                break
            blobs[file] = entries[file].blob if sizes[file] else ""
        return blobs

    def _renew(self, path: str, change: Change | None) -> None:
        """Take over what happened to one file: `change` None puts the base's back."""
        was = (-self._scores.get(path, 0.0), path)
        place = bisect_left(self._order, was)
        if place < len(self._order) and self._order[place] == was:
            del self._order[place]
        self._descriptions.pop(path, None)
        self._scores.pop(path, None)
        self._entries.pop(path, None)
        entry = (self._base or {}).get(path)
        if change is not None:
            content = change.after
            entry = None if content is None else Entry(path=path, blob="", mode=change.mode, size=len(content))
        if entry is not None:
            self._entries[path] = entry
            self._scores[path] = self._lexical.score(path, self._counted(entry))
            insort(self._order, (-self._scores[path], path))

    def _counted(self, entry: Entry) -> Tally:
        return count(self._content(entry) if entry.size <= READ_BYTES else b"")

    def _content(self, entry: Entry) -> bytes:
        try:
            return self._workspace.read(entry.path)
        except WorkspaceError:
            return b""  # tracked but not readable: it is listed by its path

    def _described(self, paths: Iterable[str]) -> dict[str, str]:
        wanted = tuple(paths)
        ways = {path: self._way(path) for path in wanted if path not in self._descriptions}
        known = self._known({way for way in ways.values() if way[0]})
        fresh: dict[Way, tuple[str, ...]] = {}
        for path, way in ways.items():
            found = known.get(way)
            if found is None:
                found = self._names(path, parse=bool(way[1]))
                if way[0]:  # a file of the base
                    fresh[way] = found
            self._descriptions[path] = described(path, found, self._query, _DESCRIPTION)
        if self._memory and fresh:
            self._memory.keep_names(fresh)
        return {path: self._descriptions[path] for path in wanted}

    def _known(self, ways: Collection[Way]) -> Mapping[Way, tuple[str, ...]]:
        return self._memory.named(ways) if self._memory and ways else {}

    def _way(self, path: str) -> Way:
        """How names are looked for: the first files asked for are parsed, while the bytes set apart for it last.

        What is remembered is not parsed, and uses them up all the same: a run that is resumed must see the same names.
        """
        entry = self._entries[path]
        parse = parsable(path, entry.size) and entry.size <= self._left
        self._left -= entry.size if parse else 0
        return entry.blob, way_of(path, parse=parse)

    def _names(self, path: str, *, parse: bool) -> tuple[str, ...]:
        entry = self._entries[path]
        return names(self._content(entry) if entry.size <= READ_BYTES else b"", path, parse=parse)

    def _bonus(self) -> dict[str, float]:
        """What the run itself knows: suspected files, files named by goal or failures, with search hits, or red."""
        book, bonus = self._book, dict[str, float]()
        for suspect in book.suspects:
            bonus[suspect.path] = max(bonus.get(suspect.path, 0.0), _SUSPECT * suspect.score)
        cases = book.baseline.cases or () if book.baseline else ()
        failures = "\n".join(case.message for case in cases if case.id in book.red)
        for text in (self._goal, failures[:GOAL_CHARS]):
            for path in named_files(text, self._entries):
                bonus[path] = bonus.get(path, 0.0) + _NAMED * likelihood(path)
        for test in book.red:
            path = test.split("::")[0]
            bonus[path] = bonus.get(path, 0.0) + _RED
        for hit in book.hits[-8:]:
            found = {row.split(":", 1)[0] for row in hit.text.split("\n")} & self._entries.keys()
            for path in found:
                bonus[path] = bonus.get(path, 0.0) + _HIT * likelihood(path) / len(found)
        return {path: more for path, more in bonus.items() if path in self._entries}
