"""Which of several survivors to hand over first: the search's order, corrected by what an edit mixes. Pure.

Variables that the code compares, adds or assigns with one another form groups. An edit that joins two groups the
original kept apart, or calculates with one that was only compared, fits the visible tests by accident more often than
others. In the prototype all 15 accidents of one program were flagged and its 3 good repairs not, but good ones of other
programs were: so it is a penalty among survivors and no filter. The same goes for an edit inside a condition that a
probe made constant without any test noticing.
"""

import ast
from collections.abc import Sequence

from agent.adapters.models.embedded.kinds import Kinds, label
from agent.adapters.models.embedded.scope import Edit
from agent.adapters.models.embedded.search import costs_of
from agent.ports import WriteRequest

MIXED = 0.9  # cost of joining groups, against the priors
UNSEEN = 0.9  # cost of an edit inside a condition that might as well be constant, for all the tests can tell


def order(request: WriteRequest, edits: Sequence[Edit], survivors: Sequence[int]) -> list[int]:
    """Survivors' places, best first."""
    if len(survivors) < 2:
        return list(survivors)
    line, doubts = costs_of(request), penalties(request, edits, survivors)
    return sorted(survivors, key=lambda place: edits[place].prior + line.of(edits[place].line) + doubts[place])


def penalties(request: WriteRequest, edits: Sequence[Edit], survivors: Sequence[int]) -> dict[int, float]:
    """What speaks against each survivor besides its price: 0 for nothing."""
    before = Mixture(request.source)
    blind = [(edits[place].begin, edits[place].end) for place in survivors if edits[place].family == "probe"]

    def penalty(edit: Edit) -> float:
        after = Mixture(request.source[: edit.begin] + edit.text + request.source[edit.end :])
        mixed = MIXED if after.mixes_more_than(before) else 0.0
        unseen = UNSEEN if any(begin <= edit.begin and edit.end <= end for begin, end in blind) else 0.0
        return mixed + unseen

    return {place: penalty(edits[place]) for place in survivors}


class Mixture:
    """The groups of a file's variables, each piece of the module for itself, and which of them are counted with."""

    def __init__(self, source: bytes) -> None:
        try:
            body = ast.parse(source).body
        except (SyntaxError, ValueError, RecursionError):
            body = []
        self._kinds = [Kinds(node) for node in body]
        self._names = [frozenset(name for inner in ast.walk(node) if (name := label(inner))) for node in body]

    def mixes_more_than(self, other: "Mixture") -> bool:
        """Are two of its groups one here, or is there arithmetic with one that was only compared?"""
        for place, kinds in enumerate(other._kinds[: len(self._kinds)]):
            names, mine = other._names[place], self._kinds[place]
            if len({mine.group(name) for name in names}) < len({kinds.group(name) for name in names}):
                return True
            was, now = kinds.counted(), mine.counted()
            if any(mine.group(name) in now and kinds.group(name) not in was for name in names):
                return True
        return False
