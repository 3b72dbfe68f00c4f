"""The record of our own runners: a whole one is read, and whatever is not whole is never a pass."""

import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.domain.suite import Status
from agent.ports import Ran
from agent.verify.frameworks.reading import CASE_LIMIT, ID_LIMIT
from agent.verify.frameworks.record import read_record


def record(*cases):
    """Lines for (id, status) pairs."""
    entries = [{"id": name, "status": how, "seconds": 0.5, "message": f"why {name}"} for name, how in cases]
    return "".join(json.dumps(entry) + "\n" for entry in entries).encode()


def seal(content):
    return f"\nbendcoder-seal {content.count(chr(10).encode())} {hashlib.sha256(content).hexdigest()}\n"


def ran(exit_code=0, output="", *, timed_out=False):
    return Ran(exit_code=exit_code, output=output, seconds=1.0, timed_out=timed_out)


GREEN, RED = record(("t.py::a", "passed")), record(("t.py::a", "passed"), ("t.py::b", "failed"))


def test_a_whole_record_is_read_and_its_seal_leaves_the_output():
    run = read_record(ran(1, "1 failed" + seal(RED)), RED, partial=False)
    assert run.finished
    assert run.status() == {"t.py::a": Status.PASSED, "t.py::b": Status.FAILED}
    assert run.cases is not None
    assert (run.cases[1].seconds, run.cases[1].message) == (0.5, "why t.py::b")
    assert run.output == "1 failed\n"


def test_the_worst_of_two_lines_of_one_test_counts():
    twice = record(("a", "passed"), ("a", "error"), ("a", "passed"))
    assert read_record(ran(1, seal(twice)), twice, partial=False).status() == {"a": Status.ERROR}


BAD = {
    "missing": (ran(0, seal(GREEN)), None, "there is no test report (exit code 0)"),
    "crashed": (ran(139), None, "there is no test report (exit code 139)"),
    "exit 0 and red": (ran(0, seal(RED)), RED, "exit code 0, but 1 tests failed"),
    "exit 1 and green": (ran(1, seal(GREEN)), GREEN, "exit code 1, but no test failed"),
    "exit 0 and empty": (ran(0, seal(b"")), b"", "exit code 0, but no test ran"),
    "no tests found": (ran(5, seal(b"")), b"", "no test ran"),
    "ended oddly": (ran(3, seal(GREEN)), GREEN, "the test runner ended with exit code 3"),
    "no seal": (ran(0), GREEN, "the test runner ended before it closed its report"),
    "a seal in the middle of a line": (
        ran(0, "x" + seal(GREEN).strip()),
        GREEN,
        "the test runner ended before it closed its report",
    ),
    "two seals": (ran(0, seal(GREEN) + seal(RED)), GREEN, "the output holds more than one seal"),
    "red taken out": (ran(0, seal(RED)), GREEN, "the report is not the one the test runner closed"),
    "tests added": (ran(1, seal(GREEN)), RED, "the report is not the one the test runner closed"),
    "a skip washed out": (ran(0, seal(record(("t.py::a", "skipped")))), GREEN, "the report is not the one"),
    "written by the tests": (
        ran(0, seal(GREEN)),
        record(("t.py::a", "passed"), ("t.py::more", "passed")),
        "the report is not the one",
    ),
    "cut": (ran(1, seal(RED)), RED[:-9], "the test report could not be read: it is cut off"),
    "cut between lines": (ran(1, seal(RED)), RED.splitlines(keepends=True)[1], "the report is not the one"),
    "not json": (ran(0), b"all good\n", "the test report could not be read: a line of it is no JSON"),
    "nested without end": (ran(0), b"[" * 200_000 + b"\n", "the test report could not be read: a line of it is no"),
    "another value": (ran(0), b"[1]\n", "the test report could not be read: a line of it is no test"),
    "an unknown status": (ran(0), record(("a", "fine")), "the test report could not be read: a line of it is no test"),
    "a status of another kind": (ran(0), b'{"id": "a", "status": ["passed"]}\n', "the test report could not be read"),
    "no id": (ran(0), record(("", "passed")), "the test report could not be read: a line of it is no test"),
    "nul bytes": (ran(0, seal(GREEN)), b"\0" * 100 + b"\n", "the test report could not be read"),
    "not utf-8": (ran(0), b'{"id": "\xff", "status": "passed"}\n', "the test report could not be read"),
    "a huge number": (ran(0), b'{"id": "a", "status": "passed", "seconds": ' + b"9" * 9_999 + b"}\n", "the test rep"),
}


@pytest.mark.parametrize(("how", "content", "problem"), BAD.values(), ids=BAD.keys())
def test_a_record_that_is_not_whole_is_never_a_pass(how, content, problem):
    run = read_record(how, content, partial=False)
    assert run.report_problem.startswith(problem)
    assert not run.finished


def test_too_many_tests_are_refused():
    many = b"{}\n" * (CASE_LIMIT + 1)
    assert f"more than {CASE_LIMIT} tests" in read_record(ran(0, seal(many)), many, partial=False).report_problem


def test_a_run_that_was_killed_keeps_what_it_wrote_and_is_not_finished():
    run = read_record(ran(None, timed_out=True), RED[:-9], partial=False)
    assert run.report_problem == ""
    assert run.status() == {"t.py::a": Status.PASSED}
    assert not run.finished


@pytest.mark.parametrize("exit_code", [0, 5])
def test_a_partial_run_may_find_none_of_its_tests(exit_code):
    run = read_record(ran(exit_code, seal(b"")), b"", partial=True)
    assert (run.report_problem, run.cases) == ("", ())


def test_huge_and_unprintable_names_stay_apart_and_can_be_shown():
    names = ["x" * 50_000 + "1", "x" * 50_000 + "2", "a\0b", "a\u202eb", "\ud800", "ordinary [é]"]
    content = record(*((name, "passed") for name in names))
    run = read_record(ran(0, seal(content)), content, partial=False)
    assert run.finished
    assert run.cases is not None
    assert len(run.cases) == len(names)
    assert all(case.id.isprintable() and len(case.id) < ID_LIMIT + 50 for case in run.cases)
    assert "ordinary [é]" in run.status()


@pytest.mark.parametrize("value", ["true", "-1", "1e99", "NaN", "Infinity", '"x"', "null", "[]"])
def test_odd_durations_count_as_none(value):
    content = b'{"id": "a", "status": "passed", "seconds": %s}\n' % value.encode()
    run = read_record(ran(0, seal(content)), content, partial=False)
    assert run.cases is not None
    assert run.cases[0].seconds == 0.0


def test_hostile_messages_are_kept_harmless():
    content = json.dumps({"id": "a", "status": "failed", "message": "\x1b[2J\0" + "y" * 9_000}).encode() + b"\n"
    run = read_record(ran(1, seal(content)), content, partial=False)
    assert run.cases is not None
    assert run.cases[0].message.startswith("yy")
    assert len(run.cases[0].message) <= 2_000


@given(st.binary(max_size=300), st.text(max_size=60), st.integers(-1, 300))
def test_whatever_lies_there_is_read_without_an_exception_and_unsealed_is_no_pass(content, output, code):
    assert not read_record(ran(code, output), content, partial=False).finished


@given(st.integers(0, len(RED) - 1), st.integers(1, 255))
def test_no_single_byte_can_be_changed_behind_the_seal(place, by):
    changed = RED[:place] + bytes([RED[place] ^ by]) + RED[place + 1 :]
    assert not read_record(ran(1, seal(RED)), changed, partial=False).finished


CASES = st.lists(st.tuples(st.text(min_size=1, max_size=20), st.sampled_from(sorted(Status))), min_size=1, max_size=6)


@given(CASES)
def test_no_failure_is_lost_whatever_tests_are_called(cases):
    content = record(*cases)
    red = sum(Status(how).red for _, how in cases)
    run = read_record(ran(1 if red else 0, seal(content)), content, partial=False)
    assert run.finished
    assert bool(run.red()) == bool(red)
    assert run.cases is not None
    assert len(run.cases) <= len({name for name, _ in cases})
