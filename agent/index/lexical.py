"""Weighs the words of a goal against paths and texts of many files; reads no file itself.

BM25 over path and text as one field (Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009), times how
likely a fault lies in a file of that kind. Of 28 issues of 17 Python libraries (20 to 520 files) with known fixes, the
first file is one of the right ones in 86 %, one of the first three in 93 %, of the first ten in all; paths alone, as
before, gave 18, 36 and 46 %. Symbols as a field of their own, stems and rank fusion were measured, and were no better.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log

from agent.index.kinds import likelihood, likelihoods
from agent.index.rank import K1, B, each_words, words
from agent.ports import Tally

PATH_WEIGHT = 5
"""Times a word of the path counts, in words of the text. 2 and 10 did the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paths:
    """What can be told of files without a look into them; files are numbered in the order of their paths."""

    paths: Sequence[str]
    kinds: Sequence[float]
    """How likely a fault lies in a file of this kind."""
    sizes: Sequence[int]
    """Words of each path."""
    said: Mapping[str, Mapping[int, int]]
    """Word of the query -> file -> times its path says it."""


class Lexical:
    """Scores of files against one query; rarity and lengths are those of the first files it is given."""

    def __init__(self, query: Mapping[str, int]) -> None:
        self._query, self._asked = query, frozenset(query)
        self._rarity: dict[str, float] = {}  # times how often the query says the word
        self._average = 1.0
        self._best = 1.0

    def look(self, paths: Sequence[str]) -> Paths:
        """What the query finds in paths; none of them may hold a NUL."""
        said, sizes = defaultdict[str, dict[int, int]](dict), list[int]()
        for file, own in enumerate(each_words(paths)):
            sizes.append(len(own))
            if not self._asked.isdisjoint(own):
                for word in self._asked.intersection(own):
                    said[word][file] = own.count(word)
        return Paths(paths=paths, kinds=tuple(likelihoods(paths)), sizes=sizes, said=said)

    def likeliest(self, files: Paths) -> list[int]:
        """Files, sources first and among them those whose paths say most of the query; else by path."""
        shared = [0] * len(files.paths)
        for word, where in files.said.items():
            for file, times in where.items():
                shared[file] -= self._query[word] * times
        order = sorted(range(len(shared)), key=shared.__getitem__)
        order.sort(key=files.kinds.__getitem__, reverse=True)  # both sorts are stable: equals stay as they were
        return order

    def scores(self, files: Paths, blobs: Sequence[str], tallies: Iterable[Tally]) -> dict[str, float]:
        """Path -> 0..1 of the best, likelihood included; those that share no word with the query are left out.

        `blobs` has each file's, empty where its text does not count: it has its path alone. Where more than one tally
        has a blob, the first one counts.
        """
        told, texts = self._found(blobs, tallies)
        sizes = [size + PATH_WEIGHT * own for size, own in zip(told, files.sizes, strict=True)]
        self._average = (sum(sizes) / len(sizes) if sizes else 0.0) or 1.0
        norms = [self._norm(size) for size in sizes]
        raw = [0.0] * len(sizes)
        for word, said in self._query.items():
            held = texts[word]
            for file, many in files.said.get(word, {}).items():
                held[file] = held.get(file, 0) + PATH_WEIGHT * many
            if not held:  # what only a file says that the run makes is no sign of anything
                continue
            self._rarity[word] = rarity = said * log(1 + (len(sizes) - len(held) + 0.5) / (len(held) + 0.5))
            for file, many in held.items():
                raw[file] += rarity * many * (K1 + 1) / (many + norms[file])
        weighed = {path: score * kind for path, score, kind in zip(files.paths, raw, files.kinds, strict=True) if score}
        self._best = max(weighed.values(), default=1.0)
        return {path: score / self._best for path, score in weighed.items()}

    def score(self, path: str, text: Tally) -> float:
        """The score of a file that changed or was made since, by what was known of the files before."""
        parts = words(path)
        norm = self._norm(sum(text.sizes) + PATH_WEIGHT * len(parts))
        total = 0.0
        for word, rarity in self._rarity.items():
            many = len(text.places.get(word, ())) + PATH_WEIGHT * parts.count(word)
            total += rarity * many * (K1 + 1) / (many + norm)
        return total * likelihood(path) / self._best

    def _found(self, blobs: Sequence[str], tallies: Iterable[Tally]) -> tuple[list[int], dict[str, dict[int, int]]]:
        """Words of each file's text altogether; word of the query -> file -> times its text has it."""
        first, twins = dict[str, int](), list[tuple[int, int]]()
        for file, blob in enumerate(blobs):
            if blob and first.setdefault(blob, file) != file:
                twins.append((first[blob], file))
        sizes = [0] * len(blobs)
        texts: dict[str, dict[int, int]] = {word: {} for word in self._query}
        for tally in tallies:
            files = [first.pop(blob, -1) for blob in tally.blobs]
            for file, size in zip(files, tally.sizes, strict=True):
                if file >= 0:
                    sizes[file] = size
            for word, held in texts.items():
                times = Counter(tally.places.get(word, ()))
                held.update({files[place]: many for place, many in times.items() if files[place] >= 0})
        for file, twin in twins:
            sizes[twin] = sizes[file]
            for held in texts.values():
                held.update({twin: held[file]} if file in held else {})
        return sizes, texts

    def _norm(self, size: int) -> float:
        return K1 * (1 - B + B * size / self._average)
