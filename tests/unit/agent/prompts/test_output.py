"""Output of test runners is cut to what failed and why: real shapes, buried in noise, at a tight limit."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.prompts.output import GAP, essential, failing_line, telling_line

NOISE = "\n".join(f"collecting module {number} of the long and winding suite" for number in range(400))

PYTEST = """_______________________________ test_total_rounds _______________________________

    def test_total_rounds():
>       assert total([1, 2]) == 4
E       assert 3 == 4
E        +  where 3 = total([1, 2])

tests/test_ledger.py:12: AssertionError
=========================== short test summary info ===========================
FAILED tests/test_ledger.py::test_total_rounds - assert 3 == 4"""
TRACEBACK = """Traceback (most recent call last):
  File "/tree/run.py", line 3, in <module>
    main()
  File "/tree/src/ledger.py", line 41, in total
    return rows[name]
KeyError: 'total\'"""
UNITTEST = """======================================================================
FAIL: test_total (test_ledger.Ledger.test_total)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/tree/test_ledger.py", line 7, in test_total
    self.assertEqual(total([1, 2]), 4)
AssertionError: 3 != 4

FAILED (failures=1)"""
NODE = """✖ total rounds (0.5ms)
  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:
  + actual - expected
  + 3
  - 4
      at TestContext.<anonymous> (/tree/test/ledger.test.js:8:10)"""
JEST = """  ● total rounds

    expect(received).toBe(expected) // Object.is equality

    Expected: 4
    Received: 3

      at Object.<anonymous> (test/ledger.test.js:8:18)"""
CARGO = """---- tests::total_rounds stdout ----
thread 'tests::total_rounds' (3217) panicked at src/ledger.rs:41:9:
assertion `left == right` failed: rounding
  left: 3
 right: 4
stack backtrace:
   0: __rustc::rust_begin_unwind
             at /rustc/5980761/library/std/src/panicking.rs:689:5
   1: ledger::total
             at ./src/ledger.rs:41:9"""
TAP = """not ok 1 - total rounds
  ---
  failureType: 'testCodeFailure'
  error: |-
    Expected values to be strictly equal:

    3 !== 4

  code: 'ERR_ASSERTION'
  expected: 4
  actual: 3
  stack: |-
    TestContext.<anonymous> (/tree/test/ledger.test.js:3:33)
    Test.runInAsyncScope (node:async_hooks:206:9)
  ..."""
RUSTC = """error[E0308]: mismatched types
  --> src/ledger.rs:41:5
   |
41 |     "three"
   |     ^^^^^^^ expected `i32`, found `&str`"""
GO = """--- FAIL: TestTotal (0.00s)
    ledger_test.go:12: total = 3, want 4
panic: runtime error: index out of range [5] with length 3
FAIL\texample.com/ledger\t0.003s"""
GO_BUILD = "# example.com/ledger\n./ledger.go:41:9: undefined: rows"


@pytest.mark.parametrize(
    ("shape", "wanted"),
    [
        pytest.param(PYTEST, ["E       assert 3 == 4", "where 3 = total", "test_ledger.py:12", "FAILED"], id="pytest"),
        pytest.param(TRACEBACK, ["KeyError: 'total'", 'ledger.py", line 41', "return rows[name]"], id="traceback"),
        pytest.param(UNITTEST, ["FAIL: test_total", "AssertionError: 3 != 4"], id="unittest"),
        pytest.param(NODE, ["✖ total rounds", "ERR_ASSERTION", "+ 3", "- 4", "ledger.test.js:8:10"], id="node"),
        pytest.param(JEST, ["● total", "Expected: 4", "Received: 3"], id="jest"),
        pytest.param(CARGO, [") panicked at src/ledger.rs:41:9", "left: 3", "right: 4", "rounding"], id="cargo"),
        pytest.param(TAP, ["not ok 1", "strictly equal", "3 !== 4", "expected: 4", "actual: 3"], id="node's tap"),
        pytest.param(RUSTC, ["error[E0308]", "src/ledger.rs:41:5"], id="rustc"),
        pytest.param(GO, ["--- FAIL: TestTotal", "total = 3, want 4", "index out of range"], id="go"),
        pytest.param(GO_BUILD, ["undefined: rows"], id="go build"),
    ],
)
@pytest.mark.parametrize("path", ["src/ledger.py", ""])
def test_what_failed_survives_a_tight_limit_between_pages_of_noise(shape: str, wanted: list[str], path: str) -> None:
    cut = essential(f"{NOISE}\n{shape}\n{NOISE}", 700, path)

    assert len(cut) <= 700
    assert [one for one in wanted if one not in cut and (path or "line 41" not in one)] == []
    assert "collecting module 200" not in cut
    assert cut.startswith(GAP)


def test_what_fits_stays_as_it_is() -> None:
    assert essential(PYTEST, len(PYTEST)) == PYTEST


def test_without_anything_that_looks_like_a_failure_both_ends_are_shown() -> None:
    cut = essential(NOISE, 600)

    assert cut.startswith("collecting module 0 ")
    assert cut.endswith("module 399 of the long and winding suite")
    assert len(cut) <= 600


def test_a_hundred_failures_show_the_first_ones() -> None:
    many = "\n".join(f"E   assert {number} == 0\n{'-' * 200}" for number in range(100))
    cut = essential(many, 500)

    assert "assert 0 == 0" in cut
    assert "assert 99 == 0" not in cut


def test_the_same_line_is_shown_once() -> None:
    assert essential("\n".join(["E   assert 1 == 2", "x" * 50] * 100), 200).count("assert 1 == 2") == 1


@pytest.mark.parametrize(
    ("output", "line"),
    [
        ('  File "/tree/src/a.py", line 12, in f', 12),
        ("src/a.py:12: ValueError", 12),
        ("src/a.py:12: E\nsrc/a.py:30: E", 30),
        ("src/a.py:12: E\nsrc/a.py:30: E\nsrc/a.py:12: E", 12),
        ("    at total (/tree/src/a.py:12:9)", 12),
        ("thread 'x' panicked at src/a.py:12:9:", 12),
        ("othersrc/a.py:12: E", None),
        ("src/a.pyx:12: E", None),
        ("src/a.py:99999999999999999999: E", None),
        ("nothing of it", None),
        ("", None),
    ],
)
def test_the_failing_line_is_the_one_named_most_or_last(output: str, line: int | None) -> None:
    assert failing_line(output, "src/a.py") == line
    assert failing_line(output, "") is None


@pytest.mark.parametrize(
    ("output", "line"),
    [
        (PYTEST, "assert 3 == 4"),
        (TRACEBACK, "KeyError: 'total'"),
        (UNITTEST, "AssertionError: 3 != 4"),
        (TAP, "error: |- Expected values to be strictly equal:"),
        ("just\nprose\n\n", "prose"),
        ("", ""),
    ],
)
def test_the_telling_line_is_one_line(output: str, line: str) -> None:
    assert telling_line(output) == line


@settings(max_examples=100, deadline=None)
@given(text=st.text(alphabet="E \n.:/a1>_-=", max_size=600), limit=st.integers(0, 700), path=st.sampled_from(["a", ""]))
def test_any_output_at_any_limit_fits_and_holds_only_its_own_lines(text: str, limit: int, path: str) -> None:
    cut = essential(text, limit, path)

    assert len(cut) <= limit
    if len(cut) < limit:
        own = {line[:400] for line in text.split("\n")} | {GAP}
        assert all(line in own or any(line in one for one in own) for line in cut.split("\n"))


def test_frames_of_a_languages_own_library_are_left_out() -> None:
    assert "/rustc/" not in essential(f"{CARGO}\n{NOISE}", 700)
    assert "async_hooks" not in essential(f"{TAP}\n{NOISE}", 700)


def test_a_megabyte_in_one_line_takes_no_time() -> None:
    assert len(essential("E  " + "a" * 10**6, 1_000)) <= 1_000
    assert len(telling_line("a" * 10**6)) <= 400
