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
from agent.verify.frameworks.reading import CASE_LIMIT, Unreadable, begun, disagreement, duration, merged
from agent.verify.frameworks.record import CHANGED, NEVER_CLOSED, SEALS
from agent.verify.ids import clean_message

_QUIET = (Status.SKIPPED, Status.XFAILED)
_WELL = (Status.PASSED, Status.XPASSED)
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


def read_run(ran: Ran, report: bytes | None, *, partial: bool = False) -> SuiteRun:
    """One pytest run as facts. `partial`: only some tests were asked for, so none at all is not a problem."""
    seals = SEALS.findall(ran.output)
    run = replace(begun(ran, SEALS.sub("", ran.output)), cases=())
    if report is None:
        return replace(run, report_problem="" if ran.timed_out else _missing(ran))
    try:
        entries = tuple(_entries(report))
    except Unreadable as error:
        return replace(run, report_problem=f"the test report could not be read: {error.args[0]}")
    run = replace(run, cases=merged(entry.case for entry in entries))
    if ran.timed_out:
        return run
    problem = disagreement(run, partial=partial, red=(1,), empty=(5,), meanings=_EXIT_MEANING)
    return replace(run, report_problem=problem or _broken_seal(entries, seals))


def _missing(ran: Ran) -> str:
    meaning = _EXIT_MEANING.get(ran.exit_code or 0)
    return f"there is no test report (exit code {ran.exit_code}{': ' + meaning if meaning else ''})"


def _broken_seal(entries: Iterable[_Entry], seals: list[tuple[str, str]]) -> str:
    if not seals:
        return NEVER_CLOSED
    if len(set(seals)) > 1:
        return "the output holds more than one seal of the report"
    ended = {entry.raw for entry in entries if entry.sealed}
    red = {entry.raw for entry in entries if entry.case.status.red} & ended
    quiet = {entry.raw for entry in entries if entry.case.status in _QUIET} & ended - red
    unsealed = {entry.raw for entry in entries if not entry.sealed and entry.case.status in _WELL} - ended
    if unsealed or (str(len(ended)), _digest(red, quiet, ended - red - quiet)) != seals[0]:
        return CHANGED
    return ""


def _digest(*groups: Iterable[str]) -> str:
    """What the seal says of failed, silent and passed tests; the plugin puts it together in the same way."""
    text = "\n\n".join("\n".join(sorted(json.dumps(one) for one in group)) for group in groups)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _entries(report: bytes) -> Iterator[_Entry]:
    try:
        root = fromstring(report)
    except (ParseError, DefusedXmlException, ValueError, LookupError) as error:
        raise Unreadable(f"{type(error).__name__}") from error
    if root.tag not in ("testsuites", "testsuite"):
        raise Unreadable("it is not a JUnit report")
    for number, element in enumerate(root.iter("testcase")):
        if number >= CASE_LIMIT:
            raise Unreadable(f"it holds more than {CASE_LIMIT} tests")
        yield _entry(element)


def _entry(element: Element) -> _Entry:
    properties = {one.get("name", ""): one.get("value", "") for one in element.iterfind("properties/property")}
    exact = _decoded(properties.get("bendcoder_nodeid"))
    status, message = _outcome(element)
    if status is Status.PASSED and properties.get("bendcoder_outcome") == "xpassed":
        status = Status.XPASSED
    raw = exact if exact is not None else _guessed(element)
    case = Case(id=raw, status=status, seconds=duration(element.get("time")), message=message)
    return _Entry(raw=raw, sealed=exact is not None, case=case)


def _decoded(value: str | None) -> str | None:
    if value is None:
        return None
    try:
        decoded = json.loads(value)
    except ValueError as error:
        raise Unreadable("a test id in it is damaged") from error
    if not isinstance(decoded, str) or not decoded:
        raise Unreadable("a test id in it is damaged")
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
