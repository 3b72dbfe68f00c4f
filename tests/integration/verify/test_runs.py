"""Real pytest runs in all the shapes repositories have: what comes back as facts."""

import sys
from dataclasses import replace

import pytest

from agent.adapters.sandbox.bubblewrap import BubblewrapSandbox, probe
from agent.domain.result import Verdict
from agent.domain.suite import Status
from agent.verify.verdict import NO_EVIDENCE
from tests.integration.verify.repositories import QUICK

P, F, E, S, X = Status.PASSED, Status.FAILED, Status.ERROR, Status.SKIPPED, Status.XFAILED

SHAPES = """
import unittest

import pytest


@pytest.mark.parametrize("text", ["a::b", "x[y]", "é", "\\x1b", "a b", "<&>", "10:30:00", "11:00:00"])
def test_texts(text):
    assert text


@pytest.fixture
def broken():
    raise ValueError("no")


@pytest.fixture
def late():
    yield
    raise ValueError("late")


def test_set_up(broken):
    pass


def test_tear_down(late):
    pass


def test_both(late):
    assert 1 == 2


class TestGroup:
    def test_in(self):
        pass

    class TestInner:
        def test_deep(self):
            pass


class Old(unittest.TestCase):
    def test_unit(self):
        self.assertEqual(1, 1)


@pytest.mark.skip(reason="off")
def test_skipped():
    pass


@pytest.mark.xfail
def test_expected():
    assert 0


@pytest.mark.xfail
def test_unexpected():
    pass


@pytest.mark.xfail(strict=True)
def test_strict():
    pass
"""


def test_every_shape_of_test_has_its_exact_id(repository):
    repo = repository({"t.py": "", "tests/test_shapes.py": SHAPES, "tests/test_bad.py": "import nothing_like_it\n"})
    run = repo.verifier.baseline(60)
    assert run.report_problem == ""
    assert repo.verifier.unusable(run) == ""
    at = "tests/test_shapes.py::"
    texts = [r"a::b", "x[y]", r"\xe9", r"\x1b", "a b", "<&>", "<time>] #1", "<time>] #2"]
    assert run.status() == {
        **{f"{at}test_texts[{text}" + ("" if "#" in text else "]"): P for text in texts},
        f"{at}test_set_up": E,
        f"{at}test_tear_down": E,
        f"{at}test_both": E,
        f"{at}TestGroup::test_in": P,
        f"{at}TestGroup::TestInner::test_deep": P,
        f"{at}Old::test_unit": P,
        f"{at}test_skipped": S,
        f"{at}test_expected": X,
        f"{at}test_unexpected": Status.XPASSED,
        f"{at}test_strict": F,
        "tests/test_bad.py": E,
    }


def test_chosen_tests_run_and_no_other_module_is_even_imported(repository):
    repo = repository(
        {
            "tests/test_a.py": "import pytest\n\n\n"
            "@pytest.mark.parametrize('n', [1, 2])\ndef test_a(n):\n    pass\n\n\ndef test_b():\n    pass\n",
            "tests/test_bad.py": "raise SystemExit\n",
            "tests/test_times.py": "import pytest\n\n\n"
            "@pytest.mark.parametrize('n', ['10:00:00', '11:00:00'])\ndef test_t(n):\n    pass\n",
        }
    )  # fmt: skip
    some = repo.verifier.tests((), ["tests/test_a.py::test_a[2]", "tests/test_times.py::test_t[<time>] #2"], 60)
    assert set(some.status()) == {
        "tests/test_a.py::test_a[2]",
        "tests/test_times.py::test_t[<time>] #1",
        "tests/test_times.py::test_t[<time>] #2",
    }
    assert some.finished
    assert set(repo.verifier.tests((), ["tests/test_a.py"], 60).status()) == {
        "tests/test_a.py::test_a[1]",
        "tests/test_a.py::test_a[2]",
        "tests/test_a.py::test_b",
    }
    absent = repo.verifier.tests((), ["tests/test_a.py::test_gone"], 60)
    assert (absent.cases, absent.report_problem) == ((), "")


ODD = """
import unittest

import pytest


class Grouped(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        raise ValueError("no")

    def test_never(self):
        pass


class Parts(unittest.TestCase):
    def test_parts(self):
        for n in (1, 2):
            with self.subTest(n=n):
                self.assertEqual(n, 1)


def test_parts(subtests):
    for n in (1, 2):
        with subtests.test(n=n):
            assert n == 1


@pytest.mark.parametrize("x", [])
def test_none(x):
    pass
"""


def test_odd_shapes_agree_with_their_seal(repository):
    files = {
        "tests/test_odd.py": ODD,
        "tests/test_off.py": "import pytest\n\npytest.skip('off', allow_module_level=True)\n",
        "calc.py": 'def add(a, b):\n    """Add.\n\n    >>> add(1, 2)\n    4\n    """\n    return a + b\n',
    }
    run = repository(files, verify=("pytest", "--doctest-modules")).verifier.baseline(60)
    assert run.report_problem == ""
    at = "tests/test_odd.py::"
    assert run.status() == {
        f"{at}Grouped::test_never": E,
        f"{at}Parts::test_parts": F,
        f"{at}test_parts": F,
        f"{at}test_none[NOTSET]": S,
        "tests/test_off.py": S,
        "calc.py::calc.add": F,
    }


def test_an_example_in_a_docstring_can_be_evidence(repository):
    bug = 'def add(a, b):\n    """Add.\n\n    >>> add(1, 2)\n    3\n    """\n    return a - b\n'
    judged = repository({"calc.py": bug}, verify=("pytest", "--doctest-modules")).judge(
        {"calc.py": bug.replace("a - b", "a + b")}
    )
    assert (judged.verdict, judged.evidence) == (Verdict.VERIFIED, ("calc.py::calc.add",))


@pytest.mark.parametrize(
    "options",
    ["addopts = --ff --nf", "cache_dir = .own_cache", "addopts = -p no:cacheprovider", "addopts = -p no:faulthandler"],
)
def test_repositories_may_configure_what_they_like(repository, options):
    ini = f"[pytest]\n{options}\nfilterwarnings = error\n"
    run = repository({"pytest.ini": ini, "test_x.py": "def test_a():\n    pass\n"}).verifier.baseline(60)
    assert (run.report_problem, run.status()) == ("", {"test_x.py::test_a": P})


CONFIGURED = (
    "[pytest]\naddopts = -x --junit-xml=own.xml -q -p no:terminal\nxfail_strict = true\nfilterwarnings = error\n"
)


def test_a_repositorys_own_options_do_not_get_in_the_way(repository):
    tests = "def test_a():\n    assert 0\n\n\ndef test_b():\n    pass\n"
    repo = repository({"pytest.ini": CONFIGURED, "test_x.py": tests}, verify=("pytest", "--strict-config"))
    run = repo.verifier.baseline(60)
    assert run.report_problem == ""
    assert run.status() == {"test_x.py::test_a": F, "test_x.py::test_b": P}


def test_a_crashed_worker_process_is_an_error_of_its_test(repository):
    tests = "import os\n\n\ndef test_dies():\n    os._exit(3)\n\n\ndef test_lives():\n    pass\n"
    verify = ("pytest", "-p", "xdist.plugin", "-n", "1", "--max-worker-restart=2")
    run = repository({"tests/test_x.py": tests}, verify=verify).verifier.baseline(120)
    assert run.status()["tests/test_x.py::test_dies"].red
    assert run.status()["tests/test_x.py::test_lives"] is P
    assert run.report_problem == ""


def test_a_runner_that_dies_is_no_pass(repository):
    tests = "import os\n\n\ndef test_dies():\n    os._exit(0)\n"
    repo = repository({"tests/test_x.py": tests})
    run = repo.verifier.baseline(60)
    assert run.exit_code == 0
    assert not run.finished
    assert "no test ran" in repo.verifier.unusable(run)


def test_shuffled_suites_get_the_same_order_every_time(repository):
    tests = "".join(f"def test_{n}():\n    print('order', {n})\n\n\n" for n in range(12))
    repo = repository({"tests/test_x.py": tests}, verify=("pytest", "-p", "pytest_randomly", "-s"), environment=QUICK)
    orders = {
        tuple(line for line in repo.verifier.baseline(60).output.splitlines() if "order" in line) for _ in range(2)
    }
    assert len(orders) == 1
    (order,) = orders
    assert len(order) == 12
    assert list(order) != sorted(order, key=lambda line: int(line.split()[-1]))


def test_a_coverage_floor_holds_for_the_suite_and_not_for_a_part_of_it(repository):
    files = {
        "calc.py": "def a():\n    return 1\n\n\ndef b():\n    x = 1\n    x += 1\n    return x\n",
        "tests/test_calc.py": "import calc\n\n\ndef test_a():\n    assert calc.a()\n\n\n"
        "def test_b():\n    assert calc.b()\n",
    }
    verify = ("python", "-m", "pytest", "-p", "pytest_cov.plugin", "--cov=calc", "--cov-fail-under=90")
    repo = repository(files, verify=verify)
    assert repo.verifier.baseline(60).finished
    part = repo.verifier.tests((), ["tests/test_calc.py::test_a"], 60)
    assert (part.report_problem, part.status()) == ("", {"tests/test_calc.py::test_a": P})


SPECTRUM = {
    "calc.py": "LIMIT = 3\n\n\ndef a():\n    return 1\n\n\ndef b():\n    return helper()\n\n\n"
    "def helper():\n    return 2\n\n\ndef spin():\n    n = 0\n    while n < 400000:\n        n += 1\n    return n\n",
    "tests/test_calc.py": "import threading\n\nimport calc\n\n\ndef test_a():\n    assert calc.a() == 1\n\n\n"
    "def test_b():\n    assert calc.b() == 3\n\n\ndef test_spin():\n    assert calc.spin()\n\n\n"
    "def test_thread():\n    t = threading.Thread(target=calc.helper)\n    t.start()\n    t.join()\n",
}


@pytest.mark.parametrize(
    "verify",
    [
        ("python", "-m", "pytest"),
        ("python", "-m", "pytest", "-p", "pytest_cov.plugin", "--cov=calc"),
        ("python", "-m", "pytest", "-p", "xdist.plugin", "-n", "2"),
    ],
    ids=["plain", "cov", "xdist"],
)
def test_lines_per_test(repository, verify):
    spectrum = repository(SPECTRUM, verify=verify).verifier.spectrum((), None, 120)
    assert spectrum.problem == ""
    of = {test.rsplit("::", 1)[-1]: files.get("calc.py", frozenset()) for test, files in spectrum.lines.items()}
    assert of[""] == {1, 4, 8, 12, 16}
    assert of["test_a"] == {5}
    assert of["test_b"] == {9, 13}  # a red test like any other
    assert of["test_thread"] == {13}
    assert of["test_spin"] >= {17, 18, 19}  # cut off, and what was seen is kept


def test_lines_of_chosen_tests(repository):
    spectrum = repository(SPECTRUM).verifier.spectrum((), ["tests/test_calc.py::test_a"], 60)
    assert set(spectrum.lines) == {"", "tests/test_calc.py::test_a"}


def test_a_test_that_never_ends_keeps_what_was_seen_of_it(repository):
    files = {**SPECTRUM, "tests/test_calc.py": "import calc\n\n\ndef test_ever():\n    while True:\n        calc.a()\n"}
    spectrum = repository(files).verifier.spectrum((), None, 8)
    assert spectrum.of_file("calc.py")["tests/test_calc.py::test_ever"] == {5}


def test_commands_that_are_not_pytest(repository):
    files = {"calc.py": "def one():\n    return 2\n", "run.py": "import calc\n\nassert calc.one() == 1\n"}
    repo = repository(files, verify=("python", "run.py"), check=("python", "-m", "py_compile", "{file}"))
    baseline = repo.verifier.baseline(30)
    assert (baseline.exit_code, baseline.cases, repo.verifier.unusable(baseline)) == (1, None, "")
    fixed = repo.changes({"calc.py": "def one():\n    return 1\n"})
    assert repo.verifier.spectrum((), None, 30).problem
    assert repo.verifier.tests(fixed, ["x"], 30).exit_code == 0
    check = repo.verifier.check(fixed, "calc.py", 30)
    assert check is not None
    assert check.exit_code == 0
    bad = repo.verifier.check(repo.changes({"calc.py": "def one(\n"}), "calc.py", 30)
    assert bad is not None
    assert bad.exit_code == 1
    judged = repo.verifier.judge(baseline, fixed, "one() is wrong", 60)
    assert (judged.verdict, judged.reason) == (Verdict.UNVERIFIED, "suite passed, no per-test report")
    worse = repo.changes({"run.py": "raise SystemExit(3)\n"})
    good = repo.verifier.suite(fixed, 30)
    assert repo.verifier.judge(good, worse, "", 60).verdict is Verdict.FAILING


def test_no_check_command_is_no_check(repository):
    assert repository({"a.py": ""}).verifier.check((), "a.py", 10) is None


UNUSABLE = {
    "not found": ({"a.py": ""}, ("no-such-command",), "was not found"),
    "no test": ({"a.py": ""}, ("pytest",), "no test ran"),
    "all skipped": (
        {"test_a.py": "import pytest\n\n\n@pytest.mark.skip\ndef test_a():\n    pass\n"},
        ("pytest",),
        "every one of 1 is skipped",
    ),
    "bad option": ({"test_a.py": "def test_a():\n    pass\n"}, ("pytest", "--no-such-option"), "no test ran"),
    "killed": ({"a.py": ""}, ("python", "-c", "import os; os.kill(os.getpid(), 9)"), "it was killed"),
    "too slow": ({"a.py": ""}, ("python", "-c", "import time; time.sleep(60)"), "did not end within"),
}


@pytest.mark.parametrize(("files", "verify", "words"), UNUSABLE.values(), ids=UNUSABLE.keys())
def test_a_suite_that_cannot_be_used_is_named_with_its_setting(repository, files, verify, words):
    repo = repository(files, verify=verify)
    said = repo.verifier.unusable(repo.verifier.baseline(3 if words.startswith("did not") else 60))
    assert words in said
    assert "`verify`" in said


def test_nothing_to_judge_is_refused(repository):
    repo = repository({"test_a.py": "def test_a():\n    pass\n"})
    with pytest.raises(ValueError, match="no change was kept"):
        repo.verifier.judge(repo.verifier.baseline(60), (), "", 10)


def test_a_suite_run_of_these_very_changes_is_the_final_one(repository):
    bug = "def add(a, b):\n    return a - b\n"
    repo = repository(
        {"calc.py": bug, "tests/test_c.py": "import calc\n\n\ndef test_a():\n    assert calc.add(1, 1) == 2\n"}
    )
    baseline = repo.verifier.baseline(60)
    changes = repo.changes({"calc.py": bug.replace("-", "+")})
    final = repo.verifier.suite(changes, 60)
    judged = repo.verifier.judge(baseline, changes, "", 60)
    assert judged.verdict is Verdict.VERIFIED
    assert judged.final is final
    assert [event["what"] for event in repo.events.of("suite")].count("final") == 0
    assert repo.events.of("verdict")[0]["evidence"] == ["tests/test_c.py::test_a"]


WRITTEN = "import calc\n\n\ndef test_new():\n    assert calc.add(1, 1) == 2\n"


@pytest.mark.parametrize(
    ("test", "written", "expected"),
    [
        (WRITTEN, ("tests/test_new.py::test_new",), "verified by a test this run wrote"),
        (WRITTEN, ("tests/test_new.py",), "verified by a test this run wrote"),
        (WRITTEN, (), NO_EVIDENCE),
        (
            WRITTEN.replace("calc.add(1, 1) == 2", "calc.plus"),
            ("tests/test_new.py",),
            "no test tells this change from the base",
        ),
    ],
    ids=["by id", "by file", "not by this run before its edit", "fails for another reason"],
)
def test_a_test_this_run_wrote(repository, test, written, expected):
    bug = "def add(a, b):\n    return a - b\n"
    repo = repository(
        {"calc.py": bug, "tests/test_c.py": "import calc\n\n\ndef test_z():\n    assert calc.add(0, 0) == 0\n"}
    )
    fix = bug.replace("-", "+") + ("\n\nplus = add\n" if "plus" in test else "")
    judged = repo.judge({"calc.py": fix, "tests/test_new.py": test}, "adding is wrong", written=written)
    assert judged.reason == expected


def test_tests_that_cannot_even_be_imported_on_the_base_are_evidence(repository):
    tests = "from calc import double\n\n\ndef test_double():\n    assert double(2) == 4\n"
    base = {"calc.py": "def add(a, b):\n    return a + b\n", "tests/test_d.py": tests,
            "tests/test_c.py": "import calc\n\n\ndef test_a():\n    assert calc.add(1, 1) == 2\n"}  # fmt: skip
    judged = repository(base).judge({"calc.py": base["calc.py"] + "\n\ndef double(a):\n    return add(a, a)\n"})
    assert (judged.verdict, judged.evidence) == (Verdict.VERIFIED, ("tests/test_d.py::test_double",))


@pytest.mark.sandbox
def test_the_same_in_the_default_sandbox(repository, tmp_path):
    environment = replace(QUICK, readonly=(sys.prefix, sys.base_prefix))
    problem = probe(environment)
    if problem:
        pytest.skip(problem)
    bug = "def add(a, b):\n    return a - b\n"
    tests = "import calc\n\n\ndef test_a():\n    assert calc.add(1, 1) == 2\n"
    repo = repository(
        {"calc.py": bug, "tests/test_c.py": tests},
        environment=environment,
        sandbox=BubblewrapSandbox(),
    )
    judged = repo.judge({"calc.py": bug.replace("-", "+")})
    assert (judged.verdict, judged.reason) == (Verdict.VERIFIED, "verified by existing tests")
    rewriting = tests + "\n\nopen('data.txt', 'w').write('x')\n"
    repo = repository(
        {"calc.py": bug, "tests/test_c.py": rewriting, "data.txt": "x"},
        environment=environment,
        sandbox=BubblewrapSandbox(),
    )
    judged = repo.judge({"calc.py": bug.replace("-", "+")})
    assert judged.reason == "the suite rewrites files of the tree while it runs: data.txt"


def test_a_test_file_that_still_cannot_be_imported_because_of_the_change_counts_against_it(repository):
    add = "def add(a, b):\n    return a - b\n"
    files = {
        "calc.py": add,
        "tests/test_c.py": "import calc\n\n\ndef test_a():\n    assert calc.add(1, 1) == 2\n",
        "tests/test_d.py": "from calc import double\n\n\ndef test_double():\n    assert double(2) == 4\n",
        "tests/test_e.py": "import no_such_thing\n\n\ndef test_e():\n    pass\n",
    }
    judged = repository(files).judge({"calc.py": add.replace("-", "+")})
    assert judged.still_red == ("tests/test_d.py", "tests/test_e.py")
    assert judged.reason == ("tests that failed before and run through the changed code still fail: tests/test_d.py")


def test_installed_plugins_are_imported_from_their_own_bytecode_and_tests_are_rewritten(repository):
    tests = (
        "import hypothesis\n\n\ndef test_loaders():\n"
        "    assert type(hypothesis.__loader__).__name__ == 'SourceFileLoader'\n"
        "    assert type(__loader__).__name__ == 'AssertionRewritingHook'\n"
    )
    run = repository({"tests/test_x.py": tests}, environment=replace(QUICK, variables=())).verifier.baseline(120)
    assert run.status() == {"tests/test_x.py::test_loaders": P}
