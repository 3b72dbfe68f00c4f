"""Gathers the facts of one verdict, cheap and decisive ones first, within its time. Must not decide anything itself.

Order: the final suite; then base and final once more for the evidence tests and for whatever is newly red (one run
serves both); then R; then coverage; then the base's judge files. What time does not allow stays None and is named.
"""

from dataclasses import replace

from agent.verify import evidence, execution
from agent.verify.bench import Bench, OutOfTime
from agent.verify.command import named_files
from agent.verify.compare import Sets, broken_and_flaky, compare
from agent.verify.examples import with_old_texts
from agent.verify.facts import Facts
from agent.verify.goal import named_tests
from agent.verify.hunks import labels
from agent.verify.paths import collected_files, holding_tests, judge_files, new_names, only_tests
from agent.verify.reach import suspicious
from agent.verify.suites import LEAST_SECONDS, Observed

NAMES_SECONDS = 20.0
"""What asking for names of installed modules may take: mostly a tenth of a second."""


def facts_of(bench: Bench, known: Observed | None) -> Facts:
    """Every fact there is time for; `known`: the suite has just run on exactly the final tree."""
    baseline, per_test = bench.question.baseline, bench.suites.command.framework.per_test
    facts = Facts(baseline=baseline, final=None, tree="", per_test=per_test, undecided=bench.question.undecided)
    try:
        seen = known or bench.suites.full(bench.question.changes, bench.left(), "final")
    except OutOfTime:
        return replace(facts, unchecked=("the suite on the final tree",))
    ids = {case.id for run in (baseline, seen.run) for case in run.cases or ()}
    bench = replace(bench, collected=collected_files(ids))
    facts = _static(bench, facts, seen, ids)
    if seen.run.timed_out and bench.clock() >= bench.deadline - LEAST_SECONDS:
        facts = replace(facts, unchecked=("the suite on the final tree",))
    if not per_test or not seen.run.finished or not baseline.finished:
        return facts
    return _dynamic(bench, facts, compare(baseline, seen.run))


def _static(bench: Bench, facts: Facts, seen: Observed, ids: set[str]) -> Facts:
    """What the bytes of the change and the two runs tell without running anything more."""
    changes = bench.question.changes
    tracked = seen.files - {change.path for change in changes if change.before is None}
    named = named_files(bench.suites.command.argv, tracked)
    names = new_names(changes, tracked) if facts.per_test else frozenset()
    installed = bench.suites.importable(names, NAMES_SECONDS) if names else frozenset()
    kept = only_tests(changes, bench.collected)
    texts, _ = with_old_texts(changes, bench.collected)
    return replace(
        facts,
        final=seen.run,
        tree=seen.tree,
        touched=seen.touched,
        reverted_is_base=not kept,
        reverted_is_final=len(kept) == len(changes),
        named=named_tests(bench.question.goal, ids),
        judges=judge_files(changes, tracked, named, installed, bench.collected),
        edited_tests=tuple(change.path for change in kept if change.before is not None),
        new_tests=tuple(change.path for change in kept if change.before is None),
        texts=texts,
        own_tests=holding_tests(changes),
        suspicious=suspicious(changes, bench.collected, seen.files),
        coverage=labels(changes, None),
    )


def _dynamic(bench: Bench, facts: Facts, sets: Sets) -> Facts:
    """The runs, until time is up or the change is known to break something: nothing can make that right."""
    for step in (evidence.gather, execution.gather, _with_base_judges):
        try:
            facts = step(bench, facts, sets)
        except OutOfTime:
            return facts
        if broken_and_flaky(facts, sets.newly_red)[0]:
            return facts
    return facts


def _with_base_judges(bench: Bench, facts: Facts, _sets: Sets) -> Facts:
    """The suite once more, with every changed judge file and test as the base has it, new ones left out."""
    put_back = {*facts.judges, *facts.edited_tests, *facts.new_tests}
    if not put_back and not facts.texts:
        return facts
    _, changes = with_old_texts(bench.question.changes, bench.collected)
    kept = tuple(change for change in changes if change.path not in put_back)
    again = bench.suites.full(kept, bench.left(), "final with the base's judge files").run
    if again.timed_out:
        bench.left()
    return replace(facts, with_base_judges=again)
