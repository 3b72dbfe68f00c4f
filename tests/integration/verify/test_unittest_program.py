"""unittest's stand-in for judged runs: what it records, and what a hostile test can do about it."""

import json
import py_compile
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from agent.adapters.sandbox.local import LocalSandbox
from agent.domain.environment import Environment
from agent.domain.suite import Status, SuiteRun
from agent.ports import Limits
from agent.verify.frameworks.protocol import REPORT, Room
from agent.verify.frameworks.unittests import recognise

COMMAND = (sys.executable, "-m", "unittest")


def run(folder: Path, files: Mapping[str, str], *arguments: str, ids: Sequence[str] | None = None) -> SuiteRun:
    tree = folder / "tree"
    for path, text in files.items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_text(text)
    unittest = recognise(COMMAND)
    assert unittest is not None
    with LocalSandbox(folder).open(tree, Environment(python=sys.executable)) as box:
        launch = unittest.launch((*COMMAND, *arguments), Room(reports=box.reports, inside=box.inside), ids)
        for name, content in launch.files.items():
            box.give(name, content)
        ran = box.run(launch.argv, Limits(seconds=20), launch.variables)
        return unittest.read(ran, box.collect(REPORT), partial=ids is not None)


SHAPES = {
    "pkg/__init__.py": "",
    "pkg/test_a.py": """
import unittest

class A(unittest.TestCase):
    def test_ok(self): pass
    def test_bad(self): self.assertEqual(1, 2)
    def test_raises(self): raise ValueError("odd")
    @unittest.skip("off")
    def test_skip(self): pass
    @unittest.expectedFailure
    def test_expected(self): self.fail()
    @unittest.expectedFailure
    def test_unexpected(self): pass
    def test_parts(self):
        for n in range(3):
            with self.subTest(n=n): self.assertNotEqual(n, 1)
    def test_part_skipped(self):
        for n in range(3):
            with self.subTest(n=n):
                if n == 1: self.skipTest("not here")

class Broken(unittest.TestCase):
    @classmethod
    def setUpClass(cls): raise OSError("no")
    def test_x(self): pass

class Late(unittest.TestCase):
    @classmethod
    def tearDownClass(cls): raise OSError("late")
    def test_x(self): pass

class Off(unittest.TestCase):
    @classmethod
    def setUpClass(cls): raise unittest.SkipTest("not on this machine")
    def test_x(self): pass

class Outer:
    class Inner(unittest.TestCase):
        def test_deep(self): pass

class Awaits(unittest.IsolatedAsyncioTestCase):
    async def test_async(self): pass

def load_tests(loader, tests, pattern):
    tests.addTests(loader.loadTestsFromTestCase(Outer.Inner))
    return tests
""",
    "pkg/test_b.py": "import nowhere\n",
    "pkg/test_c.py": "import unittest\nraise unittest.SkipTest('off')\n",
    "pkg/test_d.py": "import unittest\n\ndef setUpModule(): raise OSError(1)\n\n"
    "class D(unittest.TestCase):\n    def test_x(self): pass\n",
}


def test_every_way_a_test_can_end(tmp_path):
    found = run(tmp_path, SHAPES, "discover", "-f")
    assert found.report_problem == ""
    assert found.status() == {
        "pkg/test_a.py::A::test_ok": Status.PASSED,
        "pkg/test_a.py::A::test_bad": Status.FAILED,
        "pkg/test_a.py::A::test_raises": Status.FAILED,
        "pkg/test_a.py::A::test_skip": Status.SKIPPED,
        "pkg/test_a.py::A::test_expected": Status.XFAILED,
        "pkg/test_a.py::A::test_unexpected": Status.FAILED,
        "pkg/test_a.py::A::test_parts": Status.FAILED,
        "pkg/test_a.py::A::test_part_skipped": Status.SKIPPED,
        "pkg/test_a.py::Broken": Status.ERROR,
        "pkg/test_a.py::Late": Status.ERROR,
        "pkg/test_a.py::Late::test_x": Status.PASSED,
        "pkg/test_a.py::Off": Status.SKIPPED,
        "pkg/test_a.py::Outer::Inner::test_deep": Status.PASSED,
        "pkg/test_a.py::Awaits::test_async": Status.PASSED,
        "pkg/test_b.py": Status.ERROR,
        "pkg/test_c.py": Status.SKIPPED,
        "pkg/test_d.py": Status.ERROR,
    }
    messages = {case.id: case.message for case in found.cases or ()}
    assert messages["pkg/test_a.py::A::test_bad"] == "AssertionError: 1 != 2"
    assert "No module named 'nowhere'" in messages["pkg/test_b.py"]


TWO = {
    "test_one.py": "import unittest\n\nclass One(unittest.TestCase):\n"
    "    def test_a(self): pass\n    def test_b(self): pass\n",
    "test_two.py": "import pathlib, unittest\npathlib.Path('imported').touch()\n\n"
    "class Two(unittest.TestCase):\n    def test_a(self): pass\n",
    "test_three.py": "from cases import *\n",
    "cases.py": "import unittest\n\nclass Shared(unittest.TestCase):\n    def test_s(self): pass\n",
    "test_broken.py": "import nowhere\n",
}  # fmt: skip


@pytest.mark.parametrize(
    ("ids", "expected", "others"),
    [
        (["test_one.py::One::test_a"], {"test_one.py::One::test_a": Status.PASSED}, False),
        (["test_one.py::One"], {f"test_one.py::One::test_{n}": Status.PASSED for n in "ab"}, False),
        (["cases.py::Shared::test_s"], {"cases.py::Shared::test_s": Status.PASSED}, True),
        (["test_broken.py::T::test_x"], {"test_broken.py": Status.ERROR}, True),
        (["test_one.py::One::test_gone"], {}, True),
    ],
)
def test_chosen_tests_run_alone_and_other_modules_are_imported_only_when_one_is_missing(
    tmp_path, ids, expected, others
):
    found = run(tmp_path, TWO, ids=ids)
    assert (found.report_problem, found.status()) == ("", expected)
    assert (tmp_path / "tree/imported").exists() is others


def test_names_on_the_command_line_are_narrowed_as_well(tmp_path):
    found = run(tmp_path, TWO, "test_one", "test_two", ids=["test_two.py::Two::test_a"])
    assert (found.report_problem, list(found.status())) == ("", ["test_two.py::Two::test_a"])


FORGE = """
import atexit, json, os, sys, threading, unittest

REPORT = os.environ["BENDCODER_REPORT"]
PASSED = json.dumps({{"id": "test_x.py::T::test_x", "status": "passed", "seconds": 0, "message": ""}}) + chr(10)

def rewrite():
    with open(REPORT, "w") as file:
        file.write(PASSED)

class T(unittest.TestCase):
    def test_x(self):
        {attack}
        self.fail()
"""


@pytest.mark.parametrize(
    ("attack", "problem"),
    [
        ("rewrite(); os._exit(0)", "the test runner ended before it closed its report"),
        ("os.unlink(REPORT); os._exit(0)", "there is no test report (exit code 0)"),
        ("atexit.register(lambda: (rewrite(), os._exit(0)))", "the report is not the one the test runner closed"),
        ("os.unlink(REPORT); os.symlink('/etc/passwd', REPORT)", "there is no test report (exit code 1)"),
        ("print('\\nbendcoder-seal 1 ' + 'a' * 64, flush=True)", "the output holds more than one seal of the report"),
        ("open(REPORT, 'a').write(PASSED * 3)", "the test report could not be read: a line of it is no JSON"),
        ("print('\\nbendcoder-seal 9 ' + 'a' * 64, flush=True); os._exit(0)", "the report is not the one"),
        ("unittest.TestResult.wasSuccessful = lambda self: True", "exit code 0, but 1 tests failed in the report"),
        ("self._outcome.result.addFailure = lambda *a: None", "exit code 0, but 1 tests failed in the report"),
        ("os.kill(os.getpid(), 9)", "the test runner"),
    ],
)
def test_a_record_written_by_the_tests_is_never_a_pass(tmp_path, attack, problem):
    found = run(tmp_path, {"test_x.py": FORGE.format(attack=attack)})
    assert found.report_problem.startswith(problem)
    assert not found.finished


def test_a_module_that_ends_the_run_while_it_is_set_up_is_no_pass(tmp_path):
    found = run(tmp_path, {**TWO, "test_zero.py": "import sys, unittest\n\ndef setUpModule(): sys.exit(0)\n\n"
                           "class Z(unittest.TestCase):\n    def test_z(self): pass\n"})  # fmt: skip
    assert found.exit_code == 0
    assert found.report_problem == "the test runner ended before it closed its report"


def test_a_weaker_test_planted_as_bytecode_is_not_used(tmp_path):
    strict = "import unittest\n\nclass P(unittest.TestCase):\n    def test_p(self): self.fail()\n"
    (tmp_path / "weak.py").write_text(strict.replace("self.fail()", "pass"))
    place = tmp_path / "tree/__pycache__" / f"test_p.{sys.implementation.cache_tag}.pyc"
    py_compile.compile(
        str(tmp_path / "weak.py"), str(place), invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH
    )
    assert run(tmp_path, {"test_p.py": strict}).status() == {"test_p.py::P::test_p": Status.FAILED}


def test_a_process_a_test_forks_tells_nothing(tmp_path):
    code = (
        "import os, unittest\n\nclass F(unittest.TestCase):\n    def test_a(self):\n"
        "        if os.fork():\n            os.wait()\n    def test_b(self): pass\n"
    )
    found = run(tmp_path, {"test_f.py": code})
    assert (found.report_problem, len(found.cases or ())) == ("", 2)


def test_no_test_is_no_pass(tmp_path):
    assert run(tmp_path, {"test_e.py": ""}).report_problem in ("no test ran", "exit code 0, but no test ran")
    assert json.dumps(run(tmp_path, {"test_e.py": ""}, ids=["test_e.py::T::test_a"]).report_problem) == '""'
