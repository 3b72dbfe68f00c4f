"""Ranks texts against words by BM25, with words split as programmers join them; knows nothing of files."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import log

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_WORD_OR_END = re.compile(f"{_WORD.pattern}|\\0")
K1, B = 1.2, 0.75  # the usual constants of Okapi BM25


def words(text: str) -> tuple[str, ...]:
    """Lower-cased parts of names and prose: `parseHTTPHeader_v2` -> parse http header v 2."""
    found = _WORD.findall(text)
    return tuple(found) if text.islower() else tuple([match.lower() for match in found])


def each_words(texts: Sequence[str]) -> Iterator[list[str]]:
    """`words` of each text, for thousands of short ones in one pass; none of them may hold a NUL."""
    found = " ".join(_WORD_OR_END.findall("\0".join(texts)))
    return (one.split() for one in found.lower().split("\0") if texts)


def bm25(query: Iterable[str], texts: Mapping[str, str]) -> dict[str, float]:
    """Key -> score (0: nothing in common), for each text against the query's words."""
    counts = {key: Counter(words(text)) for key, text in texts.items()}
    sizes = {key: sum(count.values()) for key, count in counts.items()}
    average = sum(sizes.values()) / len(sizes) if sizes else 0.0
    scores = dict.fromkeys(texts, 0.0)
    for word in dict.fromkeys(query):
        holding = sum(1 for count in counts.values() if word in count)
        if not holding:
            continue
        rarity = log(1 + (len(texts) - holding + 0.5) / (holding + 0.5))
        for key, count in counts.items():
            if word in count:
                norm = K1 * (1 - B + B * sizes[key] / average)
                scores[key] += rarity * count[word] * (K1 + 1) / (count[word] + norm)
    return scores
