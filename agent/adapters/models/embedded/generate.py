"""Generate without a model: search-based repair of the anchor, screened on the tests that failed before.

It proposes what survived screening and claims nothing more; the loop verifies. It never answers free-text requests.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from agent.adapters.models.embedded.operators import KNOWN
from agent.adapters.models.embedded.plausible import order, penalties
from agent.adapters.models.embedded.scope import Edit
from agent.adapters.models.embedded.search import anchor_start, candidates, probes, replacement
from agent.domain.edit import Anchor, Draft
from agent.ports import OUT_OF_TIME, Clock, Screened, Screener, WriteRequest, Written

LABEL = "embedded rules, not calibrated"
MODEL = "embedded/search"
MOST = 20_000  # candidates of one call: the search is exhausted or out of time before that on functions of 40 lines
MOST_BYTES = 96 * 1024**2  # of all drafts together, so that a long anchor cannot fill the memory
ENOUGH = 24  # survivors collected before the best-ranked are handed over
SCREENED, SIFTED = 200, 12  # green tests a search has at most; survivors held against the others
SIFTING, LEAST = 30.0, 3.0  # seconds that may take, and from which it is worth starting
LONGER = 4.0  # seconds of looking on when something speaks against every survivor: what was found then, came in 2.6
RESERVE = 1.0  # seconds of a call kept for opening the box and reading its report


class EmbeddedGenerator:
    """Implements the Generator port; remembers what it tried, so that a second call goes on where the first stopped."""

    label = LABEL
    repairs = False
    prose = False
    room = 0

    def __init__(self, screener: Screener, clock: Clock, without: Sequence[str] = ()) -> None:
        """`without`: families of repairs left out, for measuring what the others do; ValueError for an unknown one."""
        unknown = sorted(set(without) - KNOWN)
        if unknown:
            raise ValueError(f"no such family of repairs: {', '.join(unknown)}; known are {', '.join(sorted(KNOWN))}")
        self._screener = screener
        self._clock = clock
        self._without = frozenset(without)
        self._seen: dict[str, set[bytes]] = {}
        self._kept: dict[str, list[Draft]] = {}

    def write(self, request: WriteRequest, n: int) -> Written:
        """Up to `n` drafts of the whole anchor, best first; none without an anchor or a failing test."""
        begin = self._clock()
        if request.anchor is None:
            return self._none(begin, "embedded rules write no free text")
        if not request.failing:
            return self._none(begin, "no failing test to search against")
        key = _key(request.anchor, request.failing)
        waiting = self._kept.get(key, [])
        if waiting:
            self._kept[key] = waiting[n:]
            return self._some(begin, waiting[:n], f"{len(waiting)} survivors left of an earlier search")
        start = anchor_start(request)
        if start is None:
            return self._none(begin, "the anchor's bytes do not stand in the source")
        return self._search(request, request.anchor, start, n, begin, key)

    def _search(self, request: WriteRequest, anchor: Anchor, start: int, n: int, begin: float, key: str) -> Written:
        seen = self._seen.setdefault(key, set())
        most = min(MOST, MOST_BYTES // max(1, len(anchor.old)))
        asked = probes(request)
        edits = [edit for edit in (*asked, *candidates(request, most, self._without)) if _mark(edit) not in seen]
        drafts = [
            Draft(text=replacement(anchor, edit, start), note=note(edit), probe=place < len(asked) and edit in asked)
            for place, edit in enumerate(edits)
        ]
        results = self._screened(request, edits, drafts, max(n, ENOUGH), begin) if drafts else ()
        seen.update(_mark(edit) for edit, result in zip(edits, results, strict=True) if result.tried)
        survivors = [place for place, result in enumerate(results) if result.passed]
        best = sorted(order(request, edits, survivors), key=lambda place: -results[place].extra)
        found = [(drafts[place], results[place]) for place in best]
        sifted = self._sifted(request, found, begin)
        ranked = compared(sifted)
        self._kept[key] = ranked[n:]
        stop = "stop" if ranked or all(result.tried for result in results) else OUT_OF_TIME
        return self._some(begin, ranked[:n], _told(results, len(found) - len(sifted)), stop)

    def _screened(
        self, request: WriteRequest, edits: Sequence[Edit], drafts: Sequence[Draft], enough: int, begin: float
    ) -> Sequence[Screened]:
        """Screen drafts; when something speaks against every survivor, look a little longer for a better one."""
        results = self._screener.try_all(request, drafts, self._left(request, begin), enough)
        survivors = [place for place, result in enumerate(results) if result.passed]
        rest = [place for place, result in enumerate(results) if not result.tried]
        seconds = min(LONGER, self._left(request, begin))
        doubts = penalties(request, edits, survivors) if survivors and rest and seconds > LEAST else {}
        if not doubts or not all(doubts.values()):
            return results
        # the survivors once more beside the others, as probes that end no search: what they do is to be compared
        places = [*survivors, *rest]
        again = [replace(drafts[place], probe=True) for place in survivors] + [drafts[place] for place in rest]
        more = zip(places, self._screener.try_all(request, again, seconds, enough), strict=True)
        found = dict(enumerate(results)) | {place: result for place, result in more if result.tried}
        return [found[place] for place in range(len(drafts))]

    def _left(self, request: WriteRequest, begin: float) -> float:
        """Seconds of this call that screening may still take."""
        return request.seconds - (self._clock() - begin) - RESERVE

    def _sifted(
        self, request: WriteRequest, found: Sequence[tuple[Draft, Screened]], begin: float
    ) -> Sequence[tuple[Draft, Screened]]:
        """Survivors of the search held against every test that reaches the file, when it had only some of them.

        A test that refutes one here saves the suite that would, and one that is refuted is nobody's rival.
        """
        seconds = min(SIFTING, self._left(request, begin))
        if len(request.passing) <= SCREENED or not found or seconds < LEAST:
            return found
        first = list({seen.behaviour: place for place, (_, seen) in reversed(list(enumerate(found)))}.values())
        chosen = sorted([*first, *(place for place in range(len(found)) if place not in first)][:SIFTED])
        drafts = [found[place][0] for place in chosen]
        again = self._screener.try_all(request, drafts, seconds, len(drafts))
        if all(result.tried for result in again):
            return [(draft, result) for draft, result in zip(drafts, again, strict=True) if result.passed]
        seen = dict(zip(chosen, again, strict=True))
        refuted = [place for place, one in seen.items() if one.tried and not one.passed and not one.timed_out]
        return [pair for place, pair in enumerate(found) if place not in refuted]

    def _none(self, begin: float, why: str) -> Written:
        return Written(drafts=(), seconds=self._clock() - begin, stop="nothing", model=MODEL, note=why)

    def _some(self, begin: float, drafts: Sequence[Draft], told: str, stop: str = "stop") -> Written:
        seconds = self._clock() - begin
        return Written(drafts=tuple(drafts), seconds=seconds, stop=stop, model=MODEL, note=told)


def compared(survivors: Sequence[tuple[Draft, Screened]]) -> list[Draft]:
    """The drafts, each knowing how many others passed as many tests, and in how many ways these behave otherwise."""
    found = []
    for draft, seen in survivors:
        rivals = [other for _, other in survivors if other is not seen and other.extra >= seen.extra]
        others = {other.behaviour for other in rivals} - {seen.behaviour, ""} if seen.behaviour else set()
        found.append(replace(draft, rivals=len(rivals), differ=len(others)))
    return found


def note(edit: Edit) -> str:
    """What the trace shows of a draft."""
    return f"{edit.family}, line {edit.line}"


def _told(results: Sequence[Screened], refuted: int) -> str:
    tried = sum(result.tried for result in results)
    passed = sum(result.passed for result in results)
    ways = len({result.behaviour for result in results if result.passed and result.behaviour})
    told = f"{len(results)} candidates, tried {tried}, {passed} passed screening"
    told += f" and behave in {ways} ways" if ways > 1 else ""
    return f"{told}; further tests left {passed - refuted}" if refuted else told


def _key(anchor: Anchor, failing: Sequence[str]) -> str:
    """One search: these bytes, and the tests that have to pass (what failed for many may do for fewer)."""
    return f"{anchor.path}:{hashlib.sha256(anchor.old).hexdigest()}:{hash(tuple(sorted(failing)))}"


def _mark(edit: Edit) -> bytes:
    return b"%d:%d:%b" % (edit.begin, edit.end, edit.text)
