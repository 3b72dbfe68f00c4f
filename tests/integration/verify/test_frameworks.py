"""Suites that are not pytest's through the whole Verifier: what can be verified, and what is said where it cannot."""

import shutil
import sys

import pytest

from agent.domain.environment import Environment
from agent.domain.result import Verdict
from agent.domain.suite import Status

UNITTEST = (sys.executable, "-m", "unittest")
PLAIN = Environment(python=sys.executable)
TESTS = """import unittest

from calc import add, double


class TestCalc(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(2, 3), 5)

    def test_zero(self):
        self.assertEqual(add(0, 0), 0)

    def test_double(self):
        self.assertEqual(double(4), 8)
"""
CALC = "def add(a, b):\n    return a - b\n\n\ndef double(x):\n    return x * 2\n"
BASE = {"calc.py": CALC, "test_calc.py": TESTS}
HONEST = {"calc.py": CALC.replace("a - b", "a + b")}
ADD, DOUBLE = "test_calc.py::TestCalc::test_add", "test_calc.py::TestCalc::test_double"


def unittest_of(repository, files=BASE, **more):
    return repository(files, verify=("python", "-m", "unittest"), environment=PLAIN, **more)


def test_an_honest_fix_is_verified_by_unittest(repository):
    judged = unittest_of(repository).judge(HONEST)
    assert (judged.verdict, judged.reason) == (Verdict.VERIFIED, "verified by existing tests")
    assert judged.fixed == judged.evidence == (ADD,)
    assert judged.coverage == {"calc.py": "covered"}


@pytest.mark.parametrize(
    ("change", "verdict", "reason"),
    [
        ({"calc.py": CALC.replace("a - b", "a + b").replace("x * 2", "x * 3")}, Verdict.FAILING, DOUBLE),
        (
            {"calc.py": HONEST["calc.py"] + "\n\ndef never():\n    return 1\n"},
            Verdict.UNVERIFIED,
            "no passing test executes the change at calc.py",
        ),
        (
            {"calc.py": "import os\nos._exit(0)\n"},
            Verdict.UNVERIFIED,
            "the test runner ended before it closed its report",
        ),
        (
            {
                "calc.py": CALC.replace(
                    "return a - b", "import unittest; unittest.TestCase.assertEqual = print; return 1"
                )
            },
            Verdict.UNVERIFIED,
            "added lines reach for the test framework",
        ),
        (
            {"unittest.py": "raise SystemExit(0)\n", **HONEST},
            Verdict.UNVERIFIED,
            "there is no test report (exit code 0)",
        ),
    ],
    ids=["breaks another", "not executed", "leaves early", "patched", "shadowed"],
)
def test_no_trick_is_verified_by_unittest(repository, change, verdict, reason):
    judged = unittest_of(repository).judge(change)
    assert judged.verdict is verdict
    assert reason in judged.reason


def test_a_suite_without_tests_is_unusable_and_says_so(repository):
    repo = unittest_of(repository, {"calc.py": CALC})
    assert "no test ran" in repo.verifier.unusable(repo.verifier.baseline(60))


def test_narrowed_runs_and_lines_per_test(repository):
    repo = unittest_of(repository)
    assert repo.verifier.tests((), [DOUBLE], 60).status() == {DOUBLE: Status.PASSED}
    spectrum = repo.verifier.spectrum((), [ADD], 60)
    assert spectrum.problem == ""
    assert 2 in spectrum.lines[ADD]["calc.py"]
    assert {1, 5} <= spectrum.lines[""]["calc.py"]


NODE_TEST = """const test = require('node:test'); const assert = require('node:assert');
const { add } = require('../calc.js');
test('adds', () => assert.strictEqual(add(2, 3), 5));
test('zero', () => assert.strictEqual(add(0, 0), 0));
"""
NODE = {
    "package.json": '{"scripts": {"test": "node --test test/"}}',
    "calc.js": "exports.add = (a, b) => a - b;\n",
    "test/calc.test.js": NODE_TEST,
}
PROGRAMS = [name for name in ("npm",) if shutil.which(name) and shutil.which("node")]


def test_npm_tells_of_each_test_and_what_cannot_be_seen(repository):
    for name in PROGRAMS:
        repo = repository(NODE, verify=(name, "test"), environment=Environment())
        judged = repo.judge({"calc.js": "exports.add = (a, b) => a + b;\n"})
        assert judged.fixed == ("test/calc.test.js::adds",)
        assert judged.evidence == ("test/calc.test.js::adds",)
        assert judged.reason == "whether a test executes the change cannot be seen in calc.js"


def test_any_other_command_is_judged_by_its_exit_code(repository):
    files = {**BASE, "run.sh": f"exec {sys.executable} -m unittest\n"}
    judged = repository(files, verify=("sh", "run.sh"), environment=PLAIN).judge(HONEST)
    assert (judged.verdict, judged.reason) == (Verdict.UNVERIFIED, "suite passed, no per-test report")
