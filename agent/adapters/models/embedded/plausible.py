"""Which of several survivors to hand over first: the search's order, corrected by what an edit mixes. Pure.

Variables that the code compares, adds or assigns with one another form groups. An edit that joins two groups the
original kept apart more often fits the visible tests by accident (in the prototype all 15 such accidents of one program
were flagged and its 3 good repairs not; good ones of other programs were flagged too). So it is a penalty, no filter.
"""

import ast
from collections.abc import Sequence

from agent.adapters.models.embedded.kinds import Kinds
from agent.adapters.models.embedded.scope import Edit
from agent.adapters.models.embedded.search import Costs
from agent.ports import WriteRequest

MIXED = 0.9  # cost of joining groups, against the priors
CONSTANT = 0.6  # cost of a condition that no longer depends on anything


def order(request: WriteRequest, edits: Sequence[Edit], survivors: Sequence[int]) -> list[int]:
    """Survivors' places, best first."""
    if len(survivors) < 2:
        return list(survivors)
    names = _names(request.source)
    before = _groups(request.source, names)
    line = Costs(request.suspicion)
    costs = {
        place: edits[place].prior + line.of(edits[place].line) + _penalty(request.source, edits[place], names, before)
        for place in survivors
    }
    return sorted(survivors, key=lambda place: costs[place])


def _penalty(source: bytes, edit: Edit, names: frozenset[str], before: int) -> float:
    after = source[: edit.begin] + edit.text + source[edit.end :]
    cost = MIXED if _groups(after, names) < before else 0.0
    return cost + (CONSTANT if edit.family == "constant condition" else 0.0)


def _groups(source: bytes, names: frozenset[str]) -> int:
    """How many groups the functions' variables form, each function for itself; names of the original alone count."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return 0
    count = 0
    for node in tree.body:
        kinds = Kinds(node)
        count += len({kinds.group(name) for name in names})
    return count


def _names(source: bytes) -> frozenset[str]:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return frozenset()
    return frozenset(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
