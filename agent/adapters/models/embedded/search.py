"""From a request to ranked, distinct edits of its anchor. Pure: proposes and orders, never runs anything."""

import ast
import heapq
from collections.abc import Container, Iterator, Sequence

from agent.adapters.models.embedded.merging import apart, merged
from agent.adapters.models.embedded.operators import FAMILIES
from agent.adapters.models.embedded.scope import Edit, Scope
from agent.domain.edit import Anchor
from agent.index.localise import raised_at
from agent.ports import WriteRequest

SUSPICION_WEIGHT = 2.0  # cost of a line no failing test executes, against the priors; from the prototype's measurements
RAISED = 0.8  # taken off at lines an exception of a red test passed through; not measured
EVERYWHERE = "everywhere"  # the family of one replacement made at several places
LIKE_BYTES, LIKE_PLACES, LIKE_PRIOR = 60, 8, 2.8  # of such a replacement at most: bytes, places, prior of each
PROBE = 4.5  # prior of a condition made constant: last among survivors
PROBES = 60  # of one anchor


def candidates(request: WriteRequest, most: int, without: Container[str] = ()) -> list[Edit]:
    """Edits inside the anchor, all different, best first, at most `most`; none for a file that is no Python.

    Families in `without` are left out; what another family proposes as well stays.
    """
    if request.anchor is None:
        return []
    scope = Scope(request.source, request.anchor, request.told)
    if scope.tree is None:
        return []
    begin, end = scope.line_start(request.anchor.begin), scope.line_start(request.anchor.end + 1)
    offers = Offers(request.source, costs_of(request))
    for family in FAMILIES:
        for edit in family(scope):
            if edit.family not in without and begin <= edit.begin and edit.end <= end:
                offers.add(edit)
    if EVERYWHERE not in without:
        for edits in list(offers.alike.values()):
            for edit in everywhere(request.source, edits):
                offers.add(edit)
    return offers.best(most)


class Offers:
    """Distinct edits of one source, of equal ones the likeliest; `alike` has those that replace one text by another."""

    def __init__(self, source: bytes, cost: "Costs") -> None:
        self._source, self._cost = source, cost
        self._best: dict[tuple[int, int, bytes], tuple[float, int, Edit]] = {}
        self.alike: dict[tuple[bytes, bytes], list[Edit]] = {}
        self._count = 0

    def add(self, edit: Edit) -> None:
        """Take in one edit; one that changes nothing is dropped."""
        old = self._source[edit.begin : edit.end]
        if old == edit.text:
            return
        self._count += 1
        key = trimmed(self._source, edit)
        price = edit.prior + self._cost.of(edit.line)
        if key not in self._best or price < self._best[key][0]:
            self._best[key] = (price, self._count, edit)
        if old and len(edit.text) <= LIKE_BYTES and edit.prior <= LIKE_PRIOR:
            self.alike.setdefault((old, edit.text), []).append(edit)

    def best(self, most: int) -> list[Edit]:
        """The likeliest, at most `most`; of equal price, what was offered first."""
        return [edit for _, _, edit in heapq.nsmallest(most, self._best.values())]


def everywhere(source: bytes, edits: Sequence[Edit]) -> Iterator[Edit]:
    """The same replacement of the same text at all its places at once, when there are a few."""
    places = list({(edit.begin, edit.end): edit for edit in edits}.values())
    if 2 <= len(places) <= LIKE_PLACES and apart(places):
        yield merged(source, places, max(edit.prior for edit in places) + 0.6, EVERYWHERE)


def probes(request: WriteRequest) -> list[Edit]:
    """Conditions of the anchor made constant. One that passes tells that the tests do not see what it depends on."""
    if request.anchor is None:
        return []
    scope = Scope(request.source, request.anchor)
    found = [
        edit
        for node in scope.expressions
        if isinstance(node, ast.Compare) or isinstance(scope.parents.get(node), ast.BoolOp)
        for edit in (
            scope.replace(node, b"False", PROBE, "probe"),
            scope.replace(node, b"True", PROBE, "probe"),
        )
    ]
    return found[:PROBES]


class Costs:
    """What suspicion adds to a prior, per line, and what it takes off where an exception was seen."""

    def __init__(self, suspicion: Sequence[tuple[int, float]], raised: Container[int] = ()) -> None:
        self._lines, self._raised = dict(suspicion), raised
        self._most = max(self._lines.values(), default=0.0)

    def of(self, line: int) -> float:
        """0 for the most suspicious line, SUSPICION_WEIGHT for one without suspicion; 0 where nothing is known."""
        here = RAISED if line in self._raised else 0.0
        if not self._most:
            return -here
        return SUSPICION_WEIGHT * (1 - self._lines.get(line, 0.0) / self._most) - here


def costs_of(request: WriteRequest) -> Costs:
    """Costs of the lines of the request's anchor."""
    path = request.anchor.path if request.anchor else ""
    return Costs(request.suspicion, raised_at(path, request.told))


def trimmed(source: bytes, edit: Edit) -> tuple[int, int, bytes]:
    """The edit without what it leaves as it was at both ends: equal for edits that make the same file."""
    old, new = source[edit.begin : edit.end], edit.text
    most = min(len(old), len(new))
    front = next((i for i in range(most) if old[i] != new[i]), most)
    most -= front
    back = next((i for i in range(most) if old[-1 - i] != new[-1 - i]), most)
    return edit.begin + front, edit.end - back, new[front : len(new) - back]


def anchor_start(request: WriteRequest) -> int | None:
    """Byte offset of the anchor in the source; None when its bytes do not stand at its lines."""
    anchor = request.anchor
    if anchor is None:
        return None
    start = Scope(request.source, anchor).line_start(anchor.begin)
    return start if request.source[start : start + len(anchor.old)] == anchor.old else None


def replacement(anchor: Anchor, edit: Edit, start: int) -> bytes:
    """The anchor's bytes with the edit made; `start` is the anchor's offset in the source."""
    old = anchor.old
    return old[: edit.begin - start] + edit.text + old[edit.end - start :]
