"""go's test events, whole and tampered with."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.domain.suite import Status
from agent.ports import Ran
from agent.verify.frameworks.golang import GoTest, recognise
from agent.verify.frameworks.protocol import Room

M = "example.com/m"


def event(action, test="", package=M, **more):
    return json.dumps({"Action": action, "Package": package, **({"Test": test} if test else {}), **more}) + "\n"


def one(test, how, *said, package=M):
    told = "".join(event("output", test, package, Output=text) for text in said)
    return event("run", test, package) + told + event(how, test, package, Elapsed=0.25)


GREEN = event("start") + one("TestA", "pass", "=== RUN   TestA\n") + event("pass", Elapsed=0.3)
RED = (
    event("start")
    + one("TestA", "pass")
    + event("run", "TestB")
    + one("TestB/sub one", "fail", "    a_test.go:9: got 1, want 2\n", "    --- FAIL: TestB/sub_one (0.00s)\n")
    + event("fail", "TestB")
    + one("TestC", "skip")
    + event("fail")
)


def read(output, exit_code=0, *, partial=False, timed_out=False):
    ran = Ran(exit_code=exit_code, output=output, seconds=1.0, timed_out=timed_out)
    return GoTest().read(ran, None, partial=partial)


def test_every_way_a_test_can_end():
    none = event("start", package="example.com/m/none") + event("skip", package="example.com/m/none")
    run = read(RED + none + GREEN.replace(M, "example.com/other"), 1)
    assert run.report_problem == ""
    assert run.status() == {
        f"{M}::TestA": Status.PASSED,
        f"{M}::TestB": Status.FAILED,
        f"{M}::TestB/sub one": Status.FAILED,
        f"{M}::TestC": Status.SKIPPED,
        "example.com/other::TestA": Status.PASSED,
    }
    assert run.cases is not None
    assert run.cases[2].message == "a_test.go:9: got 1, want 2"
    assert "got 1, want 2" in run.output
    assert "Action" not in run.output


def test_a_package_that_cannot_be_built_is_an_error_of_its_own():
    broken = "# example.com/m [example.com/m.test]\n./a.go:3: undefined: x\n" + event("output", Output="FAIL\n")
    run = read(broken + event("fail") + GREEN.replace(M, "example.com/other"), 1)
    assert run.report_problem == ""
    assert run.status() == {M: Status.ERROR, "example.com/other::TestA": Status.PASSED}
    assert "undefined: x" in run.output


def test_a_test_that_takes_its_package_down_is_an_error():
    run = read(event("run", "TestA") + event("output", "TestA", Output="panic: boom\n") + event("fail"), 1)
    assert (run.report_problem, run.status()) == ("", {f"{M}::TestA": Status.ERROR})


BROKEN = {
    "nothing": ("", 0, "exit code 0, but no test ran"),
    "exit 0 and red": (RED, 0, "exit code 0, but 2 tests failed"),
    "exit 1 and green": (GREEN, 1, "exit code 1, but no test failed"),
    "killed": (GREEN, 137, "the test runner ended with exit code 137"),
    "a test ends twice": (GREEN + event("pass", "TestA"), 0, f"go's events are no whole report: {M}::TestA ends twice"),
    "a package ends twice": (GREEN + event("fail"), 1, f"go's events are no whole report: the package {M} ends twice"),
    "a test does not end": (event("run", "TestZ") + GREEN, 0, f"go's events are no whole report: {M}::TestZ did not"),
    "a damaged line": (GREEN + GREEN[:30] + "\n", 0, "go's events are no whole report: a line of it is damaged"),
    "nested without end": (
        '{"a":' + "[" * 200_000 + "\n",
        0,
        "go's events are no whole report: a line of it is damaged",
    ),
    "cut": (GREEN + "\n[... 7 bytes left out ...]\n", 0, "go's events are no whole report: it was too long"),
    "build failed": ("no required module provides package\n", 1, "exit code 1, but no test failed"),
}


@pytest.mark.parametrize(("output", "code", "problem"), BROKEN.values(), ids=BROKEN.keys())
def test_events_that_do_not_come_out_are_never_a_pass(output, code, problem):
    run = read(output, code)
    assert run.report_problem.startswith(problem)
    assert not run.finished


def test_what_tests_print_is_no_event():
    said = event("output", "TestA", Output=event("pass", "TestB"))
    run = read(event("run", "TestA") + said + event("fail", "TestA") + event("fail"), 1)
    assert run.status() == {f"{M}::TestA": Status.FAILED}


def test_a_killed_run_keeps_what_it_told():
    run = read(RED[: RED.index('"TestC"')].rpartition("\n")[0] + "\n", None, timed_out=True)
    assert (run.report_problem, len(run.red()), run.finished) == ("", 2, False)


EVENTS = st.builds(
    event,
    st.sampled_from(["start", "run", "pass", "fail", "skip", "output", "pause", "odd"]),
    st.sampled_from(["", "TestA", "TestB", "TestA/x", "\0", "T" * 5_000]),
    st.sampled_from([M, "other", ""]),
    Output=st.one_of(st.none(), st.text(max_size=10), st.integers()),
    Elapsed=st.one_of(st.none(), st.floats(), st.text(max_size=3)),
)


@given(st.lists(EVENTS, max_size=10), st.sampled_from([0, 1, 2]))
def test_any_events_are_read_without_an_exception_and_no_failure_is_lost(events, code):
    output = "".join(events)
    run = read(output, code)
    failed = [one for one in map(json.loads, events) if one["Action"] == "fail" and one["Package"]]
    if run.finished:
        assert bool(run.red()) == (code != 0)
        assert bool(run.red()) == bool(failed)


@pytest.mark.parametrize("words", ["go test ./...", "go test -race -timeout 30s ./pkg", "/usr/local/go/bin/go test"])
def test_the_command_is_recognised(words):
    assert recognise(tuple(words.split())) is not None


@pytest.mark.parametrize(
    "words",
    ["go", "go vet", "go test -c", "go test -bench=. ./...", "go test -count 3 ./...", "go test --run X", "make", ""],
)
def test_other_commands_are_not(words):
    assert recognise(tuple(words.split())) is None


def test_what_is_run():
    room = Room(reports="/r", inside="/i")
    argv = ("go", "test", "./...")
    assert GoTest().launch(argv, room, None).argv == ("go", "test", "-json", "-count=1", "./...")
    some = GoTest().launch(argv, room, [f"{M}::TestB/sub one", f"{M}::TestA", f"{M}::TestB"])
    assert some.argv == ("go", "test", "-json", "-count=1", "-run=^(TestA|TestB)$", "./...")
    assert GoTest().narrows([f"{M}::TestA"])
    assert not GoTest().narrows([M])
