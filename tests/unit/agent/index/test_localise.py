"""Suspects come from what red tests run and green ones do not; tests themselves are never suspected."""

import pytest

from agent.domain.suite import Spectrum
from agent.index.localise import MODULE_SCORE, Suspect, by_likeness, heat, localise, place_of, raised_at

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


def test_a_file_of_tables_alone_comes_behind_what_red_tests_reach() -> None:
    spectrum = Spectrum(lines={**SPECTRUM.lines, "": {"a.py": frozenset({1, 4, 8}), "words.py": frozenset({1})}})
    sources = {**SOURCES, "words.py": b"WORDS = {'a': 1}\n"}

    suspects = localise(spectrum, frozenset({RED}), frozenset({GREEN}), sources)

    assert [(one.path, one.name) for one in suspects[2:]] == [("a.py", "module level"), ("words.py", "module level")]
    assert suspects[3].score < suspects[2].score


def test_the_block_most_like_the_goal_is_looked_at_after_a_few_functions() -> None:
    functions = [Suspect(path="a.py", begin=n, end=n, name=f"f{n}", score=1 - n / 10) for n in range(1, 6)]
    blocks = [Suspect(path=p, begin=1, end=9, name="module level", score=MODULE_SCORE) for p in ("b.py", "c.py")]

    found = by_likeness([*functions, *blocks], {"b.py:1": 0.5, "c.py:1": 2.0}, {})

    assert [place_of(one) for one in found] == ["a.py:1", "a.py:2", "a.py:3", "c.py:1", "a.py:4", "a.py:5", "b.py:1"]
    assert found[3].score == functions[2].score  # so that it keeps its place where suspects are sorted by score
    assert by_likeness([*functions, *blocks], {}, {}) == (*functions, *blocks)
    assert by_likeness([*functions[:2], *blocks], {"c.py:1": 2.0}, {}) == (*functions[:2], *reversed(blocks))


@pytest.mark.parametrize(
    ("told", "lines"),
    [
        ("src/m.py:4: KeyError\nother/src/m.py:5: in f", {4, 5}),
        ('  File "/bendcoder/tree/src/m.py", line 7, in f', {7}),
        ("xsrc/m.py:4: in f\nsrc/m.pyc:5\nsrc/m.py:x", set()),
    ],
)
def test_lines_an_exception_passed_are_read_from_the_failures(told: str, lines: set[int]) -> None:
    assert raised_at("src/m.py", told) == lines
    assert raised_at("", told) == frozenset()


def test_of_functions_nearly_as_hot_the_one_like_the_goal_or_on_an_exceptions_path_comes_first() -> None:
    functions = [Suspect(path="a.py", begin=n, end=n, name=f"f{n}", score=1 - n / 10) for n in range(1, 6)]

    assert by_likeness(functions, {"a.py:2": 3.0, "a.py:5": 1.0}, {})[0].begin == 2
    assert by_likeness(functions, {}, {"a.py": frozenset({3}), "b.py": frozenset({5})})[0].begin == 3
