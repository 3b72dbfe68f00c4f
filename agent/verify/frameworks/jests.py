"""jest, vitest and mocha, asked for their own JSON reports in a file outside of the tree. No IO.

The reports are not sealed: each of these runners may run tests in its own process, and none has a line of ours in it.
What does not come out (sums, a test in no list) is no report; a report that was rewritten well is not told apart. No
line of JavaScript can be seen to run either, so a run of these alone never verifies a change.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import PurePosixPath
from typing import assert_never

from agent.domain.suite import Case, Status, SuiteRun
from agent.ports import Ran
from agent.verify.frameworks.protocol import Launch, Room
from agent.verify.frameworks.reading import CASE_LIMIT, Unreadable, begun, disagreement, duration, merged, plain_id

_REFUSED = re.compile(
    r"^(?:--(?:watch\w*|json|outputFile.*|listTests|showConfig|init|reporters?|bail|dry-run|help|version|shard|list)"
    r"|-[Rwbh]|watch|dev|bench|list|related|init)(?:=|$)"
)
"""Words that change what is reported; such a command gives its exit code only."""
_SPECIAL = re.compile(r"[.*+?^${}()|\[\]\\/]")
_QUIET = frozenset({"pending", "skipped", "todo", "disabled"})


class Runner(StrEnum):
    """Whose report it is; jest and vitest write the same."""

    JEST = "jest"
    VITEST = "vitest"
    MOCHA = "mocha"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reported:
    """One of these runners; `through`: started by `npm test`, which hands words on behind a `--`."""

    runner: Runner
    through: bool = False
    per_test: bool = True
    traces: bool = False
    output: int = 200_000

    @property
    def name(self) -> str:
        """The runner's."""
        return self.runner.value

    def narrows(self, ids: Sequence[str]) -> bool:
        """By title; a file as a whole cannot be chosen so."""
        return all("::" in one for one in ids)

    def launch(self, argv: tuple[str, ...], room: Room, ids: Sequence[str] | None, *, traced: bool = False) -> Launch:  # noqa: ARG002 - never traced
        """The command with its own options for a report; they may stand anywhere."""
        ours = [*self._report(room.report)]
        if ids is not None:
            titles = sorted({one.partition("::")[2] for one in ids})
            pattern = "|".join(_SPECIAL.sub(lambda found: "\\" + found.group(0), title) for title in titles)
            option = "grep" if self.runner is Runner.MOCHA else "testNamePattern"
            ours.append(f"--{option}=^ ?(?:{pattern})$")  # vitest puts a space before the outermost title
        split = ["--"] if self.through and "--" not in argv else []
        return Launch(argv=(*argv, *split, *ours))

    def _report(self, path: str) -> tuple[str, ...]:
        match self.runner:
            case Runner.JEST:
                return ("--ci", "--json", f"--outputFile={path}")
            case Runner.VITEST:
                return ("--reporter=default", "--reporter=json", f"--outputFile.json={path}")
            case Runner.MOCHA:
                return ("--reporter=json", f"--reporter-option=output={path}")
            case _:
                assert_never(self.runner)

    def read(self, ran: Ran, report: bytes | None, *, tree: str = "", partial: bool = False) -> SuiteRun:
        """jest and vitest end with 1 when a test failed, mocha with the number of those that did."""
        run = replace(begun(ran), cases=())
        if report is None:
            return replace(
                run, report_problem="" if ran.timed_out else f"there is no test report (exit code {ran.exit_code})"
            )
        read = _mocha if self.runner is Runner.MOCHA else _jest
        try:
            run = replace(run, cases=merged(read(_object(report), f"{tree.rstrip('/')}/")))
        except Unreadable as error:
            return replace(run, report_problem=f"the test report could not be read: {error.args[0]}")
        if ran.timed_out:
            return run
        red = range(1, 256) if self.runner is Runner.MOCHA else (1,)
        return replace(run, report_problem=disagreement(run, partial=partial, red=red))


def recognise(argv: tuple[str, ...]) -> Reported | None:
    """The command when it starts one of these, also by `npx` or by node; None for anything else."""
    words = argv[1:] if argv and PurePosixPath(argv[0]).name in ("npx", "node") else argv
    if not words:
        return None
    name = PurePosixPath(words[0]).name.removesuffix(".js").removesuffix(".mjs").lstrip("_")
    runner = next((one for one in Runner if one.value == name), None)
    return None if runner is None or any(_REFUSED.match(word) for word in words[1:]) else Reported(runner=runner)


def _object(report: bytes) -> Mapping[str, object]:
    try:
        data = json.loads(report)
    except (ValueError, RecursionError):
        raise Unreadable("it is no JSON") from None
    if not isinstance(data, dict):
        raise Unreadable("it is no report")
    return data


def _rows(data: Mapping[str, object], key: str) -> list[Mapping[str, object]]:
    rows = data.get(key)
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise Unreadable(f"it has no list of {key}")
    if len(rows) > CASE_LIMIT:
        raise Unreadable(f"it holds more than {CASE_LIMIT} tests")
    return rows


def _text(row: Mapping[str, object], key: str) -> str:
    value = row.get(key)
    return value if isinstance(value, str) else ""


def _jest(data: Mapping[str, object], tree: str) -> Iterator[Case]:
    """`testResults`: one entry per file, with `assertionResults` inside; a file that could not be loaded has none."""
    failed = total = 0
    for file in _rows(data, "testResults"):
        path = _text(file, "name").removeprefix(tree)
        rows = _rows(file, "assertionResults")
        if not rows and file.get("status") == "failed":
            yield Case(id=plain_id(path), status=Status.ERROR, message=_text(file, "message"))
        for row in rows:
            status = _jest_status(_text(row, "status"))
            total, failed = total + 1, failed + status.red
            yield Case(
                id=plain_id(f"{path}::{_full_title(row)}"),
                status=status,
                seconds=duration(row.get("duration")) / 1000,
                message=_first(row.get("failureMessages")),
            )
    if (data.get("numTotalTests"), data.get("numFailedTests")) != (total, failed):
        raise Unreadable("its sums do not come out")


def _jest_status(said: str) -> Status:
    if said in _QUIET:
        return Status.SKIPPED
    if said not in ("passed", "failed"):
        raise Unreadable("a test in it has no result")
    return Status(said)


def _full_title(row: Mapping[str, object]) -> str:
    above = row.get("ancestorTitles")
    titles = [one for one in above if isinstance(one, str) and one] if isinstance(above, list) else []
    return " ".join([*titles, _text(row, "title")])


def _first(messages: object) -> str:
    return messages[0] if isinstance(messages, list) and messages and isinstance(messages[0], str) else ""


def _mocha(data: Mapping[str, object], tree: str) -> Iterator[Case]:
    """Every test is in `tests` and in one other list; hooks that failed are in `failures` alone."""
    stats = data.get("stats")
    lists = {key: _rows(data, key) for key in ("tests", "passes", "failures", "pending")}
    if not isinstance(stats, dict) or any(stats.get(key) != len(rows) for key, rows in lists.items() if key != "tests"):
        raise Unreadable("its sums do not come out")
    told: set[str] = set()
    for key, status in (("failures", Status.FAILED), ("pending", Status.SKIPPED), ("passes", Status.PASSED)):
        for row in lists[key]:
            name = _mocha_id(row, tree)
            told.add(name)
            error = row.get("err")
            said = error if isinstance(error, dict) else {}
            message = ": ".join(part for part in (_text(said, "name"), _text(said, "message")) if part)
            yield Case(id=name, status=status, seconds=duration(row.get("duration")) / 1000, message=message)
    if any(_mocha_id(row, tree) not in told for row in lists["tests"]):
        raise Unreadable("a test in it has no result")


def _mocha_id(row: Mapping[str, object], tree: str) -> str:
    return plain_id(f"{_text(row, 'file').removeprefix(tree)}::{_text(row, 'fullTitle')}")
