"""The screener in a real interpreter on small repositories: what it swaps, what it imports afresh, what it survives."""

import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from agent.adapters.sandbox import bubblewrap
from agent.adapters.sandbox.bubblewrap import BubblewrapSandbox
from agent.adapters.sandbox.local import LocalSandbox
from agent.adapters.sandbox.screening import BoxScreener
from agent.adapters.workspace.directory import DirectoryCheckouts
from agent.domain.edit import Anchor, Draft
from agent.domain.environment import Environment
from agent.domain.task import Commands, Options
from agent.ports import Sandbox, Screened, WriteRequest

QUICK = (("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1"),)  # loading those installed here takes two seconds each time
ENVIRONMENT = Environment(python=sys.executable, readonly=(sys.prefix, sys.base_prefix), variables=QUICK)
PYTEST = (sys.executable, "-m", "pytest", "-q", "-p", "no:randomly")


def screen(
    folder: Path,
    files: Mapping[str, str],
    drafts: Mapping[str, str] | list[tuple[str, str]],
    *,
    failing: tuple[str, ...] = ("test_m.py::test_red",),
    passing: tuple[str, ...] = (),
    seconds: float = 30.0,
    enough: int = 99,
    sandbox: Sandbox | None = None,
    verify: tuple[str, ...] = PYTEST,
    path: str = "m.py",
) -> tuple[Screened, ...]:
    """Screen whole-file drafts of one file, each given as what replaces what."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    source = files[path].encode()
    pairs = drafts if isinstance(drafts, list) else list(drafts.items())
    texts = [source.replace(old.encode(), new.encode(), 1) for old, new in pairs]
    assert all(text != source for text in texts)
    lines = source.count(b"\n")
    request = WriteRequest(
        anchor=Anchor(path=path, begin=1, end=lines, old=source), source=source, failing=failing, passing=passing
    )
    options = Options(commands=Commands(verify=verify))
    screener = BoxScreener(sandbox or LocalSandbox(), DirectoryCheckouts(folder), ENVIRONMENT, options)
    return screener.try_all(request, [Draft(text=text) for text in texts], seconds, enough)


def passed(results: tuple[Screened, ...]) -> list[bool]:
    return [one.passed for one in results]


ADD = "def add(a, b):\n    return a - b\n"
TEST = """\
from m import add


def test_red():
    assert add(2, 3) == 5


def test_green():
    assert add(2, 0) == 2
"""


def test_only_what_passes_red_and_green_tests_passes(tmp_path: Path) -> None:
    found = screen(
        tmp_path,
        {"m.py": ADD, "test_m.py": TEST},
        {"a - b": "a * b", "a - ": "a + ", "- b": ") +(", "return a - b": "return 5", "return": "return a + b or"},
        passing=("test_m.py::test_green",),
    )
    assert passed(found) == [False, True, False, False, True]
    assert all(one.tried for one in found)


CLASS = """\
import functools


def twice(work):
    @functools.wraps(work)
    def wrapper(*values):
        return work(*values) * 2

    return wrapper


class Base:
    def size(self):
        return 1


class Box(Base):
    rate = 3

    def __init__(self, count=1):
        self.__count = count

    def size(self):
        return super().size() + self.__count

    @property
    def cost(self):
        return self.rate - self.__count

    @staticmethod
    def area(a, b):
        return a - b

    @twice
    def double(self):
        return self.__count - 1


def outer(value):
    def inner(other):
        return other - value

    return inner


async def later(value):
    return value - 1


def steps(value):
    for one in range(value):
        yield one - 1


LIMIT = 4
"""
BEHAVIOUR = {
    "a method with super and private names": ("super().size() + ", "super().size() - ", "Box(4).size() == -3"),
    "a property": ("self.rate - ", "self.rate + ", "Box().cost == 4"),
    "a static method": ("a - b", "a + b", "Box.area(1, 2) == 3"),
    "a decorated method": ("self.__count - 1", "self.__count + 1", "Box(2).double() == 6"),
    "a closure made at import": ("work(*values) * 2", "work(*values) * 3", "Box(2).double() == 3"),
    "a nested function": ("other - value", "other + value", "outer(1)(2) == 3"),
    "a coroutine": ("value - 1\n\n\ndef steps", "value + 1\n\n\ndef steps", "asyncio.run(later(1)) == 2"),
    "a generator": ("yield one - 1", "yield one + 1", "list(steps(2)) == [1, 2]"),
    "a default": ("count=1", "count=2", "Box().size() == 3"),
    "a class attribute": ("rate = 3", "rate = 5", "Box().cost == 4"),
    "a module-level constant": ("LIMIT = 4", "LIMIT = 5", "LIMIT == 5"),
    "a decorator": ("    @twice\n", "", "Box(2).double() == 1"),
}


@pytest.mark.parametrize("name", BEHAVIOUR)
def test_every_place_of_a_file_can_be_repaired(name: str, tmp_path: Path) -> None:
    old, new, claim = BEHAVIOUR[name]
    test = f"import asyncio\n\nfrom m import *\n\n\ndef test_red():\n    assert {claim}\n"
    (found,) = screen(tmp_path, {"m.py": CLASS, "test_m.py": test}, {old: new})
    assert found.passed


def test_a_module_that_cannot_be_imported_is_repaired_too(tmp_path: Path) -> None:
    found = screen(
        tmp_path,
        {
            "m.py": "TABLE = {'a': 1}\nFIRST = TABLE['b']\n",
            "test_m.py": "import m\n\n\ndef test_it():\n    assert m.FIRST == 1\n",
        },
        {"['b']": "['a']", "TABLE = {'a': 1}": "TABLE = {'b': 2}"},
        failing=("test_m.py",),
    )
    assert passed(found) == [True, False]


def test_a_program_run_as_a_child_process_sees_a_draft_imported_afresh(tmp_path: Path) -> None:
    test = (
        "import subprocess, sys\n\n\ndef test_red():\n"
        "    assert subprocess.run([sys.executable, 'm.py'], capture_output=True).stdout == b'5\\n'\n"
    )
    found = screen(tmp_path, {"m.py": "LIMIT = 4\nprint(LIMIT)\n", "test_m.py": test}, {"4": "6", "= 4": "= 5"})
    assert passed(found) == [False, True]


ENDLESS = "def f(a):\n    while a:\n        pass\n    return 1\n"


def test_loops_without_end_are_stopped_and_do_not_hold_up_the_rest(tmp_path: Path) -> None:
    test = "from m import f\n\n\ndef test_red():\n    assert f(3) == 1\n"
    swallowing = (
        "while a:\n        try:\n            while True:\n                pass\n"
        "        except BaseException:\n            pass"
    )
    stuck = "'a' * 50 == __import__('re').match('(a+)+$', 'a' * 40 + 'b') or a"
    begin = time.monotonic()
    found = screen(
        tmp_path,
        {"m.py": ENDLESS, "test_m.py": test},
        [
            ("while a:\n        pass", swallowing),
            ("while a:", f"while {stuck}:"),
            ("while a", "while a or 1"),
            ("while", "if"),
        ],
        seconds=20,
    )
    assert passed(found) == [False, False, False, True]
    assert time.monotonic() - begin < 30


@pytest.mark.parametrize(
    "body",
    [
        "import os\n    os._exit(0)",
        "raise SystemExit(0)",
        "raise KeyboardInterrupt",
        "import os, signal\n    os.kill(os.getpid(), signal.SIGKILL)",
        "return 'x' * 10**10",
        "return f_missing()",
        "import sys\n    sys.setrecursionlimit(10**6)\n    return f(a)",
        "import os\n    os.killpg(0, 9)",
    ],
)
def test_a_draft_that_kills_its_process_has_not_passed(body: str, tmp_path: Path) -> None:
    test = "from m import f\n\n\ndef test_red():\n    assert f(3) == 1\n"
    found = screen(
        tmp_path,
        {"m.py": "def f(a):\n    return 2\n", "test_m.py": test},
        [("return 2", body), ("return 2", "return 1")],
    )
    assert passed(found) == [False, True]


def test_one_draft_does_not_spoil_the_next(tmp_path: Path) -> None:
    code = "STORE = []\n\n\ndef f(values):\n    return len(values)\n"
    test = (
        "import pytest\nfrom m import f\n\n\n@pytest.mark.parametrize('values', [[3, 1]])\n"
        "def test_red(values):\n    assert f(values) == [1, 3]\n"
    )
    found = screen(
        tmp_path,
        {"m.py": code, "test_m.py": test},
        [
            ("return len(values)", "return values.clear()"),
            ("return len(values)", "STORE.append(1)\n    return STORE"),
            ("return len(values)", "return sorted(values) if not STORE else 0"),
        ],
        failing=("test_m.py::test_red[values0]",),
    )
    assert passed(found) == [False, False, True]


FIXTURES = """\
import unittest

import pytest

from m import f


@pytest.fixture
def given(tmp_path):
    (tmp_path / "x").write_text(str(f(1)))
    yield tmp_path / "x"
    assert f(0) == 1


def test_red(given):
    assert given.read_text() == "2"


class TestInClass:
    def setup_method(self):
        self.value = f(2)

    def test_it(self):
        assert self.value == 3


class Old(unittest.TestCase):
    def setUp(self):
        self.value = f(3)

    def test_old(self):
        self.assertEqual(self.value, 4)


@pytest.mark.xfail(reason="known")
def test_known():
    assert f(1) == 7
"""


def test_fixtures_classes_and_unittest_are_run_with_their_set_up(tmp_path: Path) -> None:
    failing = ("test_m.py::test_red", "test_m.py::TestInClass::test_it", "test_m.py::Old::test_old")
    found = screen(
        tmp_path,
        {"m.py": "def f(a):\n    return a\n", "test_m.py": FIXTURES},
        {"return a": "return a + 2", "    return": "    return 1 +", "f(a)": "f(a, b=1)"},
        failing=failing,
    )
    assert passed(found) == [False, True, False]


LAZY = {
    "kit/__init__.py": "import importlib\n\n\ndef get():\n    return importlib.import_module('kit.plugin')\n",
    "kit/plugin.py": "def f(a):\n    return a\n",
    "test_m.py": "import kit\n\n\ndef test_red():\n    assert kit.get().f(7) == 8\n",
}


def test_a_module_that_tests_import_only_while_they_run_is_swapped_all_the_same(tmp_path: Path) -> None:
    """As plugins are: with some 0.2 s for each fresh import, only half of these drafts would be tried."""
    wrong = [("return a", f"return a + {number}") for number in range(2, 400)]
    found = screen(tmp_path, LAZY, [*wrong, ("return a", "return 1 + a")], path="kit/plugin.py", enough=1)
    assert found[-1].passed


OWN_FIXTURE = """\
import pytest

from m import f


@pytest.fixture(scope="module")
def seven():
    return 7


@pytest.fixture
def given(seven):
    yield f(seven)
    assert f(0) == 1


def test_red(given):
    assert given == 8


def test_beside(seven):
    assert seven == 7
"""


@pytest.mark.parametrize(
    ("test", "text"),
    [
        ("TestInClass::test_it", FIXTURES),
        ("Old::test_old", FIXTURES),
        ("test_red", OWN_FIXTURE),
    ],
)
def test_tests_with_a_set_up_of_their_own_are_tried_in_batches_and_forget_earlier_drafts(
    test: str, text: str, tmp_path: Path
) -> None:
    """The right draft is found beside wrong ones, not when it is tried once more by itself at the very end."""
    wrong = [("return a", f"return a + {number}") for number in range(2, 80)]
    drafts = [*wrong[:5], ("return a", "return 1 + a"), *wrong[5:]]
    files = {"m.py": "def f(a):\n    return a\n", "test_m.py": text}
    found = screen(tmp_path, files, drafts, failing=(f"test_m.py::{test}",), enough=1)
    assert [place for place, one in enumerate(found) if one.passed] == [5]
    assert not found[-1].tried


def test_the_repositorys_own_time_limit_and_options_do_not_disturb(tmp_path: Path) -> None:
    ini = "[pytest]\ntimeout = 2\naddopts = -p xdist -p pytest_timeout -n 2 --strict-markers\n"
    found = screen(tmp_path, {"m.py": ADD, "test_m.py": TEST, "pytest.ini": ini}, {"a - b": "a * b", "a - ": "a + "})
    assert passed(found) == [False, True]


def test_it_stops_when_enough_passed(tmp_path: Path) -> None:
    drafts = [("a - b", f"a + b + {number} - {number}") for number in range(30)]
    found = screen(tmp_path, {"m.py": ADD, "test_m.py": TEST}, drafts, enough=3)
    assert 3 <= sum(passed(found)) < 30
    assert any(not one.tried for one in found)


def test_when_time_is_up_what_was_seen_counts(tmp_path: Path) -> None:
    drafts = [("return a - b", "return a + b"), *(("return a - b", f"while {n}:\n        pass") for n in range(1, 400))]
    begin = time.monotonic()
    found = screen(tmp_path, {"m.py": ADD, "test_m.py": TEST}, drafts, seconds=6)
    assert time.monotonic() - begin < 20
    assert found[0].passed


def test_tests_that_lean_on_their_order_are_run_in_it(tmp_path: Path) -> None:
    test = (
        "from m import f\n\nSEEN = []\n\n\ndef test_first():\n    assert not SEEN\n    SEEN.append(f(0))\n\n\n"
        "def test_second():\n    assert SEEN\n\n\ndef test_red():\n    assert f(1) == 2\n"
    )
    found = screen(
        tmp_path,
        {"m.py": "def f(a):\n    return a\n", "test_m.py": test},
        {"return a": "return a + 1", "    return a": "    SEEN\n    return a + 1"},
        passing=("test_m.py::test_second", "test_m.py::test_first"),
    )
    assert passed(found) == [True, False]


def test_a_test_that_rules_drafts_out_is_asked_first_and_order_still_counts(tmp_path: Path) -> None:
    slow = "def test_slow{0}():\n    to = time.process_time() + 0.15\n    while time.process_time() < to: f(0)\n"
    test = "import time\nfrom m import f\n\n\ndef test_red():\n    assert f(1) == 2\n\n\n" + "\n\n".join(
        slow.format(number) for number in range(4)
    )
    lean = "\n\nSEEN = []\n\n\ndef test_a():\n    SEEN.append(f(0))\n\n\ndef test_b():\n    assert SEEN and f(5) == 5\n"
    source = "def f(a):\n    return a\n"
    accidents = [("return a", f"return 2 + 0 * {number}") for number in range(1, 40)]
    kill = "\n\ndef test_kill():\n    assert f(7) == 7\n"
    names = ("slow0", "slow1", "slow2", "slow3", "a", "b", "kill")
    begin = time.monotonic()
    found = screen(
        tmp_path,
        {"m.py": source, "test_m.py": test + lean + kill},
        [*accidents, ("return a", "return 2 if a == 1 else a")],
        passing=tuple(f"test_m.py::test_{name}" for name in names),
        seconds=60.0,
    )
    assert passed(found) == [False] * 39 + [True]
    assert time.monotonic() - begin < 39 * 4 * 0.15  # what asking the slow ones before each would take at least


IMPORTED = """\
try:
    import string as text, os.path
except ImportError:
    from os import *


def late(a):
    return capwords(a, os.sep) + text.capwords(a)


class Box:
    def __init__(self, a):
        super().__init__()
        self.a = text.capwords(a)


from string import capwords
"""


def test_functions_that_call_imported_modules_are_found_to_be_live(tmp_path: Path) -> None:
    """Newer interpreters compile such calls otherwise; not found, each draft would cost an import of its own."""
    (tmp_path / "imported.py").write_text(IMPORTED)
    inside = Path(bubblewrap.__file__).parent / "inside"
    program = (
        "import sys, os; sys.path[:0] = sys.argv[1:]\nimport imported, bendcoder_swap\n"
        "path = os.path.realpath(imported.__file__)\n"
        "target = bendcoder_swap.Target(path, open(path, 'rb').read())\ntarget.find_live()\n"
        "print([bool(one.live) for one in target.functions])\n"
    )
    seen = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path), str(inside)], capture_output=True, text=True, check=True
    )
    assert seen.stdout.split("\n")[0] == "[True, True]"


THROUGH_A_CLASS = """\
def register(cls):
    TABLE.append(cls.limit)
    return cls


TABLE = []


@register
class Box:
    limit = 1
"""


def test_a_place_where_nothing_can_be_swapped_leaves_time_for_fresh_imports(tmp_path: Path) -> None:
    test = "from m import TABLE\n\n\ndef test_red():\n    assert TABLE == [2]\n"
    padding = "\n\n".join(f"def unused_{number}(a, b):\n    return [a, b, {number}]\n" for number in range(1200))
    drafts = [("limit = 1", f"limit = {number + 3}") for number in range(400)]
    found = screen(
        tmp_path,
        {"m.py": THROUGH_A_CLASS + "\n\n" + padding, "test_m.py": test},
        [("limit = 1", "limit = 0"), ("limit = 1", "limit = 2"), *drafts],
        seconds=8.0,
    )
    assert found[1].passed


@pytest.mark.sandbox
def test_it_works_in_the_default_sandbox(tmp_path: Path) -> None:
    found = screen(
        tmp_path,
        {"m.py": "LIMIT = 1\n\n\n" + ADD, "test_m.py": TEST},
        {"a - b": "a * b", "a - ": "a + ", "LIMIT = 1": "LIMIT = 2"},
        sandbox=BubblewrapSandbox(),
    )
    assert passed(found) == [False, True, False]


def test_tests_beyond_those_asked_for_tell_survivors_apart(tmp_path: Path) -> None:
    test = (
        "import pytest\nfrom m import add\n\n\n@pytest.mark.parametrize('a', [0, 1, 2])\ndef test_red(a):\n"
        "    assert add(a, a) == 2 * a\n"
    )
    found = screen(
        tmp_path,
        {"m.py": ADD, "test_m.py": test},
        {"return a - b": "return 2", "a - b": "a + b"},
        failing=("test_m.py::test_red[1]",),
    )
    assert [(one.passed, one.extra) for one in found] == [(True, 0), (True, 2)]


BEHAVING = """\
import random


class Box:
    def __init__(self, a):
        self.held = a


def inner(a):
    return a


def f(values, extra=()):
    values.append(len(values))
    if not values[:-1]:
        raise KeyError("nothing")
    return Box({inner(values[0]), 9})
"""
BEHAVED = """\
import pytest

from m import Box, f, inner


def test_red():
    values = [1]
    assert isinstance(f(values), Box)
    assert values.pop() is None


def test_green():
    with pytest.raises(Exception):
        f([])


def test_apart():
    assert inner(3) != 4
"""


def test_drafts_that_pass_are_told_apart_by_what_they_do_on_the_calls_the_tests_make(tmp_path: Path) -> None:
    good = "values.append(None)\n"
    found = screen(
        tmp_path,
        {"m.py": BEHAVING, "test_m.py": BEHAVED},
        [
            ("values.append(len(values))\n", good),
            ("values.append(len(values))\n", "values[len(values):] = [None]\n"),
            ("extra=()):\n    values.append(len(values))\n", f"extra=None):\n    {good}"),  # imported afresh
            ("values.append(len(values))\n", f"{good}    values = list(values)\n    inner(random.random())\n"),
            (
                "values.append(len(values))\n    if not values[:-1]:\n        raise KeyError",
                f"{good}    if not values[:-1]:\n        raise ValueError",
            ),
            ("values.append(len(values))\n    if", f"values.insert(0, 1)\n    {good}    if"),
            ("values.append(len(values))\n", f"{good}    return Box(random.random())\n"),
        ],
        passing=("test_m.py::test_green", "test_m.py::test_apart"),
    )
    assert [one.passed for one in found] == [True] * 5 + [False] * 2, found
    same, also, fresh, inside, otherwise = (one.behaviour for one in found[:5])
    assert same
    assert same == also == fresh == inside != otherwise
