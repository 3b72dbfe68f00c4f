"""`go test`, asked for its JSON events: go wraps whatever tests print, so only go itself tells how one ended. No IO."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from agent.domain.suite import Case, Status, SuiteRun
from agent.ports import Ran
from agent.verify.frameworks.protocol import Launch, Room
from agent.verify.frameworks.reading import (
    CASE_LIMIT,
    CUT,
    Unreadable,
    begun,
    disagreement,
    duration,
    merged,
    plain_id,
    shortened,
)

OUTPUT = 32 * 1024**2
"""Bytes of output that are kept: each line a test prints becomes an event of some 150 bytes."""

_ENDS = {"pass": Status.PASSED, "fail": Status.FAILED, "skip": Status.SKIPPED}
_NOT_TESTS = re.compile(r"^--?(?:c|list|bench|fuzz|exec|n|x|h|help|count|cpu|shuffle|failfast|json|run|skip)(?:=|$)")
"""Flags under which events differ, or that ours would meet; such a command gives its exit code only."""
_NOISE = re.compile(r"^\s*(?:=== |--- |FAIL$|PASS$)")
_TOLD_LINES = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class GoTest:
    """`go test` as of go 1.10."""

    name: str = "go test"
    per_test: bool = True
    traces: bool = False
    output: int = OUTPUT

    def narrows(self, ids: Sequence[str]) -> bool:
        """By the name of the outermost test; a package as a whole is none."""
        return all("::" in one for one in ids)

    def launch(self, argv: tuple[str, ...], room: Room, ids: Sequence[str] | None, *, traced: bool = False) -> Launch:  # noqa: ARG002 - nothing of ours is loaded
        """Events in place of text, and nothing from go's cache of results."""
        ours = ["-json", "-count=1"]
        if ids is not None:
            names = sorted({one.partition("::")[2].partition("/")[0] for one in ids})
            ours.append(f"-run=^({'|'.join(re.escape(name) for name in names)})$")
        return Launch(argv=(*argv[:2], *ours, *argv[2:]))

    def read(self, ran: Ran, report: bytes | None, *, tree: str = "", partial: bool = False) -> SuiteRun:  # noqa: ARG002 - there is none
        """Exit code 1 is a failed test or a package that cannot be built, 2 a build that went wrong altogether."""
        run = replace(begun(ran), cases=())
        try:
            reader = _Reader(whole=not ran.timed_out)
            for line in _lines(ran.output):
                reader.take(line)
            cases = merged(reader.cases())
        except Unreadable as error:
            return replace(run, report_problem=f"go's events are no whole report: {error.args[0]}")
        run = replace(run, cases=cases, output=shortened(reader.text()))
        return run if ran.timed_out else replace(run, report_problem=disagreement(run, partial=partial, red=(1, 2)))


def recognise(argv: tuple[str, ...]) -> GoTest | None:
    """The command when it is a plain `go test …`; None for anything else."""
    if len(argv) < 2 or PurePosixPath(argv[0]).name != "go" or argv[1] != "test":
        return None
    end = argv.index("-args") if "-args" in argv else len(argv)
    return None if any(_NOT_TESTS.match(word) for word in argv[2:end]) else GoTest()


def _lines(output: str) -> Iterator[str | Mapping[str, object]]:
    """Events, and the compiler's own lines between them."""
    if CUT.search(output):
        raise Unreadable("it was too long to be kept")
    for line in output.split("\n"):
        if not line.startswith('{"'):
            yield line
            continue
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            raise Unreadable("a line of it is damaged") from None
        if not isinstance(event, dict):
            raise Unreadable("a line of it is no event")
        yield event


@dataclass(slots=True)
class _Reader:
    """Follows the events of one run."""

    whole: bool
    begun: dict[str, None] = field(default_factory=dict)
    ended: dict[str, Case] = field(default_factory=dict)
    packages: dict[str, str] = field(default_factory=dict)
    told: dict[str, list[str]] = field(default_factory=dict)
    printed: list[str] = field(default_factory=list)

    def take(self, event: str | Mapping[str, object]) -> None:
        """One event, or a line that is none."""
        if isinstance(event, str):
            self.printed.append(f"{event}\n")
            return
        action, package, test = (_word(event.get(key)) for key in ("Action", "Package", "Test"))
        said = event.get("Output")
        if isinstance(said, str):
            self.printed.append(said)
        if not package:  # the build's own events
            return
        name = plain_id(f"{package}::{test}" if test else package)
        told = self.told.setdefault(name, [])
        if isinstance(said, str) and len(told) < _TOLD_LINES and not _NOISE.match(said):
            told.append(said)
        if test and action == "run":
            self.begun[name] = None
        elif test and action in _ENDS:
            self._end(name, _ENDS[action], event)
        elif action in _ENDS:
            if package in self.packages:
                raise Unreadable(f"the package {package[:300]} ends twice")
            self.packages[package] = action

    def _end(self, name: str, status: Status, event: Mapping[str, object]) -> None:
        if name in self.ended:
            raise Unreadable(f"{name[:300]} ends twice")
        if len(self.ended) >= CASE_LIMIT:
            raise Unreadable(f"it holds more than {CASE_LIMIT} tests")
        self.ended[name] = Case(id=name, status=status, seconds=duration(event.get("Elapsed")))

    def cases(self) -> Iterator[Case]:
        """What ended, what began and did not, and packages that failed without any test that did."""
        for name, case in self.ended.items():
            yield replace(case, message="".join(self.told.get(name, ())).strip() if case.status.red else "")
        blamed = {name.partition("::")[0] for name, case in self.ended.items() if case.status.red}
        for name in [one for one in self.begun if self.whole and one not in self.ended]:
            package = name.partition("::")[0]
            if self.packages.get(package) != "fail":
                raise Unreadable(f"{name[:300]} did not end")
            blamed.add(package)
            yield Case(id=name, status=Status.ERROR, message="".join(self.told.get(name, ())).strip())
        for package, action in self.packages.items():
            if action == "fail" and plain_id(package) not in blamed:
                message = "".join(self.told.get(plain_id(package), ())).strip()
                yield Case(id=plain_id(package), status=Status.ERROR, message=message)

    def text(self) -> str:
        """What would have been printed without events."""
        return "".join(self.printed)


def _word(value: object) -> str:
    return value if isinstance(value, str) else ""
