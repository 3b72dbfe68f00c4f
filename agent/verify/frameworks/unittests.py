"""`python -m unittest …`, run through our own program that writes a sealed record of every test. No IO."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from agent.domain.suite import SuiteRun
from agent.ports import Ran
from agent.verify.frameworks.protocol import SELECT, Launch, Room
from agent.verify.frameworks.python import module_place
from agent.verify.frameworks.record import read_record
from agent.verify.ids import selectors

PROGRAM = "bendcoder_unittest"


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

    def read(self, ran: Ran, report: bytes | None, *, tree: str = "", partial: bool = False) -> SuiteRun:  # noqa: ARG002 - ids are relative
        """Exit code 1 is a failed test, 5 (as of Python 3.12) that there was none."""
        return read_record(ran, report, partial=partial, red=(1,), empty=(5,))


def recognise(argv: tuple[str, ...]) -> Unittest | None:
    """The command when it is `python … -m unittest`, also below `coverage run`; None for anything else."""
    place = module_place(argv)
    return Unittest(place=place) if place and argv[place] == "unittest" else None
