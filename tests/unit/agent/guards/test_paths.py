"""Protected paths: which files no edit may touch, each with its reason."""

import pytest

from agent.guards.catalogue import guards, program
from agent.guards.events import Event
from agent.guards.paths import PathRules, asks_for_tests, is_test, protected

RULES = PathRules(
    extra=("docs/*.md", "vendor/"), verify=("python3", "tools/suite.py", "tests/test_x.py::test_y"),
    submodules=frozenset({"third"}),
)  # fmt: skip


@pytest.mark.parametrize(
    ("path", "words"),
    [
        (".github/workflows/ci.yml", ".github"),
        (".GitHub/bendcoder.yml", ".github"),
        ("sub/uv.lock", "lock files"),
        ("package-lock.json", "lock files"),
        (".gitmodules", "submodules"),
        ("third/file.c", "submodules"),
        ("third", "submodules"),
        ("src/conftest.py", "judging"),
        ("pytest.ini", "judging"),
        ("evil.pth", "judging"),
        ("sitecustomize.py", "judging"),
        ("tools/suite.py", "verify command"),
        ("./tools/suite.py", "verify command"),
        ("docs/a.md", "docs/*.md"),
        ("vendor/x/y.py", "vendor"),
        ("tests/helper.py", "existing tests"),
        ("pkg/test_core.py", "existing tests"),
        ("pkg/core_test.go", "existing tests"),
        ("web/app.spec.ts", "existing tests"),
        ("/etc/passwd", "outside"),
        ("../x", "outside"),
        ("a/../../x", "outside"),
        (".git/config", "outside"),
        ("sub/.GIT/hooks/x", "outside"),
        ("", "outside"),
    ],
)
def test_protected(path: str, words: str) -> None:
    assert words in (protected(path, RULES) or "")


@pytest.mark.parametrize(
    "path", ["src/a.py", "a..b", "github/x.py", "locks.py", "contest.py", "src/attest.py", "docs/a.rst"]
)
def test_not_protected(path: str) -> None:
    assert protected(path, RULES) is None


def test_tests_may_change_when_the_goal_asks_and_new_ones_always() -> None:
    assert protected("tests/a.py", PathRules(tests_asked=True)) is None
    assert protected("tests/new.py", PathRules(), exists=False) is None
    assert protected("tests/conftest.py", PathRules(tests_asked=True)) is not None


@pytest.mark.parametrize(
    "goal", ["Update the tests", "please remove that flaky test", "The test is wrong.\n\nRewrite the whole test file"]
)
def test_goals_that_ask(goal: str) -> None:
    assert asks_for_tests(goal)


@pytest.mark.parametrize(
    "goal", ["test_add fails", "Fix the bug so that tests pass", "tests/test_a.py::test_b is red", "removed items stay"]
)
def test_goals_that_do_not_ask(goal: str) -> None:
    assert not asks_for_tests(goal)


def test_names_of_tests() -> None:
    assert is_test("testing/x.txt")
    assert is_test("a/tests.py")
    assert not is_test("a/protest.py")
    assert not is_test("")


def test_the_guard_names_file_and_rule() -> None:
    made = program(guards(RULES))
    reasons = {one.by: one.reason for one in made.probe(Event("apply_edit", {"path": "uv.lock", "spot": "1-1"}))}
    assert reasons["protected-paths"] == "uv.lock is protected: lock files are made by tools"
