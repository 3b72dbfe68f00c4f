import pytest

from agent.domain.suite import Case, Status, SuiteRun
from agent.verify.ids import (
    MESSAGE_LIMIT,
    ancestors,
    clean_message,
    interchangeable,
    normalise,
    selectors,
    status_of,
    unique_ids,
)


@pytest.mark.parametrize(
    ("raw", "plain"),
    [
        ("t.py::test_a[<object at 0x7f3a9c0d1e20>]", "t.py::test_a[<object at <address>>]"),
        ("t.py::test_a[/tmp/pytest-of-me/pytest-3/x]", "t.py::test_a[<tmp>]"),
        ("t.py::test_a[/var/folders/aa/b]", "t.py::test_a[<tmp>]"),
        ("t.py::test_a[2026-01-02 03:04:05.678]", "t.py::test_a[<time>]"),
        ("t.py::test_a[12:00:01]", "t.py::test_a[<time>]"),
        ("t.py::test_a[0x1f]", "t.py::test_a[0x1f]"),
        ("t.py::test_a[a-b::c]", "t.py::test_a[a-b::c]"),
    ],
)
def test_what_changes_from_run_to_run_is_taken_out(raw, plain):
    assert normalise(raw) == plain


def test_stable_ids_that_look_like_times_stay_apart():
    ids = unique_ids(["t.py::t[11:00:00]", "t.py::t[10:00:00]", "t.py::u"])
    assert ids == {
        "t.py::t[10:00:00]": "t.py::t[<time>] #1",
        "t.py::t[11:00:00]": "t.py::t[<time>] #2",
        "t.py::u": "t.py::u",
    }


def test_unstable_tests_are_selected_by_their_function():
    assert selectors(["t.py::a[0]", "t.py::b[<address>]", "t.py::b[<address>] #2"]) == ("t.py::a[0]", "t.py::b")


def test_tests_told_apart_by_addresses_alone_may_change_places():
    ids = unique_ids(["t.py::t[0x7f00aa]", "t.py::t[0x7f00bb]", "t.py::u[10:00:00]", "t.py::u[11:00:00]"])
    assert [interchangeable(one) for one in ids.values()] == [True, True, False, False]
    assert not interchangeable("t.py::t[<address>]")


def test_ancestors_do_not_look_into_parameters():
    assert list(ancestors("a/t.py::TestX::test_y[p::q]")) == ["a/t.py", "a/t.py::TestX"]


def test_a_test_of_a_file_that_cannot_be_collected_is_an_error():
    run = SuiteRun(
        exit_code=1,
        timed_out=False,
        seconds=0,
        output="",
        cases=(Case(id="t.py", status=Status.ERROR), Case(id="u.py", status=Status.SKIPPED)),
    )
    assert status_of(run, "t.py::TestX::test_y[1]") is Status.ERROR
    assert status_of(run, "u.py::test_y") is None
    assert status_of(run, "v.py::test_y") is None
    assert status_of(None, "t.py") is None


def test_messages_lose_control_characters_and_are_cut():
    assert clean_message("\x1b[31mred\x1b[0m\x00 line\nnext\ttab") == "red line\nnext\ttab"
    assert len(clean_message("x" * 9_999)) == MESSAGE_LIMIT
