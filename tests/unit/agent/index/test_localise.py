"""Suspects come from what red tests run and green ones do not; tests themselves are never suspected."""

from agent.domain.suite import Spectrum
from agent.index.localise import Suspect, heat, localise

SOURCE = b"""LIMIT = 3


def good(x):
    return x


def bad(x):
    y = x
    return y
"""
RED, GREEN = "tests/test_a.py::test_bad", "tests/test_a.py::test_good"
SPECTRUM = Spectrum(
    lines={
        "": {"a.py": frozenset({1, 4, 8})},
        RED: {"a.py": frozenset({5, 9, 10}), "tests/test_a.py": frozenset({3})},
        GREEN: {"a.py": frozenset({5}), "tests/test_a.py": frozenset({6})},
    }
)
SOURCES = {"a.py": SOURCE, "tests/test_a.py": b"def test_bad():\n    pass\n"}


def test_a_line_only_red_tests_run_is_hotter_than_one_green_tests_run_too() -> None:
    lines = heat(SPECTRUM, frozenset({RED}), frozenset({GREEN}))["a.py"]

    assert lines[9] == 1.0
    assert 0.7 < lines[5] < 0.71
    assert 4 not in lines


def test_the_function_only_red_tests_run_comes_first_and_module_level_last() -> None:
    suspects = localise(SPECTRUM, frozenset({RED}), frozenset({GREEN}), SOURCES)

    assert [one.name for one in suspects] == ["bad", "good", "module level"]
    assert suspects[0] == Suspect(path="a.py", begin=8, end=10, name="bad", score=1.0)


def test_test_files_are_never_suspected() -> None:
    suspects = localise(SPECTRUM, frozenset({RED}), frozenset({GREEN}), SOURCES)

    assert {one.path for one in suspects} == {"a.py"}


def test_without_red_tests_nothing_is_suspected() -> None:
    assert localise(SPECTRUM, frozenset(), frozenset({GREEN}), SOURCES) == ()


def test_module_level_lines_are_cut_into_blocks_that_do_not_overlap() -> None:
    source = "".join(f"A{number} = {number}\n" for number in range(1, 101)).encode()
    spectrum = Spectrum(lines={"": {"a.py": frozenset(range(1, 101))}, RED: {"a.py": frozenset({1})}})

    suspects = localise(spectrum, frozenset({RED}), frozenset(), {"a.py": source})

    assert [(one.begin, one.end) for one in suspects] == [(1, 40), (41, 80), (81, 100)]
