"""What every report is asked, whoever wrote it: does it agree with the exit code, is each test in it once. No IO."""

import hashlib
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType

from agent.domain.suite import Case, Status, SuiteRun
from agent.ports import Ran
from agent.verify.ids import clean_message, unique_ids

REPORT_LIMIT = 64 * 1024**2
"""Bytes of a report that are read; a larger one counts as missing."""
CASE_LIMIT = 200_000
"""Test cases in one report; the largest open suites known to us hold about 100,000."""
ID_LIMIT = 4_000
"""Characters of one test id: parametrised tests with whole documents in their names stay below it."""

OUTPUT_KEPT = 200_000
"""Characters of output a run keeps: as much as a sandbox keeps where nobody asks for more."""
CUT = re.compile(r"^\[\.\.\. \d+ bytes left out \.\.\.\]$", re.MULTILINE)
"""How a sandbox says that output was too long to be kept; whoever prints it has no report."""

NO_MEANINGS: Mapping[int, str] = MappingProxyType({})

_WORST_FIRST = (Status.ERROR, Status.FAILED, Status.XPASSED, Status.XFAILED, Status.SKIPPED, Status.PASSED)


class Unreadable(Exception):
    """A report is not what its framework writes; caught where the report is read, never seen outside."""


def begun(ran: Ran, output: str | None = None) -> SuiteRun:
    """The run as far as its exit code tells; `output` in place of all it printed."""
    return SuiteRun(
        exit_code=ran.exit_code,
        timed_out=ran.timed_out,
        seconds=ran.seconds,
        output=shortened(ran.output if output is None else output),
    )


def shortened(text: str) -> str:
    """Head and tail of an output that was kept long because it is the report."""
    missing = len(text) - OUTPUT_KEPT
    if missing <= 0:
        return text
    return f"{text[: OUTPUT_KEPT // 2]}\n[... {missing} characters left out ...]\n{text[-OUTPUT_KEPT // 2 :]}"


def plain_id(text: str) -> str:
    """A test id that can be kept and shown: what cannot be printed is escaped, a huge one is cut."""
    plain = "".join(char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text)
    if len(plain) <= ID_LIMIT:
        return plain
    digest = hashlib.sha256(plain.encode("utf-8")).hexdigest()[:16]
    return f"{plain[:ID_LIMIT]}… {digest}"


def merged(cases: Iterable[Case]) -> tuple[Case, ...]:
    """One case per test, sorted by id: where a test reported twice, the worst counts."""
    found = tuple(cases)
    names = unique_ids(case.id for case in found)
    kept: dict[str, Case] = {}
    for raw in found:
        case = replace(raw, id=names[raw.id], message=clean_message(raw.message))
        seen = kept.get(case.id)
        if seen is not None:
            worst = min(case, seen, key=lambda one: _WORST_FIRST.index(one.status))
            case = replace(worst, seconds=case.seconds + seen.seconds)
        kept[case.id] = case
    return tuple(kept[name] for name in sorted(kept))


def duration(value: object) -> float:
    """Seconds a report gives, as a number or in words; 0 for whatever is no sensible number."""
    try:
        seconds = float(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else 0.0
    except (ValueError, OverflowError):
        return 0.0
    return seconds if 0.0 <= seconds < 1e7 else 0.0


def disagreement(
    run: SuiteRun,
    *,
    partial: bool,
    red: Collection[int],
    empty: Collection[int] = (),
    meanings: Mapping[int, str] = NO_MEANINGS,
) -> str:
    """Why exit code and report cannot both be right; empty when they can.

    `red`: exit codes that mean a failed test; `empty`: those that mean that no test was found; `meanings`: of others.
    """
    failed = len(run.red())
    if run.exit_code == 0:
        if failed:
            return f"exit code 0, but {failed} tests failed in the report"
        return "" if run.cases or partial else "exit code 0, but no test ran"
    if run.exit_code in red:
        return "" if failed else f"exit code {run.exit_code}, but no test failed in the report"
    if run.exit_code in empty:
        return "" if partial else "no test ran"
    return meanings.get(run.exit_code or 0, f"the test runner ended with exit code {run.exit_code}")
