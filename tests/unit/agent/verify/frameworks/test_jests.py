"""The JSON reports of jest, vitest and mocha, whole and tampered with."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.domain.suite import Status
from agent.ports import Ran
from agent.verify.frameworks.jests import Reported, Runner
from agent.verify.frameworks.protocol import Room

TREE = "/build/tree"
ROOM = Room(reports="/r", inside="/i")
JEST, VITEST, MOCHA = (Reported(runner=runner) for runner in Runner)


def read(runner, data, exit_code, *, timed_out=False, partial=False):
    report = data if data is None or isinstance(data, bytes) else json.dumps(data).encode()
    ran = Ran(exit_code=exit_code, output="", seconds=1.0, timed_out=timed_out)
    return runner.read(ran, report, tree=TREE, partial=partial)


def one(title, status, above=("outer",), **more):
    return {"ancestorTitles": list(above), "title": title, "status": status, "failureMessages": [], **more}


def jest(*rows, file="a.test.js", total=None, failed=None, broken=()):
    files = [{"name": f"{TREE}/test/{file}", "status": "failed", "message": "", "assertionResults": list(rows)}]
    files += [
        {"name": f"{TREE}/{path}", "status": "failed", "message": "load", "assertionResults": []} for path in broken
    ]
    red = sum(row["status"] == "failed" for row in rows)
    return {
        "numTotalTests": len(rows) if total is None else total,
        "numFailedTests": red if failed is None else failed,
        "testResults": files,
    }


JEST_RED = jest(
    one("adds", "passed", duration=250),
    one("is [1]", "failed", failureMessages=["AssertionError: 1 !== 2", "more"]),
    one("off", "pending"),
    one("later", "todo", above=("", "outer")),
    one("plain", "skipped", above=()),
    broken=("test/b.test.js",),
)


@pytest.mark.parametrize("runner", [JEST, VITEST])
def test_jest_and_vitest(runner):
    run = read(runner, JEST_RED, 1)
    assert run.report_problem == ""
    assert run.status() == {
        "test/a.test.js::outer adds": Status.PASSED,
        "test/a.test.js::outer is [1]": Status.FAILED,
        "test/a.test.js::outer off": Status.SKIPPED,
        "test/a.test.js::outer later": Status.SKIPPED,
        "test/a.test.js::plain": Status.SKIPPED,
        "test/b.test.js": Status.ERROR,
    }
    assert run.cases is not None
    assert (run.cases[0].seconds, run.cases[1].message) == (0.25, "AssertionError: 1 !== 2")


def row(title, *, file="test/a.js", err=None):
    return {"title": title, "fullTitle": f"outer {title}", "file": f"{TREE}/{file}", "duration": 250, "err": err or {}}


def mocha(passes=(), failures=(), pending=(), tests=None):
    lists = {"passes": list(passes), "failures": list(failures), "pending": list(pending)}
    every = [one for rows in lists.values() for one in rows if "hook" not in one["title"]]
    counted = {key: len(rows) for key, rows in lists.items()}
    return {"stats": counted, "tests": every if tests is None else tests, **lists}


WRONG = row("subtracts", err={"name": "AssertionError", "message": "1 == 2"})
HOOK = row('"before all" hook in "outer"', err={"message": "no"})
MOCHA_RED = mocha([row("adds")], [WRONG, HOOK], [row("off")])


def test_mocha():
    run = read(MOCHA, MOCHA_RED, 2)
    assert run.report_problem == ""
    assert run.status() == {
        "test/a.js::outer adds": Status.PASSED,
        "test/a.js::outer subtracts": Status.FAILED,
        'test/a.js::outer "before all" hook in "outer"': Status.FAILED,
        "test/a.js::outer off": Status.SKIPPED,
    }
    messages = {case.id: case.message for case in run.cases or ()}
    assert messages["test/a.js::outer subtracts"] == "AssertionError: 1 == 2"


GREEN = jest(one("adds", "passed"))
BROKEN = {
    "missing": (JEST, None, 0, "there is no test report (exit code 0)"),
    "not json": (JEST, b"all good", 0, "the test report could not be read: it is no JSON"),
    "nested without end": (MOCHA, b"[" * 200_000, 0, "the test report could not be read: it is no JSON"),
    "cut": (JEST, json.dumps(GREEN).encode()[:-3], 0, "the test report could not be read: it is no JSON"),
    "another value": (VITEST, b"[]", 0, "the test report could not be read: it is no report"),
    "no lists": (MOCHA, {"stats": {}}, 0, "the test report could not be read: it has no list of tests"),
    "files of another kind": (JEST, {"testResults": [1]}, 0, "the test report could not be read: it has no list of"),
    "a red test taken out": (
        JEST,
        jest(one("a", "passed"), failed=1),
        1,
        "the test report could not be read: its sums",
    ),
    "a test taken out": (JEST, jest(one("a", "passed"), total=2), 0, "the test report could not be read: its sums"),
    "an odd status": (JEST, jest(one("a", "fine")), 0, "the test report could not be read: a test in it has no result"),
    "mocha's sums": (
        MOCHA,
        mocha([row("a")]) | {"stats": {"passes": 1, "failures": 1, "pending": 0}},
        0,
        "the test report could not be read: its sums",
    ),
    "mocha's lists": (MOCHA, mocha([row("a")], tests=[row("b")]), 0, "the test report could not be read: a test in it"),
    "exit 0 and red": (MOCHA, MOCHA_RED, 0, "exit code 0, but 2 tests failed"),
    "exit 1 and green": (JEST, GREEN, 1, "exit code 1, but no test failed"),
    "exit 0 and no test": (MOCHA, mocha(), 0, "exit code 0, but no test ran"),
    "crashed": (VITEST, GREEN, 139, "the test runner ended with exit code 139"),
}


@pytest.mark.parametrize(("runner", "data", "code", "problem"), BROKEN.values(), ids=BROKEN.keys())
def test_a_report_that_does_not_come_out_is_never_a_pass(runner, data, code, problem):
    run = read(runner, data, code)
    assert run.report_problem.startswith(problem)
    assert not run.finished


@pytest.mark.parametrize("runner", [JEST, MOCHA])
def test_a_killed_run_is_not_finished(runner):
    assert not read(runner, None, None, timed_out=True).finished


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(["tests", "stats", "passes", "failures", "pending", "testResults", "assertionResults", "name",
                         "status", "title", "fullTitle", "file", "err", "ancestorTitles"]),
        inner, max_size=5,
    ),
    max_leaves=20,
)  # fmt: skip


@given(JSON, st.sampled_from([JEST, MOCHA]), st.sampled_from([0, 1]))
def test_any_json_is_read_without_an_exception(data, runner, code):
    run = read(runner, data, code)
    assert not run.finished or bool(run.red()) == bool(code)


def test_what_is_run():
    ids = ["test/a.js::outer is [1]", "test/b.js::plain"]
    pattern = r"^ ?(?:outer is \[1\]|plain)$"
    report = "/r/bendcoder-report"
    assert JEST.launch(("jest", "-i"), ROOM, ids).argv == (
        "jest", "-i", "--ci", "--json", f"--outputFile={report}", f"--testNamePattern={pattern}",
    )  # fmt: skip
    assert VITEST.launch(("vitest", "run"), ROOM, None).argv == (
        "vitest", "run", "--reporter=default", "--reporter=json", f"--outputFile.json={report}",
    )  # fmt: skip
    assert MOCHA.launch(("mocha",), ROOM, ids).argv == (
        "mocha", "--reporter=json", f"--reporter-option=output={report}", f"--grep={pattern}",
    )  # fmt: skip
    assert JEST.narrows(ids)
    assert not JEST.narrows(["test/b.js"])
