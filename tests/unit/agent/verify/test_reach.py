import pytest

from agent.domain.edit import Change
from agent.verify.reach import suspicious

NONE = frozenset()


def added(code, path="a.py", before=b""):
    return suspicious([Change(path=path, before=before or None, after=before + code.encode())], NONE)


@pytest.mark.parametrize(
    "code",
    [
        "import pytest",
        "from _pytest import reports",
        "import unittest.mock as m",
        "import atexit",
        "from atexit import register",
        "import ctypes",
        "import gc",
        "from inspect import currentframe",
        "import inspect\nx = inspect.stack()",
        "import signal",
        "import sys\nsys.settrace(f)",
        "import sys\nsys.setprofile(f)",
        "import sys\nx = sys.monitoring",
        "import sys\nm = sys.modules['x']",
        "import os\nos._exit(0)",
        "from os import _exit as bye",
        "import os\ngetattr(os, '_exit')(0)",
        "import sys\nf = sys._getframe(1)",
        "x = y.__class__.f_back",
        "__import__('ate' + 'xit')",
        "exec(code)",
        "eval(text)",
        "import importlib\nimportlib.import_module(name)",
        "p = 'bendcoder-report.xml'",
        "p = '--junit-xml'",
        "p = '/proc/self/cmdline'",
        "import os\nos.environ['PYTEST_CURRENT_TEST']",
        "import weakref\nweakref.finalize(a, b)",
        "class A:\n    def __del__(self):\n        pass",
        "class A:\n    def __eq__(self, other):\n        return True",
        "import builtins",
        "def pytest_runtest_call(item):\n    pass",
        "def load_tests(loader, tests, pattern):\n    return tests",
        "load_tests = lambda *_: suite",
        "from os import fork",
        "f'{x} unittest'",
        '__builtins__["isinstance"] = lambda *_: True',
        'import sys\nsys.__dict__["mod" "ules"]',
        'import sys as s\nvars(s)["modules"]',
        'import sys\ngetattr(sys, "modules")',
        'import sys\ngetattr(sys, "mod" + "ules")',
        'import os\ngetattr(os, "_ex" + "it")',
        "import os\ngetattr(os, name)",
        'getattr(error, "tb_" + "frame")',
        "import __main__",
        "import runpy",
        "from test.support import os_helper",
        "import other\nother.unittest.SkipTest",
        "f.__globals__['x'] = 1",
        "getattr(f, '__globals__')",
        "class A:\n    def __eq__(self, other):\n        same = True\n        return same",
        "class A:\n    def __eq__(self, other):\n        return isinstance(other, object)",
        "class A:\n    def __eq__(*both):\n        return True",
        "class A:\n    def __lt__(self, other):\n        return True",
        "class A:\n    __eq__ = lambda self, other: True",
        "A.__eq__ = always",
        "setattr(A, '__eq__', always)",
        "A = type('A', (int,), {'__eq__': always})",
        "A = type('A', (int,), dict(__eq__=always))",
        "class A:\n    def __contains__(self, item):\n        return True",
        "import math\nmath.isclose = always",
        "import os\nos.path.join = always",
        "import math as m\nm.isclose = always",
        "from os import path\npath.exists = always",
        "import math\nsetattr(math, 'isclose', always)",
        "import math\nsetattr(math, name, always)",
        "import math\ndel math.pi",
        "from mock import ANY",
        "class M(type):\n    def __instancecheck__(cls, one):\n        return True",
        "try:\n    f()\nexcept AssertionError:\n    pass",
        "try:\n    f()\nexcept (ValueError, AssertionError) as error:\n    log(error)",
        "import contextlib\nwith contextlib.suppress(AssertionError):\n    f()",
        "import traceback\ncaller = traceback.extract_stack()[-2]",
        "import conftest",
        "import os\nif os.environ.get('CI'):\n    pass",
        "import os\nif os.environ['CI'] == '1':\n    pass",
        "from os import environ\nif 'CI' in environ:\n    pass",
        "from os import getenv\nci = getenv('CI', '')",
        "import os\nseed = os.environ['PYTHONHASHSEED']",
        "import sys\nif sys.gettrace():\n    pass",
        "from tests.helper import EXPECTED",
        "import own.tests.data as data",
        "from test_calc import EXPECTED",
        "from . import conftest",
        "from .tests import data",
        "text = open('tests/test_calc.py').read()",
        "text = open('test_calc.py').read()",
    ],
)
def test_reaching_for_the_judge_is_seen(code):
    assert added(code)


@pytest.mark.parametrize(
    "code",
    [
        "import re\nP = re.compile('x')",
        "import inspect\ns = inspect.signature(f)",
        "from inspect import signature, isclass\nx = signature(f)",
        "import sys\nprint(sys.argv)",
        "model.eval()\ncontext.abort()",
        '"""Works like pytest does, and unittest."""',
        "# see the atexit module\nx = 1",
        "def f():\n    '''Not for pytest.'''\n    return 1",
        "import importlib\nimportlib.import_module('json')",
        "class A:\n    def __eq__(self, other):\n        return self.x == other.x",
        "from . import signal",
        "class A:\n    def __eq__(self, other):\n        return NotImplemented",
        "class A:\n    def __eq__(self, other):\n        return isinstance(other, A) and vars(self) == vars(other)",
        "class A:\n    def __lt__(self, other):\n        raise TypeError('no order')",
        "class A:\n    def __hash__(self):\n        return 1",
        "getattr(self, f'visit_{name}')(node)",
        "getattr(node, 'value')",
        "import sys\nsys.path.insert(0, here)\ngetattr(sys, 'platform')",
        "import os\nos.environ.get('HOME', 'a' + 'b')",
        "value = self.inspect() or self.signal",
        "import threading\nthreading.Thread(target=run).start()",
        "contest = latest = 1",
        "class A:\n    def __contains__(self, item):\n        return item in self.items",
        "import sys\nsys.path = [here, *sys.path]",
        "import own.config\nown.config.DEBUG = True",
        "self.math = other.attribute = 1",
        "class M(type):\n    def __instancecheck__(cls, one):\n        return hasattr(one, 'x')",
        "raise AssertionError('never')",
        "try:\n    f()\nexcept Exception:\n    log()",
        "from django.test.utils import override",
        "from .contests import data",
        "label = {'CI': 'confidence interval'}\nshown = label['CI']",
        "label.get('CI')",
        "text = open('latest/a.py').read()",
        "import traceback\ntext = traceback.format_exc()",
    ],
)
def test_everyday_code_is_left_alone(code):
    assert added(code) == ()


@pytest.mark.parametrize(("tracked", "seen"), [(("src/own/a.py",), False), (("src/other/a.py",), True)])
def test_what_is_set_in_a_module_that_is_not_the_trees_own_is_seen(tracked, seen):
    change = Change(path="a.py", before=None, after=b"import own.config\nown.config.near = always\n")
    found = ("a.py:2 mentions an assignment to own.config.near",) if seen else ()
    assert suspicious([change], NONE, tracked) == found


def test_only_added_lines_count():
    before = b"import atexit\nimport pytest\n"
    assert added("x = 1\n", before=before) == ()


def test_a_handler_of_the_base_may_be_edited():
    before = b"try:\n    f()\nexcept AssertionError:\n    log()\n"
    change = Change(path="a.py", before=before, after=before.replace(b"log()", b"log(1)"))
    assert suspicious([change], NONE) == ()


def test_an_import_of_the_base_does_not_hide_its_new_use():
    before = b"from os import _exit as bye\nimport atexit as later\n"
    assert added("bye(0)\n", before=before) == ("a.py:3 mentions os._exit",)
    assert added("later.register(f)\n", before=before) == ("a.py:3 mentions atexit",)


def test_tests_and_prose_may_say_what_they_like():
    assert added("import pytest\n", path="tests/test_a.py") == ()
    assert added("Run pytest.\n", path="README.md") == ()
    assert added("import pytest\n", path="tests/conftest.py") == ("tests/conftest.py:1 mentions pytest",)


def test_other_files_and_broken_python_are_read_as_words():
    assert added("run: pytest -q\n", path="ci.yml") == ("ci.yml:1 mentions pytest",)
    assert added("import atexit(\n") == ("a.py:1 mentions atexit",)
    assert added("latest = contest\n", path="a.txt") == ()


def test_a_deleted_file_adds_nothing():
    assert suspicious([Change(path="a.py", before=b"import atexit\n", after=None)], NONE) == ()


def test_a_comparison_whose_body_is_weakened_is_seen_though_its_head_is_old():
    before = b"class A:\n    def __eq__(self, other):\n        return self.x == other.x\n"
    after = before.replace(b"self.x == other.x", b"True")
    found = suspicious([Change(path="a.py", before=before, after=after)], NONE)
    assert found == ("a.py:3 mentions an __eq__ that ignores what it compares with",)
