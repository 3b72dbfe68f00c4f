"""What a framework that shows no lines leaves unknown, that nothing is run in vain for it, and who reaches a change."""

from dataclasses import dataclass, field

from agent.domain.edit import Change
from agent.domain.suite import Case, Spectrum, Status, SuiteRun
from agent.verify.bench import Bench, Question
from agent.verify.command import Command, understand
from agent.verify.compare import compare
from agent.verify.execution import gather
from agent.verify.facts import Facts
from agent.verify.ids import clean_message

OLD = "test/a.js::old"
RED = SuiteRun(exit_code=1, timed_out=False, seconds=1.0, output="", cases=(Case(id=OLD, status=Status.FAILED),))


@dataclass
class Suites:
    """Has no spectrum: asking for one is an error of this test."""

    command: Command


def gathered(*paths):
    changes = tuple(Change(path=path, before=b"a = 1\n", after=b"a = 2\n") for path in paths)
    question = Question(baseline=RED, changes=changes, goal="", written=())
    suites = Suites(understand(["node", "--test"], None))
    bench = Bench(suites=suites, clock=lambda: 0.0, question=question, deadline=100.0)
    return gather(bench, Facts(baseline=RED, final=RED, tree="", per_test=True), compare(RED, RED))


def test_nothing_is_known_of_changed_lines_and_of_old_failures():
    facts = gathered("calc.js", "tool.py")
    assert facts.hunks is not None
    assert [(hunk.path, hunk.ran) for hunk in facts.hunks] == [("tool.py", None), ("calc.js", None)]
    assert (facts.unseen, facts.reaching) == ((OLD,), ())
    assert facts.coverage == {"calc.js": "unknown", "tool.py": "unknown"}


def test_tests_and_prose_need_not_run():
    assert gathered("test/b.js", "README.md").hunks == ()


SEEN = "tests/t.py::test_seen"
EXACT = "tests/t.py::test_exact"
TRACE = Spectrum(lines={"": {"calc.py": frozenset({1})}, SEEN: {}, EXACT: {}})


@dataclass
class Traced:
    """A spectrum that was recorded."""

    command: Command = field(default_factory=lambda: understand(["pytest"], None))

    def spectrum(self, changes, ids, seconds, only):
        return TRACE


def red(message, output="", test=EXACT):
    cases = (Case(id=SEEN, status=Status.PASSED), Case(id=test, status=Status.FAILED, message=message))
    return SuiteRun(exit_code=1, timed_out=False, seconds=1.0, output=output, cases=cases)


def reaching(before, after, change):
    question = Question(baseline=before, changes=(change,), goal="", written=())
    bench = Bench(suites=Traced(), clock=lambda: 0.0, question=question, deadline=100.0)
    return gather(bench, Facts(baseline=before, final=after, tree="", per_test=True), compare(before, after)).reaching


LIMIT = Change(path="calc.py", before=b"LIMIT = 2\n", after=b"LIMIT = 4\n")
COMMENT = Change(path="calc.py", before=b"LIMIT = 2\n", after=b"LIMIT = 2\n# two\n")


def test_an_old_failure_in_other_words_is_reached_by_what_was_set_at_import():
    """A test that reads a constant executes no line of the file the constant stands in."""
    before, after = red("assert 2 == 5\nat 0x7f0000"), red("assert 4 == 5\nat 0x7f1111")
    assert reaching(before, after, LIMIT) == (EXACT,)
    assert reaching(before, red("assert 2 == 5\nat 0x7f2222"), LIMIT) == ()
    assert reaching(before, after, COMMENT) == ()


def test_what_a_long_message_blames_is_looked_for_in_the_output():
    long = "ImportError\n" + "x" * 5000
    cut = clean_message(long)
    seen, other = (red(cut, f"{long}\n{path}:1: in <module>", "tests/u.py") for path in ("calc.py", "else.py"))
    assert reaching(seen, seen, COMMENT) == ("tests/u.py",)
    assert reaching(other, other, COMMENT) == ()


def test_a_name_made_up_for_the_import_of_a_test_file_is_reached_by_the_tests_that_need_it():
    """Nothing of the file ran before; now tests beside it pass, and the one the name is for executes nothing of it."""
    broken = Case(id="tests/t.py", status=Status.ERROR, message="cannot import name 'LIMIT'")
    before = SuiteRun(exit_code=2, timed_out=False, seconds=1.0, output="", cases=(broken,))
    stub = Change(path="calc.py", before=b"A = 1\n", after=b"A = 1\nLIMIT = None\n")
    assert reaching(before, red("assert None == 5"), stub) == (EXACT,)
