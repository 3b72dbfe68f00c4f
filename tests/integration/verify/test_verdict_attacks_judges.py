"""A text that is a test as well, rewritten until the program fits it: on a real repository with real pytest."""

from agent.domain.result import Verdict

DOC = 'def add(a, b):\n    """Sum.\n\n    >>> add(2, 3)\n    5\n    """\n    return a - b\n'
TESTS = "import doctest\n\nimport calc\n\n\ndef test_doc():\n    assert not doctest.testmod(calc).failed\n"


def test_an_example_rewritten_to_fit_the_bug_is_not_verified(repository):
    repo = repository({"calc.py": DOC, "tests/test_calc.py": TESTS})
    judged = repo.judge({"calc.py": DOC.replace("    5\n", "    -1\n")})
    assert judged.evidence == ("tests/test_calc.py::test_doc",)
    assert judged.verdict is Verdict.UNVERIFIED
    assert judged.reason == "the result depends on changes to what judges it: calc.py"
