"""What the index remembers of blobs between runs, as a Protocol; an adapter keeps it, nothing depends on it."""

from collections.abc import Collection, Mapping
from typing import Protocol

from agent.index.lexical import Counted

VERSION = 1
"""Of what `lexical.count` makes of a text: another number makes everything remembered worthless."""


class BlobMemory(Protocol):
    """Word counts by git blob id. It may forget anything at any time, and never raises."""

    def counted(self, blobs: Collection[str], query: Collection[str]) -> Mapping[str, Counted]:
        """Those of the blobs it knows, with the counts of the query's words."""
        ...

    def keep(self, counted: Mapping[str, Counted]) -> None:
        """Remember these blobs, all their words."""
        ...
