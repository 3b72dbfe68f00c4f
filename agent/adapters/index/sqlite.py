"""Words and names by blob id in one SQLite file; must not raise, and any damage to the file makes it an empty one.

Holds words of a repository's texts: the file belongs beside its mirror and goes when the mirror goes.
"""

import os
import sqlite3
from array import array
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path
from typing import TypeVar
from zlib import crc32

from agent.index.tally import VERSION
from agent.ports import BlobMemory, Tally, Way

T = TypeVar("T")

MOST_BYTES = 64 * 1024 * 1024
"""Size from which everything is forgotten before more is kept: some twenty times what 6 MB of texts take."""
_WAIT = 0.2  # seconds for another process that writes; longer than that, nothing is remembered
_CHUNK = 500  # blobs asked for in one statement
_SHELVES = 512
"""Rows the words of a batch are spread over: one for each word takes four times as long to write."""
_SHORT = 1 << 16  # texts of a batch whose places fit into two bytes
_UNUSABLE = (sqlite3.Error, OSError, ValueError, TypeError)  # the last two: what is in it is not what we wrote
_TABLES = f"""
PRAGMA user_version = {VERSION};
CREATE TABLE batch (id INTEGER PRIMARY KEY, blobs BLOB, sizes BLOB);
CREATE TABLE word (shelf INTEGER, batch INTEGER, words BLOB, ends BLOB, places BLOB, PRIMARY KEY (shelf, batch))
WITHOUT ROWID;
CREATE TABLE name (id TEXT, way TEXT, names BLOB, PRIMARY KEY (id, way)) WITHOUT ROWID;
"""


class SqliteMemory(BlobMemory):
    """`agent.ports.BlobMemory` in a file; several processes may use it at once."""

    def __init__(self, path: Path, most: int = MOST_BYTES) -> None:
        self._path, self._most = path, most

    def tallies(self, blobs: Collection[str], query: Collection[str]) -> Sequence[Tally]:
        """One for each batch that holds some of the blobs; none when the file cannot be used."""
        return self._asked(lambda base: _tallies(base, blobs, query)) or ()

    def keep(self, tally: Tally) -> None:
        """Remember these texts, or none of them when the file cannot be written."""
        self._kept(lambda base: _written(base, tally))

    def named(self, ways: Collection[Way]) -> Mapping[Way, tuple[str, ...]]:
        """The names of those blobs it knows; none when the file cannot be used."""
        return self._asked(lambda base: _names(base, ways)) or {}

    def keep_names(self, names: Mapping[Way, tuple[str, ...]]) -> None:
        """Remember these names, or none of them when the file cannot be written."""
        rows = [(*way, "\n".join(found).encode()) for way, found in names.items()]
        self._kept(lambda base: base.executemany("INSERT OR REPLACE INTO name VALUES (?, ?, ?)", rows))

    def _asked(self, question: Callable[[sqlite3.Connection], T]) -> T | None:
        try:
            with self._opened() as base:
                return question(base)
        except _UNUSABLE as error:
            self._damaged(error)
            return None

    def _kept(self, write: Callable[[sqlite3.Connection], object]) -> None:
        try:
            if self._path.exists() and self._path.stat().st_size > self._most:
                self._path.unlink(missing_ok=True)
            with self._opened() as base, base:
                base.execute("BEGIN IMMEDIATE")
                write(base)
        except _UNUSABLE as error:
            self._damaged(error)

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
        with closing(sqlite3.connect(self._path, timeout=_WAIT, isolation_level=None)) as base:
            base.execute("PRAGMA synchronous = OFF")  # what a crash destroys is made again
            if base.execute("PRAGMA user_version").fetchone() != (VERSION,):
                base.executescript(
                    "BEGIN IMMEDIATE; DROP TABLE IF EXISTS batch; DROP TABLE IF EXISTS blob; DROP TABLE IF EXISTS word;"
                    f"DROP TABLE IF EXISTS name; {_TABLES} COMMIT;"
                )
            yield base

    def _damaged(self, error: Exception) -> None:
        """Begin anew, unless it was only that another process had the file."""
        if not isinstance(error, sqlite3.OperationalError | OSError):
            try:
                self._path.unlink(missing_ok=True)
            except OSError:
                return  # it stays damaged, and stays unused


def _tallies(base: sqlite3.Connection, blobs: Collection[str], query: Collection[str]) -> list[Tally]:
    asked, found = frozenset(blobs), dict[int, Tally]()
    places: defaultdict[int, dict[str, Sequence[int]]] = defaultdict(dict)
    for batch, names, sizes in base.execute("SELECT id, blobs, sizes FROM batch"):
        held = _lines(names)
        if not asked.isdisjoint(held):
            found[batch] = Tally(blobs=held, sizes=array("I", sizes), places=places[batch])
    for word in query:
        rows = base.execute("SELECT batch, words, ends, places FROM word WHERE shelf = ?", (_shelf(word),))
        for batch, words, ends, held in rows:
            if batch in found and word in (names := _lines(words)):
                begin, end = (0, *array("I", ends))[(place := names.index(word)) : place + 2]
                places[batch][word] = numbers = array(_code(found[batch]), held)[begin:end]
                if len(numbers) != end - begin or max(numbers) >= len(found[batch].blobs):
                    raise ValueError("places that are not ours")
    if any(len(tally.sizes) != len(tally.blobs) for tally in found.values()):
        raise ValueError("sizes that are not ours")
    return list(found.values())


def _names(base: sqlite3.Connection, ways: Collection[Way]) -> dict[Way, tuple[str, ...]]:
    found: dict[Way, tuple[str, ...]] = {}
    asked, blobs = frozenset(ways), iter(dict.fromkeys(blob for blob, _ in ways))
    while some := tuple(islice(blobs, _CHUNK)):
        marks = ",".join("?" * len(some))
        rows = base.execute(f"SELECT id, way, CAST(names AS BLOB) FROM name WHERE id IN ({marks})", some)  # noqa: S608 - question marks alone
        found.update({(blob, way): tuple(_lines(names)) for blob, way, names in rows if (blob, way) in asked})
    return found


def _written(base: sqlite3.Connection, tally: Tally) -> None:
    """One batch: blobs and sizes in one row, words by shelf."""
    row = ("\n".join(tally.blobs).encode(), array("I", tally.sizes).tobytes())
    batch = base.execute("INSERT INTO batch (blobs, sizes) VALUES (?, ?)", row).lastrowid
    shelves: defaultdict[int, list[str]] = defaultdict(list)
    for word in tally.places:
        shelves[_shelf(word)].append(word)
    base.executemany(
        "INSERT INTO word VALUES (?, ?, ?, ?, ?)",
        ((shelf, batch, *_packed(tally, words)) for shelf, words in sorted(shelves.items())),
    )


def _packed(tally: Tally, words: Sequence[str]) -> tuple[bytes, bytes, bytes]:
    """The words, where the places of each end, and the places."""
    places, ends = list[int](), array("I")
    for word in words:
        places += tally.places[word]
        ends.append(len(places))
    return "\n".join(words).encode(), ends.tobytes(), array(_code(tally), places).tobytes()


def _shelf(word: str) -> int:
    return crc32(word.encode()) % _SHELVES


def _code(tally: Tally) -> str:
    """How an array holds the tally's places."""
    return "H" if len(tally.blobs) <= _SHORT else "I"


def _lines(held: object) -> list[str]:
    if not isinstance(held, bytes):
        raise TypeError("no lines of ours")
    return held.decode().split("\n") if held else []
