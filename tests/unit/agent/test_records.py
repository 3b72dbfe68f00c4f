"""What is written down reads back as it was, in the same words in any process."""

import math

import pytest

from agent.domain.edit import Change, Draft, Hunk
from agent.domain.suite import Case, Spectrum, Status, SuiteRun
from agent.ports import Written
from agent.records import read_back, written_down

RUN = SuiteRun(
    exit_code=1, timed_out=False, seconds=1.5, output="é", cases=(Case(id="a::b", status=Status.FAILED, message="no"),)
)
WRITTEN = Written(
    drafts=(Draft(text=b"\xff\xfe?>", hunks=(Hunk(path="a.py", old="é", new="b"),), note="n"),), money=0.5
)
SPECTRUM = Spectrum(lines={"a::b": {"a.py": frozenset({30, 1, 200})}})


@pytest.mark.parametrize("value", [RUN, SPECTRUM, WRITTEN, Change(path="a", before=None, after=b"\xff\xfe?>")])
def test_what_is_written_down_reads_back_as_it_was(value: object) -> None:
    assert read_back(type(value), written_down(value)) == value


def test_sets_are_written_in_order() -> None:
    names = [f"name {number}" for number in range(20)]

    assert written_down(frozenset(names)) == str(sorted(names)).replace("'", '"').replace(", ", ",")
    assert written_down(SPECTRUM).count("[1,30,200]") == 1


def test_what_json_cannot_hold_is_absent() -> None:
    assert written_down("\ud800") == ""
    assert written_down(math.nan) == "null"
    assert read_back(SuiteRun, "") is None
    assert read_back(SuiteRun, None) is None
    assert read_back(SuiteRun, "{}") is None
