"""Gathers the facts of one verdict, cheap and decisive ones first, within its time. Must not decide anything itself.

Order: the final suite; then base and final once more for the evidence tests and for whatever is newly red (one run
serves both); then R; then coverage; then the base's judge files. What time does not allow stays None and is named.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from agent.domain.suite import Spectrum, Status, SuiteRun
from agent.ports import Clock
from agent.verify.command import named_files
from agent.verify.compare import Sets, compare, seen_red
from agent.verify.facts import EVIDENCE_TESTS, REPEATS, TRIALS, Facts, Seen, Trial
from agent.verify.goal import failed_for_the_reason, named_tests
from agent.verify.hunks import Covered, Hunk, coverage, hunks_of, is_python, labels
from agent.verify.ids import file_of, status_of
from agent.verify.paths import collected_files, is_prose, is_test_path, judge_files, only_tests
from agent.verify.reach import suspicious
from agent.verify.suites import LEAST_SECONDS, Changes, Observed, Suites

FIXED_TRACED = 50
"""Fixed tests traced besides the evidence before the whole suite is: mostly they reach every changed line."""


class OutOfTime(Exception):
    """The time for this verdict is used up; caught where the facts are put together, never seen outside."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is to be judged."""

    baseline: SuiteRun
    changes: Changes
    goal: str
    written: tuple[str, ...]
    """Ids or files of tests this run wrote before its first edit."""


class Judging:
    """One verdict's runs. Use once: `facts()`."""

    def __init__(self, suites: Suites, clock: Clock, question: Question, deadline: float) -> None:
        self._suites = suites
        self._clock = clock
        self._question = question
        self._deadline = deadline
        self._collected: frozenset[str] = frozenset()

    def facts(self, final: Observed | None) -> Facts:
        """Every fact there is time for; `final` when the suite has just run on exactly this tree."""
        question, per_test = self._question, self._suites.command.pytest
        facts = Facts(baseline=question.baseline, final=None, tree="", per_test=per_test)
        try:
            seen = final or self._suites.full(question.changes, self._left(), "final")
        except OutOfTime:
            return replace(facts, unchecked=("the suite on the final tree",))
        facts = self._static(facts, seen)
        if seen.run.timed_out and self._clock() >= self._deadline - LEAST_SECONDS:
            facts = replace(facts, unchecked=("the suite on the final tree",))
        if not per_test or not seen.run.finished or not question.baseline.finished:
            return facts
        sets = compare(question.baseline, seen.run)
        for step in (self._evidence, self._coverage, self._base_judges):
            try:
                facts = step(facts, sets)
            except OutOfTime:
                break
            if sets.newly_red and any(not seen_red(facts.repeats.get(test, ())) for test in sets.newly_red):
                break  # broken: nothing can make it right
        return facts

    def _left(self) -> float:
        left = self._deadline - self._clock()
        if left < LEAST_SECONDS:
            raise OutOfTime
        return left

    def _static(self, facts: Facts, seen: Observed) -> Facts:
        """What the bytes of the change and the two runs tell without running anything more."""
        question = self._question
        ids = {case.id for run in (question.baseline, seen.run) for case in run.cases or ()}
        self._collected = collected_files(ids)
        tracked = seen.files - {change.path for change in question.changes if change.before is None}
        named = named_files(self._suites.command.argv, tracked)
        kept = only_tests(question.changes, self._collected)
        return replace(
            facts,
            final=seen.run,
            tree=seen.tree,
            touched=seen.touched,
            reverted_is_base=not kept,
            reverted_is_final=len(kept) == len(question.changes),
            named=named_tests(question.goal, ids),
            judges=judge_files(question.changes, tracked, named),
            edited_tests=tuple(change.path for change in kept if change.before is not None),
            suspicious=suspicious(question.changes, self._collected),
            coverage=labels(question.changes, None),
        )

    # --- rule 2, 3 and 7 -------------------------------------------------------------------------------------------

    def _evidence(self, facts: Facts, sets: Sets) -> Facts:
        candidates = self._candidates(facts, sets)
        repeats: dict[str, Seen] = dict.fromkeys(sets.newly_red, ())
        trials: list[Trial] = []
        for begin in (0, EVIDENCE_TESTS):
            batch = candidates[begin : begin + EVIDENCE_TESTS]
            if begin and (not batch or any(_so_far(trial) for trial in trials)):
                break
            if begin == 0 and not batch and not repeats:
                break
            trials += self._try(batch, facts, repeats)
        repeats = self._repeat(repeats)
        return replace(facts, trials=tuple(trials), repeats=repeats)

    def _candidates(self, facts: Facts, sets: Sets) -> list[Trial]:
        """Tests that may be evidence, cheapest first: fixed ones, and passing ones this run wrote."""
        if facts.reverted_is_final or facts.final is None:
            return []
        before, written = self._question.baseline, set(self._question.written)
        fixed = set(sets.fixed)
        found: list[tuple[float, Trial]] = []
        for case in facts.final.cases or ():
            if case.status is not Status.PASSED:
                continue
            base = status_of(before, case.id)
            if case.id in fixed:
                found.append((case.seconds, Trial(id=case.id, base=(base,))))
            elif base is None and (case.id in written or file_of(case.id) in written):
                found.append((case.seconds, Trial(id=case.id, written=True)))
        return [trial for _, trial in sorted(found, key=lambda one: (one[1].written, one[0], one[1].id))]

    def _try(self, batch: Sequence[Trial], facts: Facts, repeats: dict[str, Seen]) -> list[Trial]:
        """Two more runs on each side, and R; the base's runs also repeat what is newly red."""
        trials = list(batch)
        old = [trial.id for trial in trials if not trial.written]
        for _ in range(TRIALS - 1):
            if old or repeats:
                run = self._some((), [*old, *repeats], "base again")
                trials = [trial if trial.written else replace(trial, base=(*trial.base, status_of(run, trial.id)))
                          for trial in trials]  # fmt: skip
                repeats.update({test: (*seen, status_of(run, test)) for test, seen in repeats.items()})
        if not trials:
            return trials
        for _ in range(TRIALS - 1):
            run = self._some(self._question.changes, [trial.id for trial in trials], "evidence alone")
            trials = [replace(trial, alone=(*trial.alone, status_of(run, trial.id))) for trial in trials]
        return trials if facts.reverted_is_base else self._revert(trials)

    def _revert(self, trials: list[Trial]) -> list[Trial]:
        """On R once for tests the base has, three times for those this run wrote."""
        kept = only_tests(self._question.changes, self._collected)
        times = TRIALS if any(trial.written for trial in trials) else 1
        for _ in range(times):
            run = self._some(kept, [trial.id for trial in trials], "evidence with the sources of the base")
            messages = {case.id: case.message for case in run.cases or () if case.status.red}
            trials = [
                replace(
                    trial,
                    reverted=(*trial.reverted, status_of(run, trial.id)),
                    for_the_reason=failed_for_the_reason(messages.get(trial.id, ""), self._question.goal),
                )
                for trial in trials
            ]
        return trials

    def _repeat(self, repeats: dict[str, Seen]) -> dict[str, Seen]:
        """The base again for what is newly red, until it shows the failure or has had its five runs."""
        while open_tests := [test for test, seen in repeats.items() if _undecided(seen)]:
            run = self._some((), open_tests, "base again")
            repeats |= {test: (*repeats[test], status_of(run, test)) for test in open_tests}
        return repeats

    def _some(self, changes: Changes, ids: Sequence[str], what: str) -> SuiteRun:
        run = self._suites.some(changes, ids, self._left(), what)
        if run.timed_out:
            self._left()  # killed by our own deadline: say so rather than count it
        return run

    # --- rule 4 and 5 ----------------------------------------------------------------------------------------------

    def _coverage(self, facts: Facts, sets: Sets) -> Facts:
        if facts.final is None:
            return facts
        hunks, unknown = _split(self._question.changes, self._collected)
        paths = sorted({change.path for change in self._question.changes if is_python(change.path)})
        passing = facts.final.passed()
        first = [*(trial.id for trial in facts.trials or ()), *sets.fixed[:FIXED_TRACED], *sets.still_red]
        ids: Sequence[str] | None = list(dict.fromkeys(first)) or None
        while True:
            spectrum = self._trace(ids, paths) if hunks or sets.still_red else Spectrum()
            covered = (*coverage(hunks, spectrum, passing), *unknown)
            if ids is None or all(one.ran is not False for one in covered):
                break
            ids = None  # some line is reached by other tests only, or by none
        if spectrum.problem:
            covered = tuple(replace(one, ran=None) for one in covered)
        sources = tuple(one for one in self._question.changes if not is_test_path(one.path, self._collected))
        return replace(
            facts,
            hunks=covered,
            reaching=_reaching(sets.still_red, spectrum, [change.path for change in sources]),
            coverage=labels(self._question.changes, covered),
        )

    def _trace(self, ids: Sequence[str] | None, paths: Sequence[str]) -> Spectrum:
        spectrum = self._suites.spectrum(self._question.changes, ids, self._left(), paths)
        self._left()
        return spectrum

    # --- rule 6 ----------------------------------------------------------------------------------------------------

    def _base_judges(self, facts: Facts, _sets: Sets) -> Facts:
        put_back = {*facts.judges, *facts.edited_tests}
        if not put_back:
            return facts
        kept = tuple(change for change in self._question.changes if change.path not in put_back)
        again = self._suites.full(kept, self._left(), "final with the base's judge files").run
        if again.timed_out:
            self._left()
        return replace(facts, with_base_judges=again)


def _undecided(seen: Seen) -> bool:
    """The base has not shown this failure yet and may still; a test it does not have never will."""
    return not seen_red(seen) and None not in seen and len(seen) < REPEATS


def _so_far(trial: Trial) -> bool:
    """Still a candidate after its runs; the verdict decides, this only says whether to try others."""
    return all(status is Status.PASSED for status in trial.alone) and not any(
        status is Status.PASSED or status is None for status in (*trial.base, *trial.reverted)
    )


def _split(changes: Changes, collected: frozenset[str]) -> tuple[tuple[Hunk, ...], tuple[Covered, ...]]:
    """Hunks that can be traced, and source files in which nothing can be."""
    hunks: list[Hunk] = []
    unknown: list[Covered] = []
    for change in changes:
        if is_test_path(change.path, collected) or is_prose(change.path):
            continue
        found = hunks_of(change) if is_python(change.path) else None
        if found is None:
            unknown.append(Covered(path=change.path, begin=1, end=1, ran=None))
        else:
            hunks.extend(found)
    return tuple(hunks), tuple(unknown)


def _reaching(still_red: Sequence[str], spectrum: Spectrum, paths: Sequence[str]) -> tuple[str, ...] | None:
    """Old failures that execute a changed file; None when one of them that ran at all was not traced."""
    if spectrum.problem:
        return None
    traced = {test for test in still_red if test in spectrum.lines}
    if any("::" in test and test not in traced for test in still_red):
        return None
    return tuple(sorted(test for test in traced if any(spectrum.lines[test].get(path) for path in paths)))
