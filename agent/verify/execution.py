"""Rules 4 and 5: which changed lines and which old failures meet, seen in a separate run with the tracer."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from agent.domain.suite import Spectrum, SuiteRun
from agent.verify.bench import Bench
from agent.verify.compare import Sets
from agent.verify.facts import Facts
from agent.verify.hunks import Covered, Hunk, coverage, hunks_of, is_python, labels
from agent.verify.ids import CUT, normalise
from agent.verify.paths import is_configuration, is_prose, is_test_path
from agent.verify.suites import Changes

FIXED_TRACED = 50
"""Fixed tests traced besides the evidence before the whole suite is: mostly they reach every changed line."""


def gather(bench: Bench, facts: Facts, sets: Sets) -> Facts:
    """Hunks with what executed them, and old failures that run through the change."""
    if facts.final is None:
        return facts
    traces = bench.suites.command.framework.traces
    changes = bench.question.changes
    hunks, unknown = _split(changes, bench.collected)
    sources = [change.path for change in changes if not is_test_path(change.path, bench.collected)]
    first = [*(trial.id for trial in facts.trials or ()), *sets.fixed[:FIXED_TRACED], *sets.still_red]
    ids: Sequence[str] | None = list(dict.fromkeys(first)) or None
    while True:
        spectrum = _trace(bench, ids, sources) if traces and (hunks or sets.still_red) else Spectrum()
        covered = (*coverage(hunks, spectrum, facts.final.passed()), *unknown)
        if not traces or ids is None or all(one.ran is not False for one in covered):
            break
        ids = None  # some line is reached by other tests only, or by none
    imported = any(hunk.at_import for hunk in hunks)
    if spectrum.problem or not traces:
        covered = tuple(replace(one, ran=None) for one in covered)
    return replace(
        facts,
        hunks=covered,
        unseen=() if traces else sets.still_red,
        reaching=_reaching(sets.still_red, spectrum, facts, sources, imported=imported) if traces else (),
        coverage=labels(changes, covered),
    )


def _trace(bench: Bench, ids: Sequence[str] | None, sources: Sequence[str]) -> Spectrum:
    only = [path for path in sources if is_python(path)]
    spectrum = bench.suites.spectrum(bench.question.changes, ids, bench.left(), only)
    bench.left()
    return spectrum


def _split(changes: Changes, collected: frozenset[str]) -> tuple[tuple[Hunk, ...], tuple[Covered, ...]]:
    """Hunks that can be traced, and source files in which nothing can be."""
    hunks: list[Hunk] = []
    unknown: list[Covered] = []
    for change in changes:
        if is_test_path(change.path, collected) or is_prose(change.path) or is_configuration(change.path):
            continue
        found = hunks_of(change) if is_python(change.path) else None
        if found is None:
            unknown.append(Covered(path=change.path, begin=1, end=1, ran=None))
        else:
            hunks.extend(found)
    return tuple(hunks), tuple(unknown)


def _reaching(
    still_red: Sequence[str], spectrum: Spectrum, facts: Facts, paths: Sequence[str], *, imported: bool
) -> tuple[str, ...] | None:
    """Old failures that execute a changed file; None when one of them that ran at all was not traced.

    `imported`: some of the change runs when its module is imported. A test that reads what was set there executes none
    of it; that it fails in other words than before is the only sign.
    """
    if spectrum.problem:
        return None
    traced = {test for test in still_red if test in spectrum.lines}
    if any("::" in test and test not in traced for test in still_red):
        return None
    reaching = {test for test in traced if any(spectrum.lines[test].get(path) for path in paths)}
    before, messages = _messages(facts.baseline), _messages(facts.final)
    printed = facts.final.output if facts.final else ""
    for test in set(still_red) - traced:
        message = messages.get(test, "")
        if _blames(message + printed if message.endswith(CUT) else message, paths):
            reaching.add(test)
    if imported:
        reaching |= {test for test in still_red if before.get(test, "") != messages.get(test, "")}
    return tuple(sorted(reaching))


def _messages(run: SuiteRun | None) -> dict[str, str]:
    """How each test of a run failed, without what changes from run to run."""
    return {case.id: normalise(case.message) for case in (run.cases if run else None) or () if case.status.red}


def _blames(message: str, paths: Sequence[str]) -> bool:
    """A test file that could not be imported, and says that a changed file is the reason."""
    if any(path in message for path in paths):
        return True
    plain = (PurePosixPath(path).with_suffix("").as_posix() for path in paths)
    names = {name.replace("/", ".").removesuffix(".__init__").removeprefix("src.") for name in plain}
    return any(f"'{name}'" in message for name in names)
