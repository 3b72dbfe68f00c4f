"""Reads the record our own runners write, one JSON line per test, closed by a seal in the output. Hostile; no IO.

The seal holds the number of lines and the digest of all bytes written. It went down a pipe before the repository's code
could do anything about it, so a record that was changed, cut, written by somebody else or added to does not fit it.
"""

import hashlib
import json
import re
from collections.abc import Collection, Iterator
from dataclasses import replace

from agent.domain.suite import Case, Status, SuiteRun
from agent.ports import Ran
from agent.verify.frameworks.reading import CASE_LIMIT, Unreadable, begun, disagreement, duration, merged, plain_id

SEAL = "bendcoder-seal"
"""How the line begins that closes a report: every one of them is to be seen, however much output there is."""
SEALS = re.compile(rf"^{SEAL} (\d{{1,9}}) ([0-9a-f]{{64}})\r?$\n?", re.MULTILINE)

_STATUS = {one.value: one for one in Status}

NEVER_CLOSED = "the test runner ended before it closed its report"
CHANGED = "the report is not the one the test runner closed: it was changed afterwards"


def read_record(
    ran: Ran, report: bytes | None, *, partial: bool, red: Collection[int] = (1,), empty: Collection[int] = (5,)
) -> SuiteRun:
    """One run as facts; anything that is not whole is a `report_problem`. For `red` and `empty` see `disagreement`."""
    seals = SEALS.findall(ran.output)
    run = replace(begun(ran, SEALS.sub("", ran.output)), cases=())
    if report is None:
        return replace(
            run, report_problem="" if ran.timed_out else f"there is no test report (exit code {ran.exit_code})"
        )
    try:
        run = replace(run, cases=merged(_cases(report, whole=not ran.timed_out)))
    except Unreadable as error:
        return replace(run, report_problem=f"the test report could not be read: {error.args[0]}")
    if ran.timed_out:
        return run
    problem = broken_seal(report, seals) or disagreement(run, partial=partial, red=red, empty=empty)
    return replace(run, report_problem=problem)


def broken_seal(report: bytes, seals: list[tuple[str, str]]) -> str:
    """Why this record is not the one that was closed; empty when it is."""
    if not seals:
        return NEVER_CLOSED
    if len(set(seals)) > 1:
        return "the output holds more than one seal of the report"
    count, digest = seals[0]
    fits = int(count) == report.count(b"\n") and digest == hashlib.sha256(report).hexdigest()
    return "" if fits else CHANGED


def _cases(report: bytes, *, whole: bool) -> Iterator[Case]:
    lines = report.splitlines(keepends=True)
    if lines and not lines[-1].endswith(b"\n"):
        if whole:
            raise Unreadable("it is cut off")
        lines.pop()  # the run was killed while it wrote
    if len(lines) > CASE_LIMIT:
        raise Unreadable(f"it holds more than {CASE_LIMIT} tests")
    for line in lines:
        yield _case(line)


def _case(line: bytes) -> Case:
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        raise Unreadable("a line of it is no JSON") from None
    if not isinstance(data, dict):
        raise Unreadable("a line of it is no test")
    name, status, seconds, message = (data.get(key) for key in ("id", "status", "seconds", "message"))
    if not isinstance(name, str) or not isinstance(status, str) or status not in _STATUS or not name:
        raise Unreadable("a line of it is no test")
    return Case(
        id=plain_id(name),
        status=_STATUS[status],
        seconds=duration(seconds),
        message=message if isinstance(message, str) else "",
    )
