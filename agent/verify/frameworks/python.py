"""Reads Python command lines: which module is run, and where in the command its name stands. No IO."""

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

PYTHON = re.compile(r"^python(?:\d(?:\.\d+)?)?$")
COVERAGE = "coverage"


def module_place(argv: Sequence[str]) -> int:
    """Where the module stands that `python -m` runs, below `coverage run` as well; 0 when there is none.

    Flags that would hide what we put on PYTHONPATH (`-I`, `-E`) count as none.
    """
    if not argv:
        return 0
    name = PurePosixPath(argv[0]).name
    if name == COVERAGE:
        return _covered(argv, 0)
    place = _module(argv, 1) if PYTHON.match(name) else 0
    return _covered(argv, place) if place and argv[place] == COVERAGE else place


def _module(words: Sequence[str], place: int) -> int:
    while place < len(words) and words[place].startswith("-"):
        word = words[place]
        if word == "-m":
            return place + 1 if place + 1 < len(words) else 0
        if word in ("-W", "-X"):
            place += 1
        elif not word.startswith(("-W", "-X")) and set("IEc") & set(word):
            return 0
        place += 1
    return 0


def _covered(words: Sequence[str], place: int) -> int:
    """Where the module stands that `coverage run … -m` runs."""
    if list(words[place + 1 : place + 2]) != ["run"] or "-m" not in words[place + 1 :]:
        return 0
    found = list(words).index("-m", place + 1) + 1
    return found if found < len(words) else 0
