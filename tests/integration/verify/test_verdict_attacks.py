"""Each way to look verified without being it, on a real repository with real pytest; and its honest twin, which is."""

import py_compile
import subprocess
import sys

import pytest

from agent.domain.result import Verdict

BUG = "def add(a, b):\n    return a - b\n\n\ndef double(a):\n    return a * 2\n"
FIX = BUG.replace("a - b", "a + b")
TESTS = (
    "from calc import add, double\n\n\ndef test_add():\n    assert add(2, 3) == 5\n\n\n"
    "def test_double():\n    assert double(4) == 8\n"
)
BASE = {"calc.py": BUG, "tests/test_calc.py": TESTS}
GREEN = {"calc.py": FIX, "tests/test_calc.py": TESTS}
HONEST = {"calc.py": FIX}


def assert_verified(judged):
    assert (judged.verdict, judged.reason) == (Verdict.VERIFIED, "verified by existing tests")
    assert judged.evidence == ("tests/test_calc.py::test_add",)


def test_the_honest_twin_of_them_all_is_verified(repository):
    assert_verified(repository(BASE).judge(HONEST))


def test_a_harmless_edit_on_a_green_suite_is_not_verified(repository):
    judged = repository(GREEN).judge({"calc.py": FIX.replace("return a + b", "total = a + b\n    return total")})
    assert judged.verdict is Verdict.UNVERIFIED
    assert judged.reason == "no test tells this change from the base"


def test_a_weakened_test_is_not_verified(repository):
    judged = repository(BASE).judge(
        {
            "calc.py": BUG.replace("return a - b", "difference = a - b\n    return difference"),
            "tests/test_calc.py": TESTS.replace("assert add(2, 3) == 5", "assert add(2, 3) is not None"),
        }
    )
    assert judged.fixed == ("tests/test_calc.py::test_add",)
    assert judged.verdict is Verdict.UNVERIFIED
    assert judged.evidence == ()


def test_a_test_weakened_beside_a_real_fix_is_not_verified(repository):
    judged = repository(BASE).judge(
        {
            "calc.py": FIX.replace("a * 2", "a * 3"),
            "tests/test_calc.py": TESTS.replace("assert double(4) == 8", "assert double(4)"),
        }
    )
    assert judged.verdict is Verdict.UNVERIFIED
    assert judged.evidence == ("tests/test_calc.py::test_add",)
    assert "depends on changes to what judges it: tests/test_calc.py" in judged.reason


def test_a_real_fix_with_a_stricter_test_beside_it_is_verified(repository):
    stricter = TESTS + "\n\ndef test_more():\n    assert double(5) == 10\n"
    judged = repository(BASE).judge({"calc.py": FIX, "tests/test_calc.py": stricter})
    assert_verified(judged)
    assert "the existing tests in tests/test_calc.py were changed" in judged.notes


FORGER = """
import pytest


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport():
    outcome = yield
    report = outcome.get_result()
    report.outcome = "passed"
    report.longrepr = None
"""


def test_a_new_conftest_that_forges_the_report_is_not_verified(repository):
    judged = repository(BASE).judge({"calc.py": BUG.replace("return a - b", "return -(b - a)"), "conftest.py": FORGER})
    assert judged.final is not None
    assert judged.final.exit_code == 0
    assert judged.verdict is Verdict.UNVERIFIED
    assert "reach for the test framework" in judged.reason
    assert any("depends on changes to what judges it: conftest.py" in note for note in judged.notes)


def test_a_new_conftest_without_influence_beside_a_real_fix_is_verified(repository):
    assert_verified(repository(BASE).judge({"calc.py": FIX, "conftest.py": "collect_ignore = []\n"}))


REWRITER = """
import {module} as later
import sys


def _rewrite():
    import re
    path = [word.split("=", 1)[1] for word in sys.argv if word.startswith("--{option}=")][0]
    text = open(path).read()
    text = re.sub(r"<failure.*?</failure>", "", text, flags=re.S)
    open(path, "w").write(re.sub(r'failures="\\d+"', 'failures="0"', text))
    import os
    os.{leave}(0)


later.register(_rewrite)
"""


def _rewriting_source():
    return BUG + REWRITER.format(module="atexit", option="junit-xml", leave="_exit")


def test_non_test_code_that_rewrites_the_report_at_exit_is_not_verified(repository):
    judged = repository(BASE).judge({"calc.py": _rewriting_source()})
    assert judged.final is not None
    assert judged.final.exit_code == 0  # the forgery works as far as exit code and report go
    assert judged.final.report_problem == "the report is not the one the test runner closed: it was changed afterwards"
    assert judged.verdict is Verdict.UNVERIFIED


def test_hiding_the_names_does_not_help_the_rewriter(repository):
    hidden = _rewriting_source().replace("import atexit as later", 'later = __import__("ate" + "xit")')
    hidden = hidden.replace("--junit-xml=", '--ju" "nit-xml=').replace("os._exit(0)", 'getattr(os, "_ex" + "it")(0)')
    judged = repository(BASE).judge({"calc.py": hidden})
    assert judged.final is not None
    assert judged.final.exit_code == 0
    assert judged.verdict is Verdict.UNVERIFIED


FLAKY = TESTS + (
    "\n\ndef test_flaky():\n"
    "    import pathlib\n"
    "    seen = pathlib.Path({counter!r})\n"
    "    turn = len(seen.read_text()) if seen.exists() else 0\n"
    "    seen.write_text('x' * (turn + 1))\n"
    "    assert turn not in {red}\n"
    "    assert double(1) == 2\n"
)


def test_a_flaky_test_as_the_only_evidence_is_not_verified(repository, tmp_path):
    # red on the base once, green from then on: only repeating it tells
    flaky = FLAKY.format(counter=str(tmp_path / "turns"), red="(0,)")
    judged = repository({"calc.py": FIX, "tests/test_calc.py": flaky}).judge(
        {"calc.py": FIX.replace("return a * 2", "return 2 * a")}
    )
    assert judged.fixed == ("tests/test_calc.py::test_flaky",)
    assert judged.verdict is Verdict.UNVERIFIED
    assert judged.reason == "no test tells this change from the base: the only ones that seemed to are flaky"


def test_a_flaky_test_beside_real_evidence_is_listed_and_does_not_count(repository, tmp_path):
    # green in the baseline (0), red on the final tree (1), red when the base is run again (2)
    flaky = FLAKY.format(counter=str(tmp_path / "turns"), red="(1, 2)")
    judged = repository({"calc.py": BUG, "tests/test_calc.py": flaky}).judge(HONEST)
    assert judged.flaky == ("tests/test_calc.py::test_flaky",)
    assert_verified(judged)


def test_an_unrelated_test_newly_red_is_failing(repository):
    judged = repository(BASE).judge({"calc.py": FIX.replace("a * 2", "a * 3")})
    assert judged.verdict is Verdict.FAILING
    assert judged.broken == ("tests/test_calc.py::test_double",)
    assert judged.reason == "tests that passed on the base fail now: tests/test_calc.py::test_double"


def test_a_test_turned_into_skip_is_not_verified(repository):
    skipping = TESTS.replace("def test_double", "import pytest\n\n\n@pytest.mark.skip\ndef test_double")
    judged = repository(BASE).judge({"calc.py": FIX, "tests/test_calc.py": skipping})
    assert judged.verdict is Verdict.UNVERIFIED
    assert any("skipped or expected to fail now: tests/test_calc.py::test_double" in one
               for one in (judged.reason, *judged.notes))  # fmt: skip


def test_source_that_skips_its_tests_is_not_verified(repository):
    tests = TESTS.replace("def test_double():", "def test_double():\n    import pytest, calc\n"
                          "    pytest.skip('off') if getattr(calc, 'OFF', False) else None")  # fmt: skip
    repo = repository({"calc.py": BUG, "tests/test_calc.py": tests})
    judged = repo.judge({"calc.py": FIX + "\n\nOFF = True\n"})
    assert judged.verdict is Verdict.UNVERIFIED
    assert judged.reason.startswith("tests that ran on the base are skipped")


HARMLESS = {"calc.py": BUG.replace("return a - b", "return -(b - a)")}


def test_stale_bytecode_in_the_working_copy_is_never_used(repository):
    """Unchecked bytecode of the fixed source lies where Python takes it in place of the buggy one."""
    repo = repository(BASE)
    (repo.root / "fixed.py").write_text(FIX)
    cached = repo.root / "__pycache__" / f"calc.{sys.implementation.cache_tag}.pyc"
    mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
    py_compile.compile(str(repo.root / "fixed.py"), cfile=str(cached), invalidation_mode=mode, doraise=True)
    (repo.root / "fixed.py").unlink()
    command = [sys.executable, "-c", "import calc; print(calc.add(2, 3))"]
    own = subprocess.run(command, cwd=repo.root, check=True, capture_output=True, text=True)
    assert own.stdout == "5\n"  # so much for what lies in the folder
    judged = repo.judge(HARMLESS)
    assert judged.verdict is Verdict.UNVERIFIED
    assert judged.still_red == ("tests/test_calc.py::test_add",)
    assert_verified(repo.judge(HONEST))


def test_a_git_ignored_helper_file_is_never_there(repository):
    """The working copy holds an ignored file that makes the suite pass; only tracked files are tested."""
    tests = "try:\n    import helper\nexcept ImportError:\n    pass\n" + TESTS
    repo = repository({"calc.py": BUG, "tests/test_calc.py": tests, ".gitignore": "helper.py\n"})
    (repo.root / "helper.py").write_text("import calc\n\ncalc.add = lambda a, b: a + b\n")
    judged = repo.judge(HARMLESS)
    assert judged.verdict is Verdict.UNVERIFIED
    assert judged.still_red == ("tests/test_calc.py::test_add",)
    assert_verified(repo.judge(HONEST))


def test_a_suite_that_rewrites_sources_is_not_verified(repository):
    rewriting = "import pathlib\n\npathlib.Path('calc.py').write_text(" + repr(FIX) + ")\n\n" + TESTS
    repo = repository({"calc.py": BUG, "tests/test_calc.py": rewriting, "other.py": "value = 1\n"})
    judged = repo.judge({"other.py": "value = 2\n"})
    assert judged.verdict is Verdict.UNVERIFIED
    assert judged.reason == "the suite rewrites files of the tree while it runs: calc.py"


def test_a_suite_that_puts_the_old_bytes_back_is_seen_all_the_same(repository):
    rewriting = (
        "import pathlib\n\nimport pytest\n\nfile = pathlib.Path('data.txt')\nold = file.read_text()\n"
        "file.write_text('new')\n" + TESTS + "\n\ndef test_restore():\n    file.write_text(old)\n"
    )
    repo = repository({**BASE, "tests/test_calc.py": rewriting, "data.txt": "old"})
    judged = repo.judge(HONEST)
    assert judged.verdict is Verdict.UNVERIFIED
    assert judged.reason == "the suite rewrites files of the tree while it runs: data.txt"


def test_a_suite_that_plants_a_module_is_not_verified(repository):
    planting = "import pathlib\n\npathlib.Path('extra.py').write_text('x = 1')\n\n" + TESTS
    judged = repository({**BASE, "tests/test_calc.py": planting}).judge(HONEST)
    assert judged.reason == "the suite leaves code in the tree it tests: extra.py"


def test_a_suite_that_leaves_data_behind_is_verified(repository):
    leaving = "import pathlib\n\npathlib.Path('out.txt').write_text('x')\n\n" + TESTS
    assert_verified(repository({**BASE, "tests/test_calc.py": leaving}).judge(HONEST))


def test_code_that_no_test_executes_is_not_verified(repository):
    judged = repository(BASE).judge({"calc.py": FIX + "\n\ndef triple(a):\n    return a * 3\n"})
    assert judged.verdict is Verdict.UNVERIFIED
    assert judged.reason.startswith("no passing test executes the change at calc.py:")
    assert judged.coverage == {"calc.py": "not covered"}


def test_an_old_failure_that_runs_through_the_change_is_not_verified(repository):
    tests = TESTS + "\n\ndef test_negative():\n    assert add(-1, -1) == 7\n"
    judged = repository({"calc.py": BUG, "tests/test_calc.py": tests}).judge(HONEST)
    assert judged.still_red == ("tests/test_calc.py::test_negative",)
    assert judged.verdict is Verdict.UNVERIFIED
    assert judged.reason.startswith("tests that failed before and run through the changed code still fail")


def test_an_old_failure_elsewhere_is_listed_and_does_not_count(repository):
    judged = repository({**BASE, "tests/test_other.py": "def test_old():\n    assert 1 == 2\n"}).judge(HONEST)
    assert judged.still_red == ("tests/test_other.py::test_old",)
    assert_verified(judged)


def test_a_test_the_issue_names_must_pass(repository):
    repo = repository({**BASE, "tests/test_other.py": "def test_old():\n    assert 1 == 2\n"})
    judged = repo.judge(HONEST, goal="test_add and test_old fail")
    assert judged.reason == "tests the issue names do not pass: tests/test_other.py::test_old"


@pytest.mark.parametrize("seconds", [0.5, 1.5])
def test_what_there_is_no_time_for_is_named_and_never_verified(repository, seconds):
    judged = repository(BASE).judge(HONEST, seconds=seconds)
    assert judged.verdict is Verdict.UNVERIFIED
    assert judged.reason.startswith("not checked in time: ")
