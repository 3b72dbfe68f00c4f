from agent.domain.result import Verdict

BUG = "def add(a, b):\n    return a - b\n\n\ndef double(a):\n    return a * 2\n"
FIX = BUG.replace("a - b", "a + b")
TESTS = (
    "from calc import add, double\n\n\ndef test_add():\n    assert add(2, 3) == 5\n\n\n"
    "def test_zero():\n    assert add(0, 0) == 0\n\n\ndef test_double():\n    assert double(4) == 8\n"
)
BASE = {"calc.py": BUG, "tests/test_calc.py": TESTS}


def test_an_honest_fix_is_verified(repository):
    repo = repository(BASE)
    judged = repo.judge({"calc.py": FIX})
    assert judged.reason == "verified by existing tests"
    assert judged.verdict is Verdict.VERIFIED
    assert judged.fixed == judged.evidence == ("tests/test_calc.py::test_add",)
    assert judged.coverage == {"calc.py": "covered"}
    assert len(judged.tree) == 40
