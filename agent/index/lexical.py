"""Weighs the words of a goal against paths and texts of many files, each text looked at once; reads no file itself.

BM25 over path and text as one field (Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009), times how
likely a fault lies in a file of that kind. Of 28 issues of 17 Python libraries (20 to 520 files) with known fixes, the
first file is one of the right ones in 86 %, one of the first three in 93 %, of the first ten in all; paths alone, as
before, gave 18, 36 and 46 %. Symbols as a field of their own, stems and rank fusion were measured, and were no better.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from math import log

from agent.index.kinds import likelihood
from agent.index.rank import K1, B, words
from agent.ports import Counted

VERSION = 2
"""Of what `count` and `outline.names` make of a text: another number makes all a `BlobMemory` holds worthless."""
TEXT_BYTES = 64 * 1024
"""Of one text, from its beginning: what is longer is mostly data."""
PATH_WEIGHT = 5
"""Times a word of the path counts, in words of the text. 2 and 10 did the same."""
_TOKEN = 40  # bytes of a word; longer ones are hashes and data
_TOKENS = 50_000
"""Different tokens remembered: some 10 MB; a text is free to have more."""
_BLANK = bytes(char if chr(char).isalnum() and char < 128 else 32 for char in range(256))


_NONE: Mapping[str, int] = {}
NOTHING = Counted(size=0, counts=_NONE)


def count(content: bytes) -> Counted:
    """Every word of a text in lower case: whole, at `_` and punctuation, and the parts of names joined by capitals."""
    if b"\0" in content[:8192]:
        return NOTHING
    counts: dict[str, int] = {}
    for token, times in Counter(content[:TEXT_BYTES].translate(_BLANK).split()).items():
        for part in _parts(token):
            counts[part] = counts.get(part, 0) + times
    return Counted(size=sum(counts.values()), counts=counts)


class Sought(dict[bytes, int]):
    """Counts a query's words alone, in a third of the time, for what nobody remembers: token -> words it counts as."""

    def __init__(self, query: Collection[str]) -> None:
        super().__init__()
        self._query, self._wanted = frozenset(query), set[bytes]()

    def __missing__(self, token: bytes) -> int:
        parts = _parts(token)
        if not self._query.isdisjoint(parts):
            self._wanted.add(token)
        self[token] = len(parts)
        return len(parts)

    def count(self, content: bytes) -> Counted:
        """What `count` says, `only` of the query."""
        if b"\0" in content[:8192]:
            return NOTHING
        if len(self) > _TOKENS:
            self.clear()
            self._wanted.clear()
        tokens = content[:TEXT_BYTES].translate(_BLANK).split()
        size = sum(map(self.__getitem__, tokens))
        counts: dict[str, int] = {}
        for token, times in Counter(filter(self._wanted.__contains__, tokens)).items():
            for part in _parts(token):
                if part in self._query:
                    counts[part] = counts.get(part, 0) + times
        return Counted(size=size, counts=counts)


@lru_cache(maxsize=_TOKENS)
def _parts(token: bytes) -> tuple[str, ...]:
    """The words one token counts as; sources repeat theirs, so they are taken apart once."""
    if not 1 < len(token) <= _TOKEN:
        return ()
    whole = token.decode("ascii")
    split = () if whole.islower() or whole.isdigit() else words(whole)
    return (whole.lower(), *split) if len(split) > 1 else (whole.lower(),)


@lru_cache(maxsize=40_000)
def path_words(path: str) -> tuple[str, ...]:
    """`words` of a path, which is asked for more than once."""
    return words(path)


class Lexical:
    """Scores of files against one query; rarity and lengths are those of the first files it is given."""

    def __init__(self, query: Mapping[str, int]) -> None:
        self._query, self._asked = query, frozenset(query)
        self._rarity: dict[str, float] = {}  # times how often the query says the word
        self._average = 1.0
        self._best = 1.0

    def scores(self, files: Mapping[str, Counted]) -> dict[str, float]:
        """Path -> 0..1 of the best, likelihood included; a file whose text was not looked at has its path alone.

        The counts need hold no words but the query's; others are left out.
        """
        sizes, texts, raw = dict[str, int](), list[tuple[str, Mapping[str, int]]](), dict[str, float]()
        named: defaultdict[str, dict[str, int]] = defaultdict(dict)
        for path, counted in files.items():
            parts = path_words(path)
            sizes[path] = counted.size + PATH_WEIGHT * len(parts)
            if counted.counts:
                texts.append((path, counted.counts))
            for word, many in self._of_path(parts).items():
                named[word][path] = many
        self._average = (sum(sizes.values()) / len(files) if files else 0.0) or 1.0
        norms = {path: self._norm(size) for path, size in sizes.items()}
        for word, said in self._query.items():
            held = {path: counts[word] for path, counts in texts if word in counts}
            for path, many in named[word].items():
                held[path] = held.get(path, 0) + many
            if not held:  # what only a file says that the run makes is no sign of anything
                continue
            self._rarity[word] = rarity = said * log(1 + (len(files) - len(held) + 0.5) / (len(held) + 0.5))
            for path, many in held.items():
                raw[path] = raw.get(path, 0.0) + rarity * many * (K1 + 1) / (many + norms[path])
        weighed = {path: score * likelihood(path) for path, score in raw.items()}
        self._best = max(weighed.values(), default=1.0)
        return {path: score / self._best for path, score in weighed.items()}

    def score(self, path: str, counted: Counted) -> float:
        """The score of a file that changed or was made since, by what was known of the files before."""
        parts = path_words(path)
        total, own = 0.0, self._of_path(parts)
        norm = self._norm(counted.size + PATH_WEIGHT * len(parts))
        for word, rarity in self._rarity.items():
            many = counted.counts.get(word, 0) + own.get(word, 0)
            total += rarity * many * (K1 + 1) / (many + norm)
        return total * likelihood(path) / self._best

    def _of_path(self, parts: Sequence[str]) -> Mapping[str, int]:
        """What the query's words among those of a path count."""
        if self._asked.isdisjoint(parts):
            return _NONE
        return {word: PATH_WEIGHT * parts.count(word) for word in parts if word in self._asked}

    def _norm(self, size: int) -> float:
        return K1 * (1 - B + B * size / self._average)
