"""Rules of the verdict that need more than one kind of file, or a clock of their own, on real repositories."""

import time

import pytest

from agent.domain.result import Verdict

BUG = "def add(a, b):\n    return a - b\n"
FIX = "def add(a, b):\n    return a + b\n"
TESTS = "from calc import add\n\n\ndef test_add():\n    assert add(2, 3) == 5\n"
BASE = {"calc.py": BUG, "tests/test_calc.py": TESTS}


class Jumping:
    """A clock that is right until it has been asked a number of times, and far in the future from then on."""

    def __init__(self) -> None:
        self.left: int | None = None

    def __call__(self) -> float:
        if self.left is None:
            return time.monotonic()
        self.left -= 1
        return time.monotonic() + (0 if self.left >= 0 else 1e6)


NAMED = {
    1: "the suite on the final tree",
    2: "whether a test tells the change from the base",
    4: "whether a test tells the change from the base",
    6: "whether a test tells the change from the base",
    7: "which changed lines the tests execute",
    9: "the suite with the base's judge files",
}


@pytest.mark.parametrize("asked", NAMED)
def test_wherever_time_ends_the_missing_part_is_named(repository, asked):
    clock = Jumping()
    repo = repository({**BASE, "setup.cfg": "[x]\na = 1\n"}, clock=clock)
    baseline = repo.verifier.baseline(60)
    clock.left = asked
    judged = repo.verifier.judge(baseline, repo.changes({"calc.py": FIX, "setup.cfg": "[x]\na = 2\n"}), "", 600)
    assert judged.verdict is Verdict.UNVERIFIED
    assert judged.reason.startswith("not checked in time: ")
    assert NAMED[asked] in judged.reason


def test_enough_time_is_enough(repository):
    clock = Jumping()
    repo = repository({**BASE, "setup.cfg": "[x]\na = 1\n"}, clock=clock)
    baseline = repo.verifier.baseline(60)
    clock.left = 40
    judged = repo.verifier.judge(baseline, repo.changes({"calc.py": FIX, "setup.cfg": "[x]\na = 2\n"}), "", 600)
    assert (judged.verdict, judged.reason) == (Verdict.VERIFIED, "verified by existing tests")
    assert judged.notes == ("setup.cfg was changed, and it takes part in judging",)


def test_a_new_module_that_takes_the_place_of_another_is_not_verified(repository):
    base = {"src/calc.py": BUG, "tests/test_calc.py": TESTS, "pytest.ini": "[pytest]\npythonpath = . src\n"}
    judged = repository(base).judge({"calc.py": FIX})
    assert judged.fixed == ("tests/test_calc.py::test_add",)
    assert judged.verdict is Verdict.UNVERIFIED
    assert judged.reason == "the result depends on changes to what judges it: calc.py"


def test_a_new_module_under_a_name_of_its_own_is_verified(repository):
    judged = repository(BASE).judge(
        {"calc.py": "from plus import plus\n\n\ndef add(a, b):\n    return plus(a, b)\n",
         "plus.py": "def plus(a, b):\n    return a + b\n"}
    )  # fmt: skip
    assert judged.verdict is Verdict.VERIFIED
    assert judged.coverage == {"calc.py": "covered", "plus.py": "covered"}


def test_configuration_that_leaves_the_failing_test_out_is_not_verified(repository):
    ini = "[pytest]\naddopts = --deselect tests/test_calc.py::test_add\n"
    files = {**BASE, "tests/test_other.py": "def test_other():\n    pass\n"}
    judged = repository(files).judge({"pytest.ini": ini})
    assert judged.final is not None
    assert judged.final.exit_code == 0
    assert judged.verdict is Verdict.UNVERIFIED
    assert "tests of the base are gone: tests/test_calc.py::test_add" in (judged.reason, *judged.notes)


def test_a_change_to_what_cannot_be_traced_is_not_verified(repository):
    tests = "import json\n\n\ndef test_limit():\n    assert json.load(open('limits.json'))['limit'] == 3\n"
    judged = repository({"limits.json": '{"limit": 2}', "tests/test_l.py": tests}).judge(
        {"limits.json": '{"limit": 3}'}
    )
    assert judged.evidence == ("tests/test_l.py::test_limit",)
    assert judged.reason == "whether a test executes the change cannot be seen in limits.json"


def test_prose_and_comments_beside_a_fix_do_not_count(repository):
    judged = repository({**BASE, "README.md": "# calc\n", "other.py": "x = 1\n"}).judge(
        {"calc.py": FIX, "README.md": "# calc\n\nRun pytest.\n", "other.py": "# one\nx = 1\n"}
    )
    assert judged.verdict is Verdict.VERIFIED


def test_a_module_level_change_counts_when_a_test_imports_it(repository):
    files = {
        "calc.py": "LIMIT = 2\n",
        "tests/test_l.py": "import calc\n\n\ndef test_l():\n    assert calc.LIMIT == 3\n",
    }
    assert repository(files).judge({"calc.py": "LIMIT = 3\n"}).verdict is Verdict.VERIFIED


def test_evidence_is_looked_for_beyond_the_three_cheapest(repository, tmp_path):
    """Three quick tests turn green by themselves; a slower one is real."""
    flaky = "".join(
        f"\n\ndef test_flaky_{n}():\n    import pathlib\n    seen = pathlib.Path({str(tmp_path / f'seen{n}')!r})\n"
        f"    was, _ = seen.exists(), seen.write_text('x')\n    assert was\n"
        for n in range(3)
    )
    slow = TESTS.replace("    assert add", "    import time\n\n    time.sleep(0.2)\n    assert add")
    judged = repository({"calc.py": BUG, "tests/test_calc.py": slow + flaky}).judge({"calc.py": FIX})
    assert len(judged.fixed) == 4
    assert judged.evidence == ("tests/test_calc.py::test_add",)
    assert judged.verdict is Verdict.VERIFIED


def test_a_change_that_hangs_the_suite_is_not_verified(repository):
    repo = repository(BASE)
    baseline = repo.verifier.baseline(60)
    hanging = repo.changes({"calc.py": "def add(a, b):\n    while True:\n        pass\n"})
    started = time.monotonic()
    judged = repo.verifier.judge(baseline, hanging, "", 4)
    assert time.monotonic() - started < 12
    assert judged.verdict is Verdict.UNVERIFIED
    assert judged.reason == "not checked in time: the suite on the final tree"


def test_a_change_that_breaks_the_import_is_failing(repository):
    base = {**BASE, "calc.py": BUG + "\n\ndef one():\n    return 1\n",
            "tests/test_one.py": "import calc\n\n\ndef test_one():\n    assert calc.one() == 1\n"}  # fmt: skip
    judged = repository(base).judge({"calc.py": "def add(a, b)\n"})
    assert judged.verdict is Verdict.FAILING
    assert judged.broken == ("tests/test_calc.py", "tests/test_one.py")
