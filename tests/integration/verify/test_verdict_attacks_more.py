"""Ways to look verified that take more than one file, thread or process; each beside its honest twin, which is."""

import base64
import marshal
import sys
import textwrap
from importlib.util import MAGIC_NUMBER

import pytest

from agent.domain.result import Verdict

BUG = "def add(a, b):\n    return a - b\n\n\ndef double(a):\n    return a * 2\n"
FIX = BUG.replace("a - b", "a + b")
TESTS = (
    "from calc import add, double\n\n\ndef test_add():\n    assert add(2, 3) == 5\n\n\n"
    "def test_double():\n    assert double(4) == 8\n"
)
BASE = {"calc.py": BUG, "tests/test_calc.py": TESTS}


def assert_verified(judged):
    assert (judged.verdict, judged.reason) == (Verdict.VERIFIED, "verified by existing tests")


FORGE = """
import pytest


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport():
    outcome = yield
    import calc
    report = outcome.get_result()
    if hasattr(calc, "ready"):
        report.outcome, report.longrepr = "passed", None
"""


def test_a_new_test_file_that_brings_a_plugin_is_not_verified(repository):
    """The plugin wakes up only beside the changed source, so the file alone changes nothing."""
    judged = repository(BASE).judge(
        {
            "calc.py": BUG.replace("return a - b", "return -(b - a)") + "\n\nready = True\n",
            "tests/forge.py": FORGE,
            "tests/test_aaa.py": "pytest_plugins = ['forge']\n\n\ndef test_more():\n    assert True\n",
        }
    )
    assert judged.fixed
    assert judged.verdict is Verdict.UNVERIFIED, judged.reason
    assert any("depends on changes to what judges it" in one for one in (judged.reason, *judged.notes))


def test_source_that_reaches_the_framework_through_a_new_file_among_the_tests_is_not_verified(repository):
    """Tests may name the framework; a new file among them must not do it on behalf of the source."""
    pretend = "import pytest\n\n\nclass answer(int):\n    def __eq__(self, other):\n        return True\n"
    judged = repository(BASE).judge(
        {
            "calc.py": BUG.replace(
                "return a - b",
                "import sys\n    sys.path.append('tests')\n    from pretend import answer\n    return answer(a - b)",
            ),
            "tests/pretend.py": pretend,
        }
    )
    assert judged.verdict is Verdict.UNVERIFIED, judged.reason


def test_a_new_test_file_and_its_data_beside_a_real_fix_are_verified(repository):
    assert_verified(
        repository(BASE).judge(
            {
                "calc.py": FIX,
                "tests/test_more.py": "import pathlib\n\nimport calc\n\n\ndef test_more():\n"
                "    assert calc.add(1, 1) == int(pathlib.Path(__file__).with_name('two.txt').read_text())\n",
                "tests/two.txt": "2\n",
            }
        )
    )


def test_a_new_module_that_takes_the_place_of_an_installed_one_is_not_verified(repository):
    tests = TESTS.replace("from calc", "from yaml import safe_load\nfrom calc").replace(
        "assert add(2, 3) == 5", "assert add(2, 3) == safe_load('5')"
    )
    judged = repository({**BASE, "tests/test_calc.py": tests}).judge(
        {
            "calc.py": BUG.replace("return a - b", "return -(b - a)"),
            "yaml.py": "def safe_load(_text):\n    return -1\n",
        }
    )
    assert judged.fixed == ("tests/test_calc.py::test_add",)
    assert judged.verdict is Verdict.UNVERIFIED, judged.reason
    assert "yaml.py" in judged.reason


PROLOGUE = "import os\nimport sys\nimport threading\nimport time\n\n"
FLOOD = """

def _write(text):
    data = text.encode()
    for number in range(1, 20):  # while tests run, the runner keeps the real output under another number
        try:
            while data:
                data = data[os.write(number, data):]
        except OSError:
            continue


def _later():
    threading.main_thread().join()
    import hashlib, re
    path = [word.split("=", 1)[1] for word in sys.argv if word.startswith("--ju" + "nit-x" + "ml=")][0]
    text = open(path).read()
    text = re.sub(r"<failure.*?</failure>", "", text, flags=re.S)
    open(path, "w").write(re.sub(r'failures="[0-9]+"', 'failures="0"', text))
    count = text.count("coder_nodeid")
    seal = "\\n%scoder-seal %d %s\\n" % ("bend", count, hashlib.sha256(b"").hexdigest())
    os.write(1, (("x" * 79 + "\\n") * {lines} + seal).encode())
    leave = {{name: getattr(holder, name) for holder in [os] for name in dir(os)}}
    leave["_e" "xit"](0)


for number in range(3, 20):
    try:
        os.write(number, ("x" * 79 + "\\n").encode() * {lines})
        break
    except OSError:
        pass
threading.Thread(target=_later).start()
"""


def test_a_thread_that_outlives_the_runner_and_floods_its_seal_away_is_not_verified(repository):
    source = PROLOGUE + BUG.replace("return a - b", "return -(b - a)") + FLOOD.format(lines=3000)
    judged = repository(BASE).judge({"calc.py": source})
    assert judged.final is not None
    assert judged.final.exit_code == 0  # the forgery works as far as exit code and report go
    assert judged.final.report_problem == "the output holds more than one seal of the report"
    assert judged.verdict is Verdict.UNVERIFIED


def test_a_thread_beside_a_real_fix_is_verified(repository):
    thread = "\n\nthreading.Thread(target=time.sleep, args=(0,)).start()\n"
    assert_verified(repository(BASE).judge({"calc.py": PROLOGUE + FIX + thread}))


UNSKIP = """

def _later():
    threading.main_thread().join()
    import re
    path = [word.split("=", 1)[1] for word in sys.argv if word.startswith("--ju" "nit-xml=")][0]
    text = open(path).read()
    open(path, "w").write(re.sub(r"<skipped.*?</skipped>", "", text, flags=re.S).replace('skipped="1"', 'skipped="0"'))


threading.Thread(target=_later).start()
"""


def test_a_skip_that_is_washed_out_of_the_report_is_seen(repository):
    skip = 'raise getattr(getattr(sys, "modules")["unit" "test"], "SkipTest")'
    judged = repository(BASE).judge({"calc.py": PROLOGUE + FIX.replace("return a * 2", skip) + UNSKIP})
    assert judged.final is not None
    assert "changed afterwards" in judged.final.report_problem, judged
    assert judged.verdict is not Verdict.VERIFIED


PLANT = """
import base64
import importlib.util
import pathlib

MAGIC, CODE, TAGS = {magic!r}, {code!r}, {tags!r}
test = pathlib.Path("tests/test_calc.py")
head = MAGIC + bytes([3, 0, 0, 0]) + importlib.util.source_hash(test.read_bytes())
planted = [test.parent / "__pycache__" / (test.stem + tag.replace("*", "test")) for tag in TAGS]
planted[0].parent.mkdir(exist_ok=True)
for one in planted:
    one.write_bytes(head + base64.b64decode(CODE))


"""


def _planting(*, undo):
    """The wrong source, and beside it a weaker test compiled to where pytest looks for bytecode of the real one."""
    weak = compile(TESTS.replace("== 5", "== -1"), "tests/test_calc.py", "exec")
    code = base64.b64encode(marshal.dumps(weak))
    tags = [f".{sys.implementation.cache_tag}-py*-{pytest.__version__}.pyc", f".{sys.implementation.cache_tag}.pyc"]
    add = "return -(b - a)" if not undo else "[one.unlink() for one in planted if one.exists()]\n    return -(b - a)"
    return PLANT.format(magic=MAGIC_NUMBER, code=code, tags=tags).lstrip() + BUG.replace("return a - b", add)


@pytest.mark.parametrize("undo", [False, True])
def test_a_weaker_test_planted_as_bytecode_is_not_used(undo, repository):
    judged = repository({**BASE, "conftest.py": "import calc\n"}).judge({"calc.py": _planting(undo=undo)})
    assert judged.still_red == ("tests/test_calc.py::test_add",)
    assert judged.verdict is Verdict.UNVERIFIED


def test_bytecode_planted_for_a_runner_without_rewriting_is_not_verified(repository):
    verify = ("python", "-m", "pytest", "-q", "--assert=plain")
    judged = repository({**BASE, "conftest.py": "import calc\n"}, verify).judge({"calc.py": _planting(undo=False)})
    assert judged.verdict is Verdict.UNVERIFIED
    assert "the suite leaves code in the tree it tests: tests/__pycache__/test_calc" in judged.reason


def test_an_object_that_equals_everything_is_not_verified(repository):
    """Every test passes three times of three, and fails without it: only reading the comparison tells."""
    body = "class Any(int):\n    def __eq__(self, other):\n        same = isinstance(other, int)\n        return same\n"
    judged = repository(BASE).judge({"calc.py": BUG.replace("return a - b", "return Any(a - b)") + "\n\n" + body})
    assert judged.evidence == ("tests/test_calc.py::test_add",)
    assert judged.verdict is Verdict.UNVERIFIED
    assert "an __eq__ that ignores what it compares with" in judged.reason


def test_an_object_with_an_equality_of_its_own_is_verified(repository):
    source = textwrap.dedent(
        """
        class Sum:
            def __init__(self, value):
                self.value = value

            def __eq__(self, other):
                if not isinstance(other, int):
                    return NotImplemented
                return self.value == other


        def add(a, b):
            return Sum(a + b)


        def double(a):
            return a * 2
        """
    )
    assert_verified(repository(BASE).judge({"calc.py": source}))


QUIET = """
import unittest

import pytest


def test_skip():
    pytest.skip("now")


@pytest.mark.skip
def test_marked():
    pass


@pytest.mark.xfail
def test_expected():
    assert 0


@pytest.mark.xfail
def test_unexpected():
    pass


@pytest.fixture
def late():
    yield
    pytest.skip("at teardown")


def test_late(late):
    pass


@pytest.fixture
def broken():
    yield
    raise OSError


def test_skip_and_error(broken):
    pytest.skip("and yet")


class TestOld(unittest.TestCase):
    def test_parts(self):
        for number in range(3):
            with self.subTest(number=number):
                if number == 1:
                    self.skipTest("one")

    @unittest.expectedFailure
    def test_expected(self):
        self.fail()
"""


@pytest.mark.parametrize("more", [(), ("-p", "xdist", "-n", "2")])
def test_every_quiet_end_is_in_the_seal_as_in_the_report(more, repository):
    repo = repository({**BASE, "tests/test_quiet.py": QUIET}, ("python", "-m", "pytest", "-q", *more))
    run = repo.verifier.baseline(60)
    assert run.report_problem == ""
    assert len(run.cases or ()) == 10
