"""`python -m unittest …`, run through our own program that writes a sealed record of every test. No IO."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from agent.domain.suite import SuiteRun
from agent.ports import Ran
from agent.verify.frameworks.protocol import SELECT, Launch, Room
from agent.verify.frameworks.record import read_record
from agent.verify.ids import selectors

PROGRAM = "bendcoder_unittest"
_PYTHON = re.compile(r"^python(?:\d(?:\.\d+)?)?$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Unittest:
    """unittest as of Python 3.6 and later; `place`: where in the command the word `unittest` stands."""

    place: int
    name: str = "unittest"
    per_test: bool = True
    traces: bool = True
    output: int = 200_000

    def narrows(self, ids: Sequence[str]) -> bool:  # noqa: ARG002 - every test of unittest has an id
        """Always."""
        return True

    def launch(self, argv: tuple[str, ...], room: Room, ids: Sequence[str] | None, *, traced: bool = False) -> Launch:  # noqa: ARG002 - the tracer asks for its own variables
        """Our program in the place of unittest's; its arguments stay as they are."""
        present = room.search_path
        variables = {
            "PYTHONPATH": f"{room.inside}:{present}" if present else room.inside,
            "BENDCODER_REPORT": room.report,
        }
        files: dict[str, bytes] = {}
        if ids is not None:
            variables["BENDCODER_SELECT"] = room.select
            files[SELECT] = json.dumps(selectors(ids)).encode()
        return Launch(argv=(*argv[: self.place], PROGRAM, *argv[self.place + 1 :]), variables=variables, files=files)

    def read(self, ran: Ran, report: bytes | None, *, partial: bool = False) -> SuiteRun:
        """Exit code 1 is a failed test, 5 (as of Python 3.12) that there was none."""
        return read_record(ran, report, partial=partial, red=(1,), empty=(5,))


def recognise(argv: tuple[str, ...]) -> Unittest | None:
    """The command when it is `python … -m unittest`, also below `coverage run`; None for anything else."""
    words = list(argv)
    if not words:
        return None
    name, place = PurePosixPath(words[0]).name, 0
    if _PYTHON.match(name):
        place = _module(words, 1)
        if place and words[place] == "coverage":
            place = _covered(words, place)
    elif name == "coverage":
        place = _covered(words, 0)
    return Unittest(place=place) if place and words[place] == "unittest" else None


def _module(words: list[str], place: int) -> int:
    """Where the module after `-m` stands; 0 when there is none, or a flag (`-I`, `-E`) would hide our program."""
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


def _covered(words: list[str], place: int) -> int:
    """Where the module stands that `coverage run … -m` runs."""
    if words[place + 1 : place + 2] != ["run"] or "-m" not in words[place + 1 :]:
        return 0
    found = words.index("-m", place + 1) + 1
    return found if found < len(words) else 0
