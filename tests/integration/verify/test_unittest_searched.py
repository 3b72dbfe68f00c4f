"""A search over drafts in a repository whose suite is unittest's: pytest runs its tests, under the ids we gave them."""

import sys

from agent.adapters.sandbox.local import LocalSandbox
from agent.adapters.sandbox.screening import BoxScreener
from agent.adapters.workspace.directory import DirectoryCheckouts
from agent.domain.edit import Anchor, Draft
from agent.domain.environment import Environment
from agent.domain.task import Commands, Options
from agent.ports import WriteRequest

SOURCE = b"def add(a, b):\n    return a - b\n"
TESTS = (
    "import unittest\n\nfrom calc import add\n\n\nclass TestAdd(unittest.TestCase):\n"
    "    def test_add(self):\n        self.assertEqual(add(2, 3), 5)\n"
)


def test_drafts_are_tried_against_unittests_tests(tmp_path):
    (tmp_path / "calc.py").write_bytes(SOURCE)
    (tmp_path / "test_calc.py").write_text(TESTS)
    options = Options(commands=Commands(verify=("python", "-m", "unittest")))
    screener = BoxScreener(LocalSandbox(), DirectoryCheckouts(tmp_path), Environment(python=sys.executable), options)
    request = WriteRequest(
        anchor=Anchor(path="calc.py", begin=1, end=2, old=SOURCE),
        source=SOURCE,
        failing=("test_calc.py::TestAdd::test_add",),
    )
    drafts = [Draft(text=SOURCE.replace(b"a - b", new)) for new in (b"a * b", b"a + b")]
    assert [one.passed for one in screener.try_all(request, drafts, 30.0, 99)] == [False, True]
