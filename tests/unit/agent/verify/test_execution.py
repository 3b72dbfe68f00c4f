"""What a framework that shows no lines leaves unknown, and that nothing is run in vain for it."""

from dataclasses import dataclass

from agent.domain.edit import Change
from agent.domain.suite import Case, Status, SuiteRun
from agent.verify.bench import Bench, Question
from agent.verify.command import Command, understand
from agent.verify.compare import compare
from agent.verify.execution import gather
from agent.verify.facts import Facts

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
