"""What libtest prints, whole and tampered with."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.domain.suite import Status
from agent.ports import Ran
from agent.verify.frameworks.cargo import Cargo, recognise
from agent.verify.frameworks.protocol import Room

ROOM = Room(reports="/r", inside="/i")

LIB = """\
   Compiling demo v0.1.0 (/build/tree)
    Finished `test` profile [unoptimized + debuginfo] target(s) in 1.69s
     Running unittests src/lib.rs (target/debug/deps/demo-8348ca7a80742723)

running 5 tests
test tests::adds ... ok
test tests::slow ... ignored
test tests::slower ... ignored, needs a network
test tests::panics - should panic ... ok
test tests::wrong ... FAILED

failures:

---- tests::wrong stdout ----
test tests::adds ... FAILED
hello

thread 'tests::wrong' (3803) panicked at src/lib.rs:12:70:
assertion `left == right` failed
  left: 3
 right: 4
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace


failures:
    tests::wrong

test result: FAILED. 2 passed; 1 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.33s

error: test failed, to rerun pass `--lib`
"""
REST = """\
     Running unittests src/main.rs (target/debug/deps/demo-dbce29200f970038)

running 0 tests

test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

     Running tests/whole.rs (target/debug/deps/whole-e95db726a2d97115)

running 1 test
test whole ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

   Doc-tests demo

running 2 tests
test src/lib.rs - add (line 4) ... ok
test src/lib.rs - add (line 9) ... ok

test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

all doctests ran in 0.82s; merged doctests compilation took 0.81s
"""


def read(output, exit_code=0, *, partial=False, timed_out=False):
    return Cargo().read(
        Ran(exit_code=exit_code, output=output, seconds=1.0, timed_out=timed_out), None, partial=partial
    )


def test_every_way_a_test_can_end():
    run = read(LIB + REST + "error: 1 target failed:\n    `--lib`\n", 101)
    assert run.report_problem == ""
    assert run.status() == {
        "demo::tests::adds": Status.PASSED,
        "demo::tests::slow": Status.SKIPPED,
        "demo::tests::slower": Status.SKIPPED,
        "demo::tests::panics": Status.PASSED,
        "demo::tests::wrong": Status.FAILED,
        "tests/whole.rs::whole": Status.PASSED,
        "doc-tests demo::src/lib.rs - add": Status.PASSED,
        "doc-tests demo::src/lib.rs - add #2": Status.PASSED,
    }
    messages = {case.id: case.message for case in run.cases or ()}
    assert messages["demo::tests::wrong"].startswith("assertion `left == right` failed\n  left: 3")
    assert messages["demo::tests::slower"] == "needs a network"


def test_binaries_of_one_name_are_told_apart():
    again = REST.replace("demo-dbce29200f970038", "whole-0123456789abcdef").replace("src/main.rs", "tests/whole.rs")
    run = read(again.replace("running 0 tests\n", "running 1 test\ntest whole ... ok\n").replace("ok. 0 p", "ok. 1 p"))
    assert run.report_problem == ""
    assert {"tests/whole.rs::whole", "tests/whole.rs #2::whole"} <= run.passed()


BROKEN = {
    "no output": ("", 0, "exit code 0, but no test ran"),
    "cannot be built": ("error[E0425]: cannot find value\n", 101, "no test ran: the program or its tests cannot be"),
    "exit 0 and red": (LIB, 0, "exit code 0, but 1 tests failed"),
    "exit 101 and green": (REST, 101, "exit code 101, but no test failed"),
    "killed": (REST, 137, "the test runner ended with exit code 137"),
    "a binary left early": (
        LIB[: LIB.index("test result")] + REST,
        0,
        "cargo's output is no whole report: demo sums",
    ),
    "a binary left between its tests": (
        LIB[: LIB.index("test tests::wrong")] + REST,
        0,
        "cargo's output is no whole report: demo did not run to its end",
    ),
    "the last binary left early": (REST[: REST.rindex("test result")], 0, "cargo's output is no whole report: doc-te"),
    "one test less": (
        REST.replace("test whole ... ok\n", ""),
        0,
        "cargo's output is no whole report: tests/whole.rs a",
    ),
    "one test more": (
        REST.replace("test whole ... ok\n", "test whole ... ok\ntest more ... ok\n"),
        0,
        "cargo's output is no whole report: tests/whole.rs announced 1 tests and told of 2",
    ),
    "named twice": (
        LIB.replace("test tests::slow ... ignored\n", "test tests::wrong ... ok\n"),
        101,
        "cargo's output is no whole report: demo::tests::wrong is named twice",
    ),
    "another sum": (REST.replace("ok. 1 passed; 0 failed", "ok. 0 passed; 1 failed"), 0, "cargo's output is no whole"),
    "summed up twice": (
        LIB.replace("hello\n", "test result: FAILED. 2 passed; 1 failed; 2 ignored; 0 measured; 0 filtered out\n"),
        101,
        "cargo's output is no whole report: demo ends twice",
    ),
    "tests of no binary": (LIB[LIB.index("running 5") :], 101, "cargo's output is no whole report: tests of no binary"),
    "cut": (REST + "\n[... 99 bytes left out ...]\n", 0, "cargo's output is no whole report: it was too long"),
}


@pytest.mark.parametrize(("output", "code", "problem"), BROKEN.values(), ids=BROKEN.keys())
def test_text_that_does_not_come_out_is_never_a_pass(output, code, problem):
    run = read(output, code)
    assert run.report_problem.startswith(problem)
    assert not run.finished


def test_a_killed_run_keeps_what_it_told():
    run = read(LIB[: LIB.index("test tests::wrong")], None, timed_out=True)
    assert (run.report_problem, len(run.passed()), run.finished) == ("", 2, False)


def test_a_program_of_its_own_in_the_place_of_libtest_is_left_out():
    run = read(REST + "     Running tests/own.rs (target/debug/deps/own-e95db726a2d97116)\nall good\n")
    assert (run.report_problem, len(run.cases or ())) == ("", 3)


def test_nul_bytes_and_huge_names_are_kept_harmless():
    run = read(REST.replace("test whole ...", f"test a\0{'x' * 9_000} ..."))
    assert run.report_problem == ""
    assert all(case.id.isprintable() and len(case.id) < 4_100 for case in run.cases or ())


@given(st.lists(st.sampled_from((LIB + REST).splitlines(keepends=True)), max_size=40), st.sampled_from([0, 101]))
def test_shuffled_lines_never_raise_and_a_pass_has_a_sum_for_each_beginning(lines, code):
    output = "".join(lines)
    run = read(output, code)
    if run.finished:
        assert output.count("\nrunning ") + output.startswith("running ") == output.count("\ntest result: ")
        assert len(run.red()) <= output.count("... FAILED")
        assert bool(run.red()) == (code == 101)


@given(st.text(alphabet="runitesokFAILDg .:-;()0123456789\n", max_size=300))
def test_any_text_is_read_without_an_exception(output):
    assert not read(output).finished


@pytest.mark.parametrize("words", ["cargo test", "cargo +nightly test --workspace", "/root/.cargo/bin/cargo t --lib"])
def test_the_command_is_recognised(words):
    assert recognise(tuple(words.split())) is not None


@pytest.mark.parametrize(
    "words",
    ["cargo", "cargo build", "cargo nextest run", "cargo test -q", "cargo test -- --nocapture", "cargo test --no-run",
     "cargo test -- --format=json", "make test", ""],
)  # fmt: skip
def test_other_output_is_not(words):
    assert recognise(tuple(words.split())) is None


def test_what_is_run():
    cargo = Cargo()
    whole = cargo.launch(("cargo", "test", "--workspace", "--", "--test-threads=1"), ROOM, None)
    assert whole.argv == ("cargo", "test", "--workspace", "--no-fail-fast", "--", "--test-threads=1")
    some = cargo.launch(("cargo", "test"), ROOM, ["demo::tests::adds", "tests/whole.rs::whole"])
    assert some.argv == ("cargo", "test", "--no-fail-fast", "--", "--exact", "tests::adds", "whole")
    assert cargo.narrows(["demo::tests::adds"])
    assert not cargo.narrows(["demo::tests::adds", "doc-tests demo::src/lib.rs - add"])
