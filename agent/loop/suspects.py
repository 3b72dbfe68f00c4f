"""Where the fault may lie: runs the tracer over red and green tests and keeps the scores; must not pick a place."""

from collections import Counter
from math import sqrt

from agent.domain.suite import Spectrum
from agent.domain.thresholds import SPECTRUM_SHARE
from agent.errors import WorkspaceError
from agent.loop.context import Context

_ALL = 20.0  # seconds of baseline up to which every test is traced; above it, those beside the red ones only
_LEAST = 2.0  # seconds below which a traced run is not worth starting


def find_suspects(context: Context) -> None:
    """Renew spectrum, suspects and line scores for the tests still red; without any, there is nothing to suspect."""
    book = context.book
    book.suspects, book.heat = (), {}
    seconds = min(context.options.timeouts.suite, context.meter.loop_left * SPECTRUM_SHARE)
    if not book.red or seconds < _LEAST:
        return
    changes = context.ports.workspace.changes()
    spectrum = context.verifier.spectrum(changes, _traced(context), seconds)
    context.trace("effect", effect="spectrum", tests=len(spectrum.lines), problem=spectrum.problem)
    if spectrum.problem:
        return
    book.spectrum = spectrum
    book.heat = heat_of(spectrum, book.red, book.good)


def heat_of(spectrum: Spectrum, red: frozenset[str], good: frozenset[str]) -> dict[str, dict[int, float]]:
    """Ochiai per executed line, path -> line -> 0..1: red runs over the root of all red runs times all runs of it."""
    reds: Counter[tuple[str, int]] = Counter()
    greens: Counter[tuple[str, int]] = Counter()
    for test, files in spectrum.lines.items():
        counted = reds if test in red else greens if test in good else None
        if counted is not None:
            counted.update((path, line) for path, lines in files.items() for line in lines)
    total = len(red & spectrum.lines.keys())
    heat: dict[str, dict[int, float]] = {}
    for (path, line), count in reds.items():
        heat.setdefault(path, {})[line] = count / sqrt(total * (count + greens[path, line]))
    return heat


def _traced(context: Context) -> tuple[str, ...] | None:
    book = context.book
    if book.baseline is None or book.baseline.seconds <= _ALL:
        return None
    modules = {test.split("::")[0] for test in book.red}
    beside = sorted(test for test in book.good if test.split("::")[0] in modules)
    return (*sorted(book.red), *beside)


def _sources(context: Context) -> dict[str, bytes]:
    """Present bytes of every traced file of the tree that is no test."""
    found: dict[str, bytes] = {}
    for path in sorted({path for files in context.book.spectrum.lines.values() for path in files}):
        try:
            found[path] = context.ports.workspace.read(path)
        except WorkspaceError:
            continue  # executed but not tracked: nothing an edit could change
    return found
