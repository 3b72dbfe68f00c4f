"""Rules 2, 3 and 7: repeats the tests that may tell the change from the base, and those that are newly red."""

from collections.abc import Sequence
from dataclasses import replace

from agent.domain.suite import Status, SuiteRun
from agent.verify.bench import Bench
from agent.verify.compare import Sets, all_red, seen_red
from agent.verify.facts import EVIDENCE_TESTS, REPEATS, TRIALS, Facts, Seen, Trial
from agent.verify.goal import failed_for_the_reason
from agent.verify.ids import file_of, interchangeable, status_of
from agent.verify.paths import only_tests

EVIDENCE_SHARE = 0.3
"""Of the time that is left, what repeating evidence tests may take before fewer than three are repeated."""

Priced = tuple[float, Trial]
"""Seconds one run of a test costs on both sides together, and the test."""


def gather(bench: Bench, facts: Facts, sets: Sets) -> Facts:
    """Trials of the evidence tests and repeats of the newly red ones; the same runs of the base serve both."""
    repeats: dict[str, Seen] = dict.fromkeys(sets.newly_red, ())
    found = _candidates(bench, facts, sets)
    candidates = [one for one in found if bench.suites.command.framework.narrows([one[1].id])]
    facts = replace(facts, apart=bool(candidates) or not found)
    first = _affordable(bench, candidates)
    trials = _try(bench, facts, first, repeats) if first or repeats else []
    repeats = _repeat(bench, repeats)
    again = _suite_again(bench, repeats)
    if first and not any(_so_far(trial) for trial in trials):
        second = _affordable(bench, candidates[len(first) :])
        trials += _try(bench, facts, second, {}) if second else []
    return replace(facts, trials=tuple(trials), repeats=repeats, suite_again=again)


def _candidates(bench: Bench, facts: Facts, sets: Sets) -> list[Priced]:
    """Tests that may be evidence, cheapest first: fixed ones, then passing ones this run wrote."""
    if facts.reverted_is_final or facts.final is None:
        return []
    before, written, fixed = bench.question.baseline, set(bench.question.written), set(sets.fixed)
    # a test that hangs on the base costs its whole time limit there
    cost = {case.id: case.seconds for case in before.cases or ()}
    found: list[Priced] = []
    for case in facts.final.cases or ():
        if interchangeable(case.id):
            continue
        if case.id in fixed:
            trial = Trial(id=case.id, base=(status_of(before, case.id),))
            found.append((case.seconds + cost.get(case.id, 0.0), trial))
            continue
        ours = bool({case.id, file_of(case.id)} & written) and status_of(before, case.id) is None
        if ours and case.status is Status.PASSED:
            found.append((case.seconds, Trial(id=case.id, written=True)))
    return sorted(found, key=lambda one: (one[1].written, one[0], one[1].id))


def _affordable(bench: Bench, candidates: list[Priced]) -> list[Trial]:
    """The cheapest few; fewer of them where their runs would take the time that coverage needs."""
    share = bench.left() * EVIDENCE_SHARE / (TRIALS - 1)
    few = candidates[:EVIDENCE_TESTS]
    while len(few) > 1 and sum(seconds for seconds, _ in few) > share:
        few = few[:-1]
    return [trial for _, trial in few]


def _try(bench: Bench, facts: Facts, trials: list[Trial], repeats: dict[str, Seen]) -> list[Trial]:
    """Two more runs on each side, and R; `repeats` is filled from the runs of the base.

    The last of them has another hash seed, the same on both sides: what passes or fails by the order of a set alone is
    no evidence. Not where newly red tests run along: what another seed breaks excuses no change.
    """
    old = [trial.id for trial in trials if not trial.written]
    for turn in range(TRIALS - 1):
        if old or repeats:
            run = bench.some((), [*old, *repeats], "base again", 0 if repeats else turn)
            trials = [
                trial if trial.written else replace(trial, base=(*trial.base, told(run, trial.id))) for trial in trials
            ]
            repeats.update({test: (*seen, told(run, test)) for test, seen in repeats.items()})
    for turn in range(TRIALS - 1 if trials else 0):
        run = bench.some(
            bench.question.changes, [trial.id for trial in trials], "evidence alone", 0 if repeats else turn
        )
        trials = [replace(trial, alone=(*trial.alone, told(run, trial.id))) for trial in trials]
    return trials if facts.reverted_is_base or not trials else _revert(bench, trials)


def _revert(bench: Bench, trials: list[Trial]) -> list[Trial]:
    """On R once for tests the base has, three times when one is among them that this run wrote."""
    kept = only_tests(bench.question.changes, bench.collected)
    for _ in range(TRIALS if any(trial.written for trial in trials) else 1):
        run = bench.some(kept, [trial.id for trial in trials], "evidence with the sources of the base")
        messages = {case.id: case.message for case in run.cases or () if case.status.red}
        trials = [
            replace(
                trial,
                reverted=(*trial.reverted, told(run, trial.id)),
                for_the_reason=failed_for_the_reason(messages.get(trial.id, ""), bench.question.goal),
            )
            for trial in trials
        ]
    return trials


def _repeat(bench: Bench, repeats: dict[str, Seen]) -> dict[str, Seen]:
    """The base again for what is newly red, until it comes and goes there or has had its five runs."""
    while undecided := [test for test, seen in repeats.items() if _undecided(seen)]:
        run = bench.some((), undecided, "base again")
        repeats |= {test: (*repeats[test], told(run, test)) for test in undecided}
    return repeats


def _suite_again(bench: Bench, repeats: dict[str, Seen]) -> dict[str, Status | None]:
    """The base's whole suite once more for tests that are red there whenever they run alone: some need their order."""
    if not (lonely := [test for test, seen in repeats.items() if seen and all_red(seen)]):
        return {}
    run = bench.suites.full((), bench.left(), "base's suite again").run
    if run.timed_out:
        bench.left()
    return {test: told(run, test) for test in lonely}


def told(run: SuiteRun, test: str) -> Status | None:
    """How a test ended, None when the report of this run is not whole: a part of one proves nothing."""
    return status_of(run, test) if run.finished else None


def _undecided(seen: Seen) -> bool:
    """The base has not shown both ends yet and may still; a test it does not have never will."""
    shown = seen_red(seen) and Status.PASSED in seen
    return not shown and None not in seen and len(seen) < REPEATS


def _so_far(trial: Trial) -> bool:
    """Still a candidate after its runs; the verdict decides, this only says whether to try others."""
    without: Sequence[Status | None] = (*trial.base, *trial.reverted)
    return all(status is Status.PASSED for status in trial.alone) and all(
        status is not None and status.red for status in without
    )
