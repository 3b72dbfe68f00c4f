"""The Screener adapter's own arithmetic: smallest edits, hostile reports, and when it does not even open a box."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.adapters.sandbox.screening import UNTRIED, BoxScreener, place, results, smallest
from agent.domain.edit import Anchor, Draft
from agent.domain.environment import Environment
from agent.domain.task import Commands, Options
from agent.ports import Checkouts, Sandbox, WriteRequest

SOURCE = b"a = 1\nb = 2\nc = 3\n"
ANCHOR = Anchor(path="m.py", begin=2, end=2, old=b"b = 2\n")


@given(st.binary(max_size=40), st.binary(max_size=40))
def test_the_smallest_edit_rebuilds_the_draft(old: bytes, new: bytes) -> None:
    begin, end, text = smallest(old, new, 7)
    assert old[: begin - 7] + text.encode("latin-1") + old[end - 7 :] == new
    assert 7 <= begin <= end <= 7 + len(old)


def test_an_anchor_is_found_by_its_line_and_its_bytes() -> None:
    assert place(WriteRequest(anchor=ANCHOR, source=SOURCE)) == 6
    assert place(WriteRequest(anchor=ANCHOR, source=b"a = 1\nB = 2\n")) is None
    assert place(WriteRequest(anchor=None, source=SOURCE)) is None


def test_a_report_is_read_with_suspicion() -> None:
    odd = b'{"i":9,"s":"pass"}\n[1]\nnull\n{"i":"2"}\n\xff\n{"i":2,"s"'
    report = b'{"ready":1}\n{"i":0,"s":"pass","x":"3"}\n{"i":1,"s":"time","x":4}\n' + odd
    first, second, third = results(report, 3)
    assert first.passed
    assert first.extra == 0
    assert second.timed_out
    assert second.extra == 4
    assert not second.passed
    assert third == UNTRIED


def test_a_later_line_replaces_an_earlier_one_and_slow_is_no_result() -> None:
    report = b'{"i":0,"s":"time"}\n{"i":0,"s":"pass"}\n{"i":1,"s":"slow"}\n{"i":2,"s":"slow"}\n{"i":2,"s":"fail"}\n'
    first, second, third = results(report, 3)
    assert first.passed
    assert second == UNTRIED
    assert third.tried
    assert not third.passed


def test_equal_records_are_one_behaviour_and_chance_tells_nothing() -> None:
    lines = (
        '{"i":0,"s":"pass"}|{"i":1,"s":"pass"}|{"i":2,"s":"pass"}|{"i":3,"s":"pass"}|{"i":4,"s":"fail"}',
        '{"i":0,"d":{"0":"a","1":"b","2":"c"}}|{"i":0,"d":{"0":"a","1":"B","2":"c"}}|{"i":-1,"d":{"0":"z"}}',
        '{"i":1,"d":{"0":"a","1":"x","2":"c"}}|{"i":2,"d":{"0":"a","2":"d"}}|{"i":4,"d":{"0":"q"}}',
        '{"i":true,"d":{}}|{"i":9,"d":{}}|{"i":-2,"d":{}}|{"i":3,"d":[]}',
    )
    first, second, third, fourth, fifth = results("|".join(lines).replace("|", "\n").encode(), 5)
    assert first.behaviour == second.behaviour != third.behaviour
    assert "" == fourth.behaviour == fifth.behaviour
    assert first.behaviour


@given(st.binary(max_size=200))
def test_any_report_is_read(noise: bytes) -> None:
    assert len(results(noise + b'\n{"i":0,"d":{"0":null,"1":"a"}}\n' + noise, 2)) == 2


class Closed:
    """A sandbox and checkouts that must not be used."""

    name = "closed"

    def refuse(self, *_: object) -> None:
        raise AssertionError("opened")

    base = of = open = refuse


@pytest.mark.parametrize(
    ("verify", "request_", "seconds"),
    [
        (("make", "test"), WriteRequest(anchor=ANCHOR, source=SOURCE, failing=("t",)), 5.0),
        (("pytest",), WriteRequest(anchor=ANCHOR, source=SOURCE, failing=()), 5.0),
        (("pytest",), WriteRequest(anchor=ANCHOR, source=b"other\n", failing=("t",)), 5.0),
        (("pytest",), WriteRequest(anchor=ANCHOR, source=SOURCE, failing=("t",)), 0.0),
        (("pytest",), WriteRequest(anchor=None, failing=("t",)), 5.0),
    ],
)
def test_no_box_is_opened_when_nothing_can_be_screened(
    verify: tuple[str, ...], request_: WriteRequest, seconds: float
) -> None:
    closed = Closed()
    sandbox: Sandbox = closed  # type: ignore[assignment]
    checkouts: Checkouts = closed  # type: ignore[assignment]
    screener = BoxScreener(sandbox, checkouts, Environment(), Options(commands=Commands(verify=verify)))
    assert screener.try_all(request_, [Draft(text=b"b = 3\n")], seconds, 1) == (UNTRIED,)
