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

    def some(self, changes, ids, seconds, what):
        self.asked.append(tuple(ids))
        return run(0 if changes else 1, **dict.fromkeys(ids, P if changes else F))


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


def test_a_test_that_cannot_be_run_apart_is_no_trial_beside_one_that_can():
    facts, suites = evidence_of("cargo test", [DOC, UNIT])
    assert facts.trials is not None
    assert [trial.id for trial in facts.trials] == [UNIT]
    assert (facts.apart, suites.asked) == (True, [(UNIT,)] * 4)


def test_where_none_can_be_run_apart_nothing_is_run_and_the_verdict_says_so():
    facts, suites = evidence_of("cargo test", [DOC])
    assert (facts.apart, facts.trials, suites.asked) == (False, (), [])
    assert any("cannot be run apart" in text for text in (verdict(facts).reason, *verdict(facts).notes))
