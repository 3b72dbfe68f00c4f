"""Spectrum fault localisation: which functions and module-level blocks red tests run and green ones run less. Pure.

Ochiai per line (Abreu, Zoeteweij, van Gemund 2007): red runs of a line, over the
root of all red tests times all runs of that line.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from pathlib import PurePosixPath

from agent.domain.suite import Spectrum
from agent.index.symbols import Function, loose_statements, outermost

BLOCK_LINES = 20
"""Half the lines of a module-level block; large enough for a table, small enough to search."""
MODULE_SCORE = 0.1
"""What module level is given: it runs at import, so no test tells more of it than another."""
_LIKE, _RAISED = 0.2, 0.3
"""Added to a function's score for likeness to the goal (the most alike has all of it), for an exception's path.
Not measured; of a size that reorders functions nearly as hot as one another."""
_BEFORE_BLOCK = 3
"""Functions looked at before the module-level block most like the goal."""
_NEAR = 3
"""Lines between two statements of one block at most: a function between them would be part of it."""
_TEST_FOLDERS = frozenset({"test", "tests", "testing"})
_IMPORT = ""
"""The tracer's key for lines executed while modules were imported."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspect:
    """Whole lines `begin` to `end` of a file under suspicion, score 0..1."""

    path: str
    begin: int
    end: int
    name: str
    score: float


def heat(spectrum: Spectrum, red: frozenset[str], passed: frozenset[str]) -> dict[str, dict[int, float]]:
    """Path -> line -> suspiciousness 0..1, for every line a red test executed."""
    reds: Counter[tuple[str, int]] = Counter()
    greens: Counter[tuple[str, int]] = Counter()
    for test, files in spectrum.lines.items():
        counted = reds if test in red else greens if test in passed else None
        if counted is not None:
            counted.update((path, line) for path, lines in files.items() for line in lines)
    total = len(red & spectrum.lines.keys())
    found: dict[str, dict[int, float]] = {}
    for (path, line), count in reds.items():
        found.setdefault(path, {})[line] = count / sqrt(total * (count + greens[path, line]))
    return found


def localise(
    spectrum: Spectrum, red: frozenset[str], passed: frozenset[str], sources: Mapping[str, bytes]
) -> tuple[Suspect, ...]:
    """Suspects, most suspected first: outermost functions that red tests execute, then module-level blocks.

    Test files are left out. Ties go to the function whose lines are suspect on average, then to the smaller.
    """
    lines = heat(spectrum, red, passed)
    suspects: list[tuple[tuple[float, ...], Suspect]] = []
    for path, source in sorted(sources.items()):
        if _is_test(path, red | passed):
            continue
        suspects.extend(_of_file(path, source, lines.get(path, {})))
        suspects.extend(_of_module(path, source, spectrum, red))
    suspects.sort(key=lambda one: (one[0], one[1].path, one[1].begin))
    return tuple(suspect for _, suspect in suspects)


def _of_file(path: str, source: bytes, lines: Mapping[int, float]) -> Iterator[tuple[tuple[float, ...], Suspect]]:
    for function in outermost(source):
        scores = [score for line, score in lines.items() if function.begin <= line <= function.end]
        if scores:
            top = max(scores)
            mean = sum(scores) / len(scores)
            size = function.end - function.begin
            yield (0.0, -top, -mean, float(size)), _suspect(path, function, top)


def _of_module(
    path: str, source: bytes, spectrum: Spectrum, red: frozenset[str]
) -> Iterator[tuple[tuple[float, ...], Suspect]]:
    """Blocks of module-level lines: constants, tables, class bodies; the last resort.

    Files that red tests only import come behind those they reach: a file of tables alone is never reached.
    """
    reached = any(spectrum.lines.get(test, {}).get(path) for test in red)
    imported = spectrum.lines.get(_IMPORT, {}).get(path, frozenset())
    if not imported or not red:
        return
    rank, score = (1.0, MODULE_SCORE) if reached else (2.0, MODULE_SCORE / 2)
    held = [(begin, end) for begin, end in loose_statements(source) if imported & frozenset(range(begin, end + 1))]
    for begin, end in _blocks(held):
        yield (rank, 0.0, 0.0, float(begin)), Suspect(path=path, begin=begin, end=end, name="module level", score=score)


def by_likeness(
    suspects: Sequence[Suspect], likeness: Mapping[str, float], raised: Mapping[str, frozenset[int]]
) -> tuple[Suspect, ...]:
    """Functions by score and what else speaks for them, then module-level blocks by their likeness to the goal.

    `likeness` is by `place_of`; `raised` has lines of files that exceptions of red tests passed through. The block most
    like the goal moves up: nothing executes it, so it has no score of its own and gets that of the function before.
    """
    functions = [one for one in suspects if one.score > MODULE_SCORE]
    blocks = [one for one in suspects if one.score <= MODULE_SCORE]
    most = max((likeness.get(place_of(one), 0.0) for one in functions), default=0.0) or 1.0

    def weight(one: Suspect) -> float:
        passed = any(one.begin <= line <= one.end for line in raised.get(one.path, ()))
        return one.score + _LIKE * likeness.get(place_of(one), 0.0) / most + (_RAISED if passed else 0.0)

    functions.sort(key=weight, reverse=True)  # both sorts are stable: equals stay as they were
    blocks.sort(key=lambda one: -likeness.get(place_of(one), 0.0))
    if len(functions) > _BEFORE_BLOCK and blocks and likeness.get(place_of(blocks[0]), 0.0) > 0:
        moved = replace(blocks.pop(0), score=functions[_BEFORE_BLOCK - 1].score)
        functions.insert(_BEFORE_BLOCK, moved)
    return (*functions, *blocks)


def place_of(suspect: Suspect) -> str:
    """A name for the lines of a suspect."""
    return f"{suspect.path}:{suspect.begin}"


def _blocks(statements: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Neighbouring statements as spans of at most twice `BLOCK_LINES` lines; a longer one is a span of its own."""
    begin, last = 0, 0
    for first, end in statements:
        if begin and (end - begin >= 2 * BLOCK_LINES or first - last > _NEAR):
            yield begin, last
            begin = 0
        begin = begin or first
        last = end
    if begin:
        yield begin, last


def _suspect(path: str, function: Function, score: float) -> Suspect:
    return Suspect(path=path, begin=function.begin, end=function.end, name=function.name, score=score)


def _is_test(path: str, tests: Iterable[str]) -> bool:
    pure = PurePosixPath(path)
    if pure.name == "conftest.py" or _TEST_FOLDERS & set(pure.parts[:-1]):
        return True
    return any(test.split("::", 1)[0] == path for test in tests)


def raised_at(path: str, told: str) -> frozenset[int]:
    """Lines of a file an exception passed, by what failures say: `path:12: KeyError`, `File ".../path", line 12`."""
    if not path:
        return frozenset()
    name = re.escape(path)
    found = re.findall(rf'(?:^|[\s/"]){name}(?::|", line )(\d{{1,6}})\b', told, re.MULTILINE)
    return frozenset(int(number) for number in found)
