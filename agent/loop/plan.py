"""A worklist for changes in several places: read from a reply, ticked by kept edits; must not order or perform any."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

ITEMS = 16
ITEM_CHARS = 240
_FRAMING = re.compile(r"^(?:[-*]\s+)?(?:\[[ xX]\]\s+)?(?:\d+[.)]\s+)?")
_EDGES = "`'\"()[]{}<>,;:!?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One place to change, in the words it was written in; `done` is set by a kept edit alone."""

    text: str
    done: bool = False

    def names(self, meant: Callable[[str], bool]) -> bool:
        """Whether a word of the text is a path that is meant: `a.py` is no word of `data.py`."""
        return any(meant(_bare(word)) for word in self.text.split())

    def shown(self) -> str:
        """As a line of a checklist."""
        return f"[{'x' if self.done else ' '}] {self.text}"


def read_plan(reply: str) -> tuple[Item, ...]:
    """Items of a reply, one per line; bullets, boxes and numbers are framing.

    A box that a reply ticks counts for nothing: only a kept edit does that.
    """
    lines = (_FRAMING.sub("", line.strip()).strip()[:ITEM_CHARS] for line in reply.splitlines())
    return tuple(Item(text=line) for line in lines if line and not line.startswith("```"))[:ITEMS]


def ticked(plan: tuple[Item, ...], paths: Iterable[str]) -> tuple[Item, ...]:
    """The plan after edits of these paths were kept; what is done stays done."""
    changed = frozenset(paths)
    return tuple(replace(item, done=item.done or item.names(changed.__contains__)) for item in plan)


def next_open(plan: tuple[Item, ...], exists: Callable[[str], bool]) -> str:
    """The first item that is not done and names a tracked file; empty when nothing is left to hold on to."""
    return next((item.text for item in plan if not item.done and item.names(exists)), "")


def _bare(word: str) -> str:
    """A word without what prose puts around a path, a line number behind it included."""
    inner = word.lstrip(_EDGES).rstrip(f"{_EDGES}.")
    return re.sub(r"(?::\d+)+$", "", inner).removeprefix("./")
