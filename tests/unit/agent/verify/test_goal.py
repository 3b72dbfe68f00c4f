import pytest

from agent.verify.goal import failed_for_the_reason, named_tests

IDS = (
    "tests/test_shapes.py::TestBox::test_area[1-2]",
    "tests/test_shapes.py::TestBox::test_area[3-4]",
    "tests/test_shapes.py::test_round",
    "tests/test_other.py::test_round",
    "tests/test_shapes.py",
)


@pytest.mark.parametrize(
    ("goal", "expected"),
    [
        ("test_area fails", IDS[:2]),
        ("`tests/test_shapes.py::test_round` fails", ("tests/test_shapes.py::test_round",)),
        ("run ./tests/test_shapes.py::TestBox", IDS[:2]),
        ("see tests/test_shapes.py::TestBox::test_area[1-2].", IDS[:1]),
        ("TestBox is red", IDS[:2]),
        ("test_round is red", ("tests/test_other.py::test_round", "tests/test_shapes.py::test_round")),
        ("the file tests/test_shapes.py, or test_shapes.py", ()),
        ("testing the area", ()),
        ("test_are", ()),
        ("", ()),
    ],
)
def test_tests_a_goal_names(goal, expected):
    assert named_tests(goal, IDS) == tuple(sorted(expected))


OTHERS = (
    "test/calc.test.js::outer > adds numbers",
    "demo::tests::adds",
    "example.com/m::TestAdd/negative",
    "tests/test_shapes.py::test_round",
)


@pytest.mark.parametrize(
    ("goal", "expected"),
    [
        ('the test "adds numbers" is red', OTHERS[:1]),
        ("`outer > adds numbers` is red", OTHERS[:1]),
        ("`tests::adds` fails", OTHERS[1:2]),
        ("TestAdd fails", OTHERS[2:3]),
        ("it adds numbers, 'round' ones", ()),
    ],
)
def test_tests_of_other_frameworks_are_named_by_their_titles(goal, expected):
    assert named_tests(goal, OTHERS) == expected


@pytest.mark.parametrize(
    ("message", "goal", "expected"),
    [
        ("assert 1 == 2", "", True),
        ("AssertionError: no", "", True),
        ("assertion `left == right` failed\n  left: 3", "", True),
        ("assertion failed: x", "", True),
        ("Failed: DID NOT RAISE <class 'ValueError'>", "", True),
        ("KeyError: 'x'", "it raises a KeyError", True),
        ("pkg.errors.BoxError: gone", "BoxError again", True),
        ('failed on setup with "KeyError: 1"', "KeyError in the fixture", True),
        ("KeyError: 'x'", "it is wrong", False),
        ("ModuleNotFoundError: No module named 'x'", "", False),
        ("SyntaxError: bad", "the syntax is wrong", False),
        ("assertion failed elsewhere", "", False),
        ("", "anything", False),
    ],
)
def test_a_written_test_must_fail_for_the_reason(message, goal, expected):
    assert failed_for_the_reason(message, goal) is expected
