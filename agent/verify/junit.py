"""JUnit report and exit code of a pytest run to recorded facts; the report is hostile input. No IO.

Must never take a report for whole that is not: missing, malformed, rewritten after its seal, or at odds with the exit
code, it becomes a `report_problem`, which is never a pass.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import fromstring

from agent.domain.suite import Case, Status, SuiteRun
from agent.ports import Ran
from agent.verify.ids import clean_message, unique_ids

REPORT_LIMIT = 64 * 1024**2
"""Bytes of a report that are read; a larger one counts as missing."""
CASE_LIMIT = 200_000
"""Test cases in one report; the largest open suites known to us hold about 100,000."""

SEAL = "bendcoder-seal"
"""How the line begins that closes a report: every one of them is to be seen, however much output there is."""
_SEAL = re.compile(rf"^{SEAL} (\d+) ([0-9a-f]{{64}})\r?$\n?", re.MULTILINE)
_WORST_FIRST = (
    Status.ERROR,
    Status.FAILED,
    Status.XPASSED,
    Status.XFAILED,
    Status.SKIPPED,
    Status.PASSED,
)
_QUIET = (Status.SKIPPED, Status.XFAILED)
_EXIT_MEANING = {
    2: "the test run was interrupted",
    3: "the test runner had an internal error",
    4: "the test runner refused its command line",
    5: "no test ran",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    raw: str
    sealed: bool
    """Carries our property: the test was torn down and its id is exact."""
    case: Case


class _Unreadable(Exception):
    """The report is not what pytest writes."""


def read_run(ran: Ran, report: bytes | None, *, partial: bool = False) -> SuiteRun:
    """One pytest run as facts. `partial`: only some tests were asked for, so none at all is not a problem."""
    seals = _SEAL.findall(ran.output)
    run = SuiteRun(
        exit_code=ran.exit_code,
        timed_out=ran.timed_out,
        seconds=ran.seconds,
        output=_SEAL.sub("", ran.output),
        cases=(),
    )
    if report is None:
        return replace(run, report_problem="" if ran.timed_out else _missing(ran))
    try:
        entries = tuple(_entries(report))
    except _Unreadable as error:
        return replace(run, report_problem=f"the test report could not be read: {error.args[0]}")
    run = replace(run, cases=_merge(entries))
    problem = "" if ran.timed_out else _disagreement(run, partial) or _broken_seal(entries, seals)
    return replace(run, report_problem=problem)


def _missing(ran: Ran) -> str:
    meaning = _EXIT_MEANING.get(ran.exit_code or 0)
    return f"there is no test report (exit code {ran.exit_code}{': ' + meaning if meaning else ''})"


def _disagreement(run: SuiteRun, partial: bool) -> str:
    """Why exit code and report cannot both be right; empty when they can."""
    cases, red = run.cases or (), run.red()
    if run.exit_code == 0:
        if red:
            return f"exit code 0, but {len(red)} tests failed in the report"
        return "" if cases or partial else "exit code 0, but no test ran"
    if run.exit_code == 1:
        return "" if red else "exit code 1, but no test failed in the report"
    if run.exit_code == 5 and partial:
        return ""
    return _EXIT_MEANING.get(run.exit_code or 0, f"the test runner ended with exit code {run.exit_code}")


def _broken_seal(entries: Iterable[_Entry], seals: list[tuple[str, str]]) -> str:
    if not seals:
        return "the test runner ended before it closed its report"
    if len(set(seals)) > 1:
        return "the output holds more than one seal of the report"
    ended = {entry.raw for entry in entries if entry.sealed}
    red = {entry.raw for entry in entries if entry.case.status.red} & ended
    quiet = {entry.raw for entry in entries if entry.case.status in _QUIET} & ended - red
    if (str(len(ended)), _digest(red, quiet)) != seals[0]:
        return "the report is not the one the test runner closed: it was changed afterwards"
    return ""


def _digest(red: Iterable[str], quiet: Iterable[str]) -> str:
    """What the seal says of these tests; the plugin puts it together in the same way."""
    failed, silent = (sorted(json.dumps(one) for one in some) for some in (red, quiet))
    text = "\n".join([*failed, "", *silent] if silent else failed)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _entries(report: bytes) -> Iterator[_Entry]:
    try:
        root = fromstring(report)
    except (ParseError, DefusedXmlException, ValueError, LookupError) as error:
        raise _Unreadable(f"{type(error).__name__}") from error
    if root.tag not in ("testsuites", "testsuite"):
        raise _Unreadable("it is not a JUnit report")
    for number, element in enumerate(root.iter("testcase")):
        if number >= CASE_LIMIT:
            raise _Unreadable(f"it holds more than {CASE_LIMIT} tests")
        yield _entry(element)


def _entry(element: Element) -> _Entry:
    properties = {one.get("name", ""): one.get("value", "") for one in element.iterfind("properties/property")}
    exact = _decoded(properties.get("bendcoder_nodeid"))
    status, message = _outcome(element)
    if status is Status.PASSED and properties.get("bendcoder_outcome") == "xpassed":
        status = Status.XPASSED
    raw = exact if exact is not None else _guessed(element)
    case = Case(id=raw, status=status, seconds=_seconds(element.get("time")), message=message)
    return _Entry(raw=raw, sealed=exact is not None, case=case)


def _decoded(value: str | None) -> str | None:
    if value is None:
        return None
    try:
        decoded = json.loads(value)
    except ValueError as error:
        raise _Unreadable("a test id in it is damaged") from error
    if not isinstance(decoded, str) or not decoded:
        raise _Unreadable("a test id in it is damaged")
    return decoded


def _guessed(element: Element) -> str:
    """The node id of what never ran to its end (collection error, crashed worker), from file, class and name."""
    file, classname, name = element.get("file", ""), element.get("classname", ""), element.get("name", "")
    dotted = re.sub(r"\.py$", "", file.replace("/", "."))
    if not file:
        return "::".join(part for part in (classname, name) if part)
    if name == dotted and not classname:
        return file
    inner = classname[len(dotted) :].strip(".") if classname.startswith(dotted) else classname
    return "::".join([file, *(part for part in inner.split(".") if part), name])


def _outcome(element: Element) -> tuple[Status, str]:
    for tag, status in (("error", Status.ERROR), ("failure", Status.FAILED)):
        found = element.find(tag)
        if found is not None:
            return status, _message(found)
    skipped = element.find("skipped")
    if skipped is not None:
        status = Status.XFAILED if skipped.get("type") == "pytest.xfail" else Status.SKIPPED
        return status, clean_message(skipped.get("message", ""))
    return Status.PASSED, ""


def _message(element: Element) -> str:
    return clean_message(f"{element.get('message', '')}\n{element.text or ''}".strip())


def _seconds(text: str | None) -> float:
    try:
        seconds = float(text or 0.0)
    except ValueError:
        return 0.0
    return seconds if 0.0 <= seconds < 1e7 else 0.0


def _merge(entries: Iterable[_Entry]) -> tuple[Case, ...]:
    """One case per test, sorted by id: where a test reported twice (teardown error, repeats), the worst counts."""
    found = tuple(entries)
    names = unique_ids(entry.raw for entry in found)
    merged: dict[str, Case] = {}
    for entry in found:
        name = names[entry.raw]
        case, seen = replace(entry.case, id=name), merged.get(name)
        if seen is None:
            merged[name] = case
            continue
        worst = min(case, seen, key=lambda one: _WORST_FIRST.index(one.status))
        merged[name] = replace(worst, seconds=case.seconds + seen.seconds)
    return tuple(merged[name] for name in sorted(merged))
