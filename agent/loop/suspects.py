"""Where the fault may lie: runs the tracer over red and green tests and keeps the scores; must not pick a place."""

from collections.abc import Mapping

from agent.domain.thresholds import SPECTRUM_SHARE
from agent.errors import WorkspaceError
from agent.guards.paths import protected
from agent.index.localise import MODULE_SCORE, Suspect, by_likeness, heat, localise, place_of, raised_at
from agent.index.rank import bm25, words
from agent.loop.context import Context

_ALL = 20.0  # seconds of baseline up to which every test is traced; above it, those beside the red ones only
_SLOWER = 4.0  # times a traced run may take as long as one without: 1.3 to 3 on suites of libraries, and some room
_ABOUT = 0.6  # of the best likeness to the goal, from which a red test counts as what the goal is about
_LEAST = 2.0  # seconds below which a traced run is not worth starting


def find_suspects(context: Context) -> None:
    """Renew spectrum, suspects and line scores for the tests still red; without any, there is nothing to suspect."""
    book = context.book
    # what was learned before the last edit still holds for the files it left alone
    book.suspects = tuple(one for one in book.suspects if one.path not in book.changed)
    seconds = min(context.options.timeouts.suite, context.meter.loop_left * SPECTRUM_SHARE)
    if not book.red:
        book.suspects, book.heat = (), {}
    if not book.red or seconds < _LEAST:
        return
    changes = context.ports.workspace.changes()
    spectrum = context.verifier.spectrum(changes, _traced(context, seconds), seconds)
    context.trace("effect", effect="spectrum", tests=len(spectrum.lines), problem=spectrum.problem)
    if spectrum.problem:
        return
    book.spectrum = spectrum
    book.heat = heat(spectrum, book.red, book.good)
    if not book.kept:
        book.focus = focus(context.task.goal, book.red, _messages(context))
    red, sources = _concerned(context), _sources(context)
    found = [
        *(localise(spectrum, book.focus & red, book.good, sources) if book.focus & red else ()),
        *(localise(spectrum, red, book.good, sources) if red else ()),
    ]
    found.sort(key=lambda one: one.score <= MODULE_SCORE)  # whole functions before blocks of module level
    places = {(one.path, one.begin): one for one in reversed(found)}  # the goal's own ranking wins
    ordered = dict.fromkeys((one.path, one.begin) for one in found if protected(one.path, context.paths) is None)
    texts = {place_of(one): _text(sources[one.path], one) for one in places.values()}
    told = "\n".join(_messages(context).get(test, "") for test in sorted(red))
    raised = {path: raised_at(path, told) for path in sources}
    likeness = bm25(words(context.task.goal), texts)
    book.suspects = by_likeness([places[place] for place in ordered], likeness, raised)


def _text(source: bytes, place: Suspect) -> str:
    return b"\n".join(source.split(b"\n")[place.begin - 1 : place.end]).decode("utf-8", "replace")


def focus(goal: str, red: frozenset[str], messages: Mapping[str, str]) -> frozenset[str]:
    """The red tests the goal is about, by words in common; all of them when nothing tells them apart.

    Several faults dilute one another's scores: a line that only one of four red tests runs looks half innocent.
    """
    likeness = bm25(words(goal), {test: f"{test} {messages.get(test, '')}" for test in red})
    best = max(likeness.values(), default=0.0)
    return frozenset(test for test, score in likeness.items() if best and score >= _ABOUT * best) or red


def _concerned(context: Context) -> frozenset[str]:
    """Red tests this run has to do with: all at first; once an edit is kept, the goal's and those that reach it."""
    book = context.book
    if not book.kept:
        return book.red
    files = [book.spectrum.of_file(kept.rpartition(":")[0]) for kept in book.kept]
    return frozenset(test for test in book.red if test in book.focus or any(test in reach for reach in files))


def _messages(context: Context) -> dict[str, str]:
    return context.book.failures


def _traced(context: Context, seconds: float) -> tuple[str, ...] | None:
    """All tests when there is time for them, else the red ones and the quickest beside them that fit."""
    book = context.book
    if book.baseline is None:
        return None
    if book.baseline.seconds <= min(_ALL, seconds / _SLOWER):
        return None
    return traced(book.red, book.good, book.seconds, seconds / _SLOWER)


def traced(red: frozenset[str], good: frozenset[str], took: Mapping[str, float], seconds: float) -> tuple[str, ...]:
    """Red tests, and green ones of their files, quickest first, while all together take at most `seconds`."""
    modules = {test.split("::")[0] for test in red}
    beside = sorted((took.get(test, 0.0), test) for test in good if test.split("::")[0] in modules)
    left = seconds - sum(took.get(test, 0.0) for test in red)
    chosen = sorted(red)
    for cost, test in beside:
        left -= cost
        if left < 0:
            break
        chosen.append(test)
    return tuple(chosen)


def _sources(context: Context) -> dict[str, bytes]:
    """Present bytes of every traced file of the tree that is no test."""
    found: dict[str, bytes] = {}
    for path in sorted({path for files in context.book.spectrum.lines.values() for path in files}):
        try:
            found[path] = context.ports.workspace.read(path)
        except WorkspaceError:
            continue  # executed but not tracked: nothing an edit could change
    return found
