"""Which commands are unittest's, and what is run in their place."""

import json

import pytest

from agent.verify.frameworks.protocol import Room
from agent.verify.frameworks.unittests import recognise

ROOM = Room(reports="/r", inside="/inside", search_path="src")


@pytest.mark.parametrize(
    ("words", "ours"),
    [
        ("python -m unittest", "python -m bendcoder_unittest"),
        (
            "python3.12 -W error -m unittest discover -s tests",
            "python3.12 -W error -m bendcoder_unittest discover -s tests",
        ),
        ("/venv/bin/python -X dev -m unittest -v", "/venv/bin/python -X dev -m bendcoder_unittest -v"),
        ("coverage run --branch -m unittest", "coverage run --branch -m bendcoder_unittest"),
        ("python -m coverage run -m unittest tests.a", "python -m coverage run -m bendcoder_unittest tests.a"),
    ],
)
def test_our_program_takes_the_place_of_unittests(words, ours):
    found = recognise(tuple(words.split()))
    assert found is not None
    assert found.launch(tuple(words.split()), ROOM, None).argv == tuple(ours.split())


@pytest.mark.parametrize(
    "words",
    [
        "python -m pytest",
        "python -I -m unittest",
        "python -Em unittest",
        "python tests/run.py -m unittest",
        "python -m",
        "python",
        "",
        "coverage report -m unittest",
        "coverage run -m",
        "coverage run tests/run.py",
        "python -m coverage",
        "unittest",
        "make -m unittest",
    ],
)
def test_anything_else_is_not(words):
    assert recognise(tuple(words.split())) is None


def test_the_wanted_tests_are_handed_over_in_a_file():
    found = recognise(("python", "-m", "unittest"))
    assert found is not None
    launch = found.launch(("python", "-m", "unittest"), ROOM, ["b.py::T::test_b", "a.py::T::test_a"])
    assert launch.variables["BENDCODER_SELECT"] == "/r/bendcoder-select.json"
    assert json.loads(launch.files["bendcoder-select.json"]) == ["a.py::T::test_a", "b.py::T::test_b"]
    assert launch.variables["PYTHONPATH"] == "/inside:src"
    assert found.launch(("python", "-m", "unittest"), Room(reports="/r", inside="/i"), None).variables == {
        "PYTHONPATH": "/i",
        "BENDCODER_REPORT": "/r/bendcoder-report",
    }
