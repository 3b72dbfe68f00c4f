"""Turns a judgement into the rows and sentences a reviewer reads: before, now, not checked; pure, states only facts."""

from collections.abc import Sequence
from dataclasses import dataclass

from agent.domain.result import Judgement, RunResult
from agent.domain.suite import Status, SuiteRun

MOST_ROWS = 30
MOST_LISTED = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One test before and after."""

    test: str
    before: str
    after: str
    role: str


TestList = tuple[str, tuple[str, ...], int]
"""Title, the tests shown, and how many more there are."""


def rows(result: RunResult, judgement: Judgement) -> tuple[Row, ...]:
    """Tests whose result the change touches: broken ones first, then evidence, then other fixed ones."""
    before = result.baseline.status() if result.baseline else {}
    after = judgement.final.status() if judgement.final else {}
    evidence = set(judgement.evidence)
    fixed = [test for test in judgement.fixed if test not in evidence]
    found: list[Row] = []
    for tests, role in ((judgement.broken, "broken"), (judgement.evidence, "evidence"), (fixed, "fixed")):
        for test in tests:
            thrice = " (3 of 3)" if role == "evidence" else ""
            found.append(
                Row(
                    test=test, before=_word(before.get(test)) + thrice, after=_word(after.get(test)) + thrice, role=role
                )
            )
    return tuple(found)


def _word(status: Status | None) -> str:
    return status.value if status else "not there"


def before(result: RunResult) -> str:
    """What was red on the base."""
    if result.baseline is None or result.baseline.cases is None:
        return "no per-test report of the base"
    return _some(sorted(result.baseline.red())) or "no test failed"


def now(judgement: Judgement) -> str:
    """What was red and passes with this change."""
    return _some(judgement.fixed) or "no test that failed before"


def unchecked(judgement: Judgement) -> str:
    """What nobody should believe was looked at."""
    missing: list[str] = []
    if judgement.final is None:
        missing.append("the suite on the final commit")
    elif judgement.final.cases is None:
        missing.append("single tests: the suite gives no per-test report")
    if not judgement.evidence:
        missing.append("that the change does anything: no test tells it from the base")
    bare = sorted(path for path, label in judgement.coverage.items() if label != "covered")
    if bare:
        missing.append(f"changed lines no passing test ran, in {_some(bare)}")
    if judgement.skipped:
        missing.append(f"{len(judgement.skipped)} skipped tests")
    return "; ".join(missing) or "anything the suite does not test"


def suite(run: SuiteRun | None) -> str:
    """One run of the suite in numbers."""
    if run is None:
        return "not run on the final commit"
    end = "killed at its time limit" if run.timed_out else f"exit code {run.exit_code}"
    if run.cases is None:
        return f"{end}, no per-test report"
    counts = {status: sum(case.status is status for case in run.cases) for status in Status}
    shown = ", ".join(f"{number} {status.value}" for status, number in counts.items() if number)
    return f"{shown or 'no test ran'} ({end}, {run.seconds:.0f} s)"


def lists(judgement: Judgement) -> tuple[TestList, ...]:
    """The tests a reviewer may want to see, by kind; empty kinds are left out."""
    named = (
        ("Broken by this change", judgement.broken),
        ("Still failing, as before", judgement.still_red),
        ("Flaky on the base as well", judgement.flaky),
        ("Skipped", judgement.skipped),
    )
    return tuple((title, *_cut(tests)) for title, tests in named if tests)


def counts(judgement: Judgement) -> tuple[tuple[str, int], ...]:
    """Numbers for the check."""
    return (
        ("fixed", len(judgement.fixed)),
        ("evidence (3 of 3)", len(judgement.evidence)),
        ("broken", len(judgement.broken)),
        ("still failing", len(judgement.still_red)),
        ("flaky", len(judgement.flaky)),
        ("skipped", len(judgement.skipped)),
    )


def _cut(tests: Sequence[str]) -> tuple[tuple[str, ...], int]:
    return tuple(tests[:MOST_LISTED]), max(0, len(tests) - MOST_LISTED)


def _some(names: Sequence[str]) -> str:
    """Up to three names as code, and the number of the rest."""
    shown = ", ".join("`" + name.replace("`", "'") + "`" for name in names[:3])
    return shown + (f" and {len(names) - 3} more" if len(names) > 3 else "")
