import hashlib
import json
from xml.sax.saxutils import escape, quoteattr

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.domain.suite import Status
from agent.ports import Ran
from agent.verify.frameworks.reading import CASE_LIMIT
from agent.verify.junit import read_run


def seal(passed=(), red=(), quiet=()):
    groups = ("\n".join(sorted(json.dumps(one) for one in group)) for group in (red, quiet, passed))
    digest = hashlib.sha256("\n\n".join(groups).encode()).hexdigest()
    return f"\nbendcoder-seal {len(passed) + len(red) + len(quiet)} {digest}\n"


def ran(exit_code=0, output="", timed_out=False):
    return Ran(exit_code=exit_code, output=output, seconds=1.0, timed_out=timed_out)


def one_case(nodeid, inner="", *, sealed=True, extra="", **attributes):
    named = "".join(f" {name}={quoteattr(value)}" for name, value in attributes.items())
    properties = (
        f'<property name="bendcoder_nodeid" value={quoteattr(json.dumps(nodeid))}/>{extra}' if sealed else extra
    )
    return f"<testcase{named}><properties>{properties}</properties>{inner}</testcase>"


def report(*cases):
    return f"<testsuites><testsuite>{''.join(cases)}</testsuite></testsuites>".encode()


FAILURE = '<failure message="assert 1 == 2">def test(): ...</failure>'


def test_a_whole_report_is_read_and_its_seal_leaves_the_output():
    run = read_run(
        ran(1, "1 failed" + seal(["t.py::a"], ["t.py::b[é]"])),
        report(one_case("t.py::a", time="0.25"), one_case("t.py::b[é]", FAILURE)),
    )
    assert run.report_problem == ""
    assert run.finished
    assert run.status() == {"t.py::a": Status.PASSED, "t.py::b[é]": Status.FAILED}
    assert run.cases is not None
    assert run.cases[0].seconds == 0.25
    assert run.cases[1].message.startswith("assert 1 == 2\ndef test")
    assert run.output == "1 failed\n"


@pytest.mark.parametrize(
    ("inner", "extra", "status"),
    [
        ('<error message="failed on setup"/>', "", Status.ERROR),
        ('<skipped type="pytest.skip" message="off"/>', "", Status.SKIPPED),
        ('<skipped type="pytest.xfail" message="later"/>', "", Status.XFAILED),
        ("", '<property name="bendcoder_outcome" value="xpassed"/>', Status.XPASSED),
        (FAILURE + "<error/>", "", Status.ERROR),
    ],
)
def test_every_way_a_test_can_end(inner, extra, status):
    red = ["t.py::a"] if status.red else []
    quiet = ["t.py::a"] if status in (Status.SKIPPED, Status.XFAILED) else []
    run = read_run(
        ran(int(bool(red)), seal([] if red or quiet else ["t.py::a"], red, quiet)),
        report(one_case("t.py::a", inner, extra=extra)),
    )
    assert run.status() == {"t.py::a": status}
    assert run.finished


def test_the_worst_of_two_reports_of_one_test_counts():
    cases = report(one_case("t.py::a", time="1"), one_case("t.py::a", "<error/>", time="2"))
    run = read_run(ran(1, seal(red=["t.py::a"])), cases)
    assert run.status() == {"t.py::a": Status.ERROR}
    assert run.cases is not None
    assert run.cases[0].seconds == 3.0
    assert run.finished


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ({"file": "a/t.py", "classname": "", "name": "a.t"}, "a/t.py"),
        ({"file": "a/t.py", "classname": "a.t", "name": "TestX"}, "a/t.py::TestX"),
        ({"file": "a/t.py", "classname": "a.t.TestX", "name": "test_b[1]"}, "a/t.py::TestX::test_b[1]"),
        ({"classname": "pytest", "name": "internal"}, "pytest::internal"),
    ],
)
def test_what_never_ran_to_its_end_is_named_from_the_report_itself(attributes, expected):
    run = read_run(ran(1, seal()), report(one_case("", "<error/>", sealed=False, **attributes)))
    assert run.status() == {expected: Status.ERROR}
    assert run.finished


BAD = {
    "exit 0 and red": (ran(0, seal(red=["a"])), report(one_case("a", FAILURE)), "exit code 0, but 1 tests failed"),
    "exit 0 and empty": (ran(0, seal()), report(), "exit code 0, but no test ran"),
    "exit 1 and green": (ran(1, seal(["a"])), report(one_case("a")), "exit code 1, but no test failed"),
    "interrupted": (ran(2, seal(["a"])), report(one_case("a")), "the test run was interrupted"),
    "internal error": (ran(3, seal(["a"])), report(one_case("a")), "the test runner had an internal error"),
    "usage": (ran(4), None, "there is no test report (exit code 4: the test runner refused"),
    "nothing collected": (ran(5, seal()), report(), "no test ran"),
    "crashed": (ran(139), None, "there is no test report (exit code 139)"),
    "crashed after the report": (
        ran(139, seal(["a"])),
        report(one_case("a")),
        "the test runner ended with exit code 139",
    ),
    "left early with exit 0": (ran(0), None, "there is no test report (exit code 0)"),
    "no seal": (ran(0), report(one_case("a")), "the test runner ended before it closed its report"),
    "two seals": (ran(0, seal(["a"]) + seal(["b"])), report(one_case("a")), "the output holds more than one seal"),
    "red taken out": (ran(0, seal(red=["a"])), report(one_case("a")), "the report is not the one"),
    "tests added": (ran(0, seal(["a"])), report(one_case("a"), one_case("b")), "the report is not the one"),
    "a pass renamed": (ran(0, seal(["a"])), report(one_case("b")), "the report is not the one"),
    "a pass nobody sealed": (
        ran(0, seal(["a"])),
        report(one_case("a"), one_case("b", sealed=False, file="t.py", classname="t", name="b")),
        "the report is not the one",
    ),
    "not xml": (ran(0, seal(["a"])), b"all good", "the test report could not be read: ParseError"),
    "cut": (ran(0, seal(["a"])), report(one_case("a"))[:-20], "the test report could not be read: ParseError"),
    "another document": (
        ran(0, seal(["a"])),
        b"<html/>",
        "the test report could not be read: it is not a JUnit report",
    ),
    "odd encoding": (ran(0), b'<?xml version="1.0" encoding="nonsense"?><testsuites/>', "the test report could not"),
    "damaged id": (
        ran(0, seal(["a"])),
        report('<testcase><properties><property name="bendcoder_nodeid" value="["/></properties></testcase>'),
        "the test report could not be read: a test id in it is damaged",
    ),
    "id of another kind": (
        ran(0, seal(["a"])),
        report(one_case(["a"])),
        "the test report could not be read: a test id",
    ),
}


@pytest.mark.parametrize(("how", "content", "problem"), BAD.values(), ids=BAD.keys())
def test_a_report_that_is_not_whole_is_never_a_pass(how, content, problem):
    run = read_run(how, content)
    assert run.report_problem.startswith(problem)
    assert not run.finished


def test_entities_are_refused_before_they_grow():
    bomb = b'<!DOCTYPE a [<!ENTITY x "xxxxxxxxxx"><!ENTITY y "&x;&x;&x;">]><testsuites>&y;</testsuites>'
    assert read_run(ran(0, seal()), bomb).report_problem == "the test report could not be read: EntitiesForbidden"


def test_files_of_the_host_cannot_be_named_in_a_report():
    leak = b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><testsuites>&x;</testsuites>'
    assert "EntitiesForbidden" in read_run(ran(0, seal()), leak).report_problem


def test_too_many_cases_are_refused():
    many = report("<testcase/>" * (CASE_LIMIT + 1))
    assert f"more than {CASE_LIMIT} tests" in read_run(ran(0, seal(["a"])), many).report_problem


def test_a_run_that_was_killed_has_no_report_problem_but_is_not_finished():
    run = read_run(ran(None, timed_out=True), None)
    assert run.report_problem == ""
    assert not run.finished


def test_a_partial_run_may_find_none_of_its_tests():
    assert read_run(ran(5, seal()), report(), partial=True).report_problem == ""
    assert read_run(ran(5, seal()), report(), partial=True).cases == ()


@pytest.mark.parametrize("time", ["nonsense", "-1", "nan", "1e99", ""])
def test_odd_durations_count_as_none(time):
    run = read_run(ran(0, seal(["a"])), report(one_case("a", time=time)))
    assert run.cases is not None
    assert run.cases[0].seconds == 0.0


def test_hostile_messages_are_kept_harmless():
    text = escape("\x1b[2Jgone\u202e" + "x" * 5_000).replace("\x1b", "")
    run = read_run(ran(1, seal(red=["a"])), report(one_case("a", f'<failure message="boom">{text}</failure>')))
    assert run.cases is not None
    assert len(run.cases[0].message) <= 2_000


def test_a_skip_that_was_washed_out_after_the_seal_is_seen():
    run = read_run(ran(0, seal(["t.py::a"], [], ["t.py::b"])), report(one_case("t.py::a"), one_case("t.py::b")))
    assert run.report_problem == "the report is not the one the test runner closed: it was changed afterwards"


@given(st.binary(max_size=300), st.text(max_size=60), st.integers(-1, 300))
def test_whatever_lies_there_is_read_without_an_exception_and_unsealed_is_no_pass(content, output, code):
    assert not read_run(ran(code, output), content).finished


SEALED = report(one_case("t.py::a", time="1"), one_case("t.py::b", FAILURE), one_case("t.py::c", "<skipped/>"))


@given(st.integers(0, len(SEALED) - 1), st.integers(1, 255))
def test_no_single_byte_changes_how_a_test_ended_behind_the_seal(place, by):
    changed = SEALED[:place] + bytes([SEALED[place] ^ by]) + SEALED[place + 1 :]
    run = read_run(ran(1, seal(["t.py::a"], ["t.py::b"], ["t.py::c"])), changed)
    if run.finished:
        quiet = {test for test, status in run.status().items() if status in (Status.SKIPPED, Status.XFAILED)}
        assert (run.red(), quiet, run.passed()) == ({"t.py::b"}, {"t.py::c"}, {"t.py::a"})
