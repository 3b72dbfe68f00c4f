"""Counts the words of many texts, each looked at once; reads no file itself.

Most words of a repository are the same few: tokens are only gathered text by text, and taken apart once, at the end.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping

from agent.index.rank import each_words
from agent.ports import Tally

VERSION = 3
"""Of what `Counting` and `outline.names` make of a text: another number makes all a `BlobMemory` holds worthless."""
TEXT_BYTES = 64 * 1024
"""Of one text, from its beginning: what is longer is mostly data."""
_TOKEN = 40  # bytes of a word; longer ones are hashes and data
_BLANK = bytes(char if chr(char).isalnum() and char < 128 else 32 for char in range(256))


class Counting:
    """Every word of some texts in lower case: whole, at `_` and punctuation, and parts of those joined by capitals."""

    def __init__(self) -> None:
        self._blobs: list[str] = []
        self._sizes: list[int] = []  # in tokens
        self._places: defaultdict[bytes, list[int]] = defaultdict(list)

    def add(self, blob: str, content: bytes) -> None:
        """Count one text more; a binary one has no words."""
        place, places = len(self._blobs), self._places
        tokens = () if b"\0" in content[:8192] else content[:TEXT_BYTES].translate(_BLANK).split()
        self._blobs.append(blob)
        self._sizes.append(len(tokens))
        for token in tokens:
            places[token].append(place)

    def tally(self) -> Tally:
        """Of all texts so far."""
        sizes, words = self._sizes.copy(), defaultdict[str, list[int]](list)
        for token, parts in _parts(self._places):
            places = self._places[token]
            for part in parts:
                words[part] += places
            if len(parts) != 1:
                for place in places:
                    sizes[place] += len(parts) - 1
        return Tally(blobs=self._blobs, sizes=sizes, places=dict(words))


def count(content: bytes) -> Tally:
    """The words of one text."""
    counting = Counting()
    counting.add("", content)
    return counting.tally()


def _parts(tokens: Mapping[bytes, object]) -> Iterator[tuple[bytes, Collection[str]]]:
    """The words each token counts as."""
    joined = []
    for token in tokens:
        if not 1 < len(token) <= _TOKEN:
            yield token, ()
        elif token.islower() or token.isdigit():
            yield token, (token.decode("ascii"),)
        else:
            joined.append(token)
    names = [token.decode("ascii") for token in joined]
    for token, name, split in zip(joined, names, each_words(names), strict=True):
        yield token, (name.lower(), *(split if len(split) > 1 else ()))
