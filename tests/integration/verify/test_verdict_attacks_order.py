"""What passes only together, only at times, or only because it is gone: none of it is verified."""

from agent.domain.result import Verdict
from agent.domain.task import Commands, Options

BUG = "def add(a, b):\n    return a - b\n\n\ndef double(a):\n    return a * 2\n"
FIX = BUG.replace("a - b", "a + b")
TESTS = (
    "from calc import add, double\n\n\ndef test_add():\n    assert add(2, 3) == 5\n\n\n"
    "def test_double():\n    assert double(4) == 8\n"
)
SEED = Options(commands=Commands(verify=())).hash_seed
ADD, DOUBLE = "tests/test_calc.py::test_add", "tests/test_calc.py::test_double"


def test_evidence_that_passes_only_behind_another_test_is_not_verified(repository):
    """The change remembers what an earlier test has asked for: alone the test is as red as before."""
    tests = TESTS.replace("def test_add", "def test_a_first():\n    add(0, 5)\n\n\ndef test_add")
    lucky = "last = 0\n\n\ndef add(a, b):\n    global last\n    found, last = last, b\n    return found\n"
    base = {"calc.py": BUG, "tests/test_calc.py": tests}
    judged = repository(base).judge({"calc.py": lucky + BUG[BUG.index("\n\n\ndef double") :]})
    assert judged.fixed == (ADD,)
    assert (judged.verdict, judged.evidence) == (Verdict.UNVERIFIED, ())
    assert judged.reason == "no test tells this change from the base"


def test_a_failure_that_a_second_try_would_hide_is_failing(repository, tmp_path):
    """The change fails the first time only: nothing is run again on the final tree to make that good."""
    once = FIX.replace(
        "    return a * 2",
        f"    import pathlib\n\n    seen = pathlib.Path({str(tmp_path / 'seen')!r})\n"
        "    was = seen.exists()\n    seen.touch()\n    return a * 2 if was else 0",
    )
    judged = repository({"calc.py": BUG, "tests/test_calc.py": TESTS}).judge({"calc.py": once})
    assert (judged.verdict, judged.broken, judged.flaky) == (Verdict.FAILING, (DOUBLE,), ())


def test_a_deleted_test_is_not_verified(repository):
    kept = TESTS[: TESTS.index("def test_double")]
    judged = repository({"calc.py": BUG, "tests/test_calc.py": TESTS}).judge(
        {"calc.py": FIX.replace("a * 2", "a * 3"), "tests/test_calc.py": kept}
    )
    assert judged.verdict is Verdict.UNVERIFIED
    assert f"tests of the base are gone: {DOUBLE}" in (judged.reason, *judged.notes)
    assert "depends on changes to what judges it: tests/test_calc.py" in judged.reason


def test_what_passes_under_one_hash_seed_alone_is_not_verified(repository):
    lucky = BUG.replace(
        "return a - b", f"import os\n    return 5 if os.environ['PYTHONHASHSEED'] == '{SEED}' else a - b"
    )
    judged = repository({"calc.py": BUG, "tests/test_calc.py": TESTS}).judge({"calc.py": lucky})
    assert judged.fixed == (ADD,)
    assert (judged.verdict, judged.evidence) == (Verdict.UNVERIFIED, ())
