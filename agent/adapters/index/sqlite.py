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

from agent.index.lexical import VERSION
from agent.ports import BlobMemory, Counted, Way

K = TypeVar("K")
V = TypeVar("V")

MOST_BYTES = 64 * 1024 * 1024
"""Size from which everything is forgotten before more is kept: some twenty times what 6,000 files take."""
_WAIT = 0.2  # seconds for another process that writes; longer than that, nothing is remembered
_CHUNK = 500  # blobs asked for in one statement
_BATCH = 60_000  # blobs numbered together: numbers and counts take two bytes
_UNUSABLE = (sqlite3.Error, OSError, ValueError, TypeError)  # the last two: what is in it is not what we wrote
_TABLES = f"""
PRAGMA user_version = {VERSION};
CREATE TABLE batch (id INTEGER PRIMARY KEY AUTOINCREMENT);
CREATE TABLE blob (id TEXT PRIMARY KEY, batch INTEGER, number INTEGER, size INTEGER) WITHOUT ROWID;
CREATE TABLE word (word TEXT, batch INTEGER, pairs BLOB, PRIMARY KEY (word, batch)) WITHOUT ROWID;
CREATE TABLE name (id TEXT, way TEXT, names BLOB, PRIMARY KEY (id, way)) WITHOUT ROWID;
"""


class SqliteMemory(BlobMemory):
    """`agent.ports.BlobMemory` in a file; several processes may use it at once."""

    def __init__(self, path: Path, most: int = MOST_BYTES) -> None:
        self._path, self._most = path, most

    def counted(self, blobs: Collection[str], query: Collection[str]) -> Mapping[str, Counted]:
        """Those of the blobs it knows, with the counts of the query's words; none when the file cannot be used."""
        return self._asked(lambda base: _looked_up(base, list(dict.fromkeys(blobs)), query))

    def keep(self, counted: Mapping[str, Counted]) -> None:
        """Remember these blobs, or none of them when the file cannot be written."""
        self._kept(lambda base: _written(base, counted))

    def named(self, ways: Collection[Way]) -> Mapping[Way, tuple[str, ...]]:
        """The names of those blobs it knows; none when the file cannot be used."""
        return self._asked(lambda base: _names(base, ways))

    def keep_names(self, names: Mapping[Way, tuple[str, ...]]) -> None:
        """Remember these names, or none of them when the file cannot be written."""
        rows = [(*way, "\n".join(found).encode()) for way, found in names.items()]
        self._kept(lambda base: base.executemany("INSERT OR REPLACE INTO name VALUES (?, ?, ?)", rows))

    def _asked(self, question: Callable[[sqlite3.Connection], dict[K, V]]) -> dict[K, V]:
        try:
            with self._opened() as base:
                return question(base)
        except _UNUSABLE as error:
            self._damaged(error)
            return {}

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


def _looked_up(base: sqlite3.Connection, blobs: Sequence[str], query: Collection[str]) -> dict[str, Counted]:
    found: dict[str, Counted] = {}
    batches: defaultdict[int, dict[int, dict[str, int]]] = defaultdict(dict)
    for start in range(0, len(blobs), _CHUNK):
        some = blobs[start : start + _CHUNK]
        marks = ",".join("?" * len(some))
        rows = base.execute(f"SELECT id, batch, number, size FROM blob WHERE id IN ({marks})", some)  # noqa: S608 - question marks alone
        for name, batch, number, size in rows:
            counts = batches[batch][number] = {}
            found[name] = Counted(size=size, counts=counts)
    for word in query:
        for batch, pairs in base.execute("SELECT batch, pairs FROM word WHERE word = ?", (word,)):
            numbers, asked = array("H", pairs), batches[batch]
            for held, many in zip(map(asked.get, numbers[::2]), numbers[1::2], strict=True):
                if held is not None:
                    held[word] = many
    return found


def _names(base: sqlite3.Connection, ways: Collection[Way]) -> dict[Way, tuple[str, ...]]:
    found: dict[Way, tuple[str, ...]] = {}
    for way in ways:
        row = base.execute("SELECT CAST(names AS BLOB) FROM name WHERE id = ? AND way = ?", way).fetchone()
        if row is not None:
            found[way] = tuple(bytes(row[0]).decode().split("\n")) if row[0] else ()
    return found


def _written(base: sqlite3.Connection, counted: Mapping[str, Counted]) -> None:
    """All of them, in batches."""
    left = iter(counted.items())
    while some := dict(islice(left, _BATCH)):
        _batch(base, some)


def _batch(base: sqlite3.Connection, counted: Mapping[str, Counted]) -> None:
    batch = base.execute("INSERT INTO batch DEFAULT VALUES").lastrowid
    pairs: defaultdict[str, array[int]] = defaultdict(lambda: array("H"))
    for number, one in enumerate(counted.values()):
        for word, many in one.counts.items():
            pairs[word].extend((number, many))  # a text of 64 KB cannot hold a word more often
    rows = ((name, batch, number, one.size) for number, (name, one) in enumerate(counted.items()))
    base.executemany("INSERT OR REPLACE INTO blob VALUES (?, ?, ?, ?)", rows)
    base.executemany(
        "INSERT INTO word VALUES (?, ?, ?)", ((word, batch, held.tobytes()) for word, held in pairs.items())
    )
