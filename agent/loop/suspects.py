"""Where the fault may lie: runs the tracer over red and green tests and keeps the scores; must not pick a place."""

from agent.domain.thresholds import SPECTRUM_SHARE
from agent.errors import WorkspaceError
from agent.guards.paths import protected
from agent.index.localise import heat, localise
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
    book.heat = heat(spectrum, book.red, book.good)
    found = localise(spectrum, book.red, book.good, _sources(context))
    book.suspects = tuple(one for one in found if protected(one.path, context.paths) is None)


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
