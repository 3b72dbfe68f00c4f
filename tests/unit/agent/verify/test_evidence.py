"""Which runs count as evidence: whole ones, of tests that can be run apart."""

from dataclasses import dataclass, field

import pytest

from agent.domain.edit import Change
from agent.domain.suite import Case, Status, SuiteRun
from agent.verify.bench import Bench, Question
from agent.verify.command import Command, understand
from agent.verify.compare import compare
from agent.verify.evidence import gather, told
from agent.verify.facts import Facts
from agent.verify.fingerprint import Touched
from agent.verify.suites import Observed
from agent.verify.verdict import verdict

P, F = Status.PASSED, Status.FAILED
DOC, UNIT = "doc-tests demo::src/lib.rs - add", "demo::tests::adds"


def run(exit_code=0, problem="", timed_out=False, **status):
    cases = tuple(Case(id=name, status=how) for name, how in status.items())
    return SuiteRun(
        exit_code=exit_code, timed_out=timed_out, seconds=1.0, output="", cases=cases, report_problem=problem
    )


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        (run(1, a=F), F),
        (run(0, a=P), P),
        (run(0, b=P), None),
        (run(0, "it was changed afterwards", a=P), None),
        (run(1, "the output holds more than one seal", a=F), None),
        (run(None, timed_out=True, a=P), None),
    ],
)
def test_a_part_of_a_report_proves_nothing(seen, expected):
    assert told(seen, "a") is expected


@dataclass
class Suites:
    """Runs that were recorded: what fails on the base passes on the change."""

    command: Command
    asked: list = field(default_factory=list)
    turns: list = field(default_factory=list)

    def some(self, changes, ids, seconds, what, turn=0):
        self.asked.append(tuple(ids))
        self.turns.append((bool(changes), turn))
        return run(0 if changes else 1, **dict.fromkeys(ids, P if changes else F))


OTHER = "t.py::test_other"


@dataclass
class Narrow:
    """A base where a test is red whenever it runs alone, and `suite` in a run of everything."""

    suite: Status
    asked: list = field(default_factory=list)
    command: Command = field(default_factory=lambda: understand(["pytest"], None))

    def some(self, changes, ids, seconds, what, turn=0):
        assert (changes, turn) == ((), 0)  # another seed might break what the change did not
        self.asked.append(tuple(ids))
        return run(1, **dict.fromkeys(ids, F))

    def full(self, changes, seconds, what):
        assert not changes
        self.asked.append("everything")
        found = run(0 if self.suite is P else 1, **{OTHER: self.suite})
        return Observed(run=found, tree="", touched=Touched(), files=frozenset())


@pytest.mark.parametrize(("suite", "broken"), [(P, (OTHER,)), (F, ())])
def test_red_alone_is_flaky_only_if_the_whole_suite_shows_it_too(suite, broken):
    """A test that needs another one before it is red alone on any base: that excuses no change that breaks it."""
    before, after = run(0, **{OTHER: P}), run(1, **{OTHER: F})
    suites = Narrow(suite)
    question = Question(baseline=before, changes=(), goal="", written=())
    bench = Bench(suites=suites, clock=lambda: 0.0, question=question, deadline=100.0)
    facts = gather(bench, Facts(baseline=before, final=after, tree="", per_test=True), compare(before, after))
    assert suites.asked == [*[(OTHER,)] * 5, "everything"]
    assert (verdict(facts).broken, verdict(facts).flaky) == (broken, () if broken else (OTHER,))


def evidence_of(words, fixed, base_status=F):
    change = Change(path="src/x.c", before=b"a\n", after=b"b\n")
    before, after = run(1, **dict.fromkeys(fixed, base_status)), run(0, **dict.fromkeys(fixed, P))
    suites = Suites(understand(words.split(), None))
    question = Question(baseline=before, changes=(change,), goal="", written=())
    bench = Bench(suites=suites, clock=lambda: 0.0, question=question, deadline=100.0)
    facts = Facts(baseline=before, final=after, tree="", per_test=True)
    return gather(bench, facts, compare(before, after)), suites


def test_each_trial_is_run_twice_more_on_each_side():
    facts, suites = evidence_of("cargo test", [UNIT])
    assert facts.trials is not None
    assert [(trial.base, trial.alone) for trial in facts.trials] == [((F, F, F), (P, P))]
    assert suites.asked == [(UNIT,)] * 4
    assert suites.turns == [(False, 0), (False, 1), (True, 0), (True, 1)]


def test_a_test_that_cannot_be_run_apart_is_no_trial_beside_one_that_can():
    facts, suites = evidence_of("cargo test", [DOC, UNIT])
    assert facts.trials is not None
    assert [trial.id for trial in facts.trials] == [UNIT]
    assert (facts.apart, suites.asked) == (True, [(UNIT,)] * 4)


def test_tests_told_apart_by_addresses_alone_are_no_evidence():
    facts, suites = evidence_of("pytest", ["t.py::t[<address>] #1"])
    assert (facts.trials, suites.asked) == ((), [])


def test_where_none_can_be_run_apart_nothing_is_run_and_the_verdict_says_so():
    facts, suites = evidence_of("cargo test", [DOC])
    assert (facts.apart, facts.trials, suites.asked) == (False, (), [])
    assert any("cannot be run apart" in text for text in (verdict(facts).reason, *verdict(facts).notes))
