"""`cargo test`: the text libtest prints is all there is, so it is read as suspiciously as text can be. No IO.

Every binary announces how many tests it runs and sums them up at its end: a count that does not come out, a test named
twice, a binary without an end or an end without a beginning make the whole of it no report. What tests print themselves
stands in between; a program that prints a whole forged run and leaves before its own is not told apart, which is one
reason why such a run alone never verifies a change (no line of Rust can be seen to run either).
"""

import re
from collections.abc import Collection, Sequence
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
    merged,
    plain_id,
)

OUTPUT = 8 * 1024**2
"""Bytes of output that are kept: 100,000 tests with ordinary names."""

_BINARY = re.compile(r"^ +Running (?:unittests |tests )?(\S.*?) \((?:.*[/\\])?(.+?)-[0-9a-f]{16}(?:\.exe)?\)$")
_DOCTESTS = re.compile(r"^ +Doc-tests (\S+)$")
_BEGIN = re.compile(r"^running (\d{1,6}) tests?$")
_TEST = re.compile(r"^test (.+) \.\.\. (ok|FAILED|ignored)(?:, (.*)| <[\d.]+s>)?$")
_END = re.compile(
    r"^test result: (ok|FAILED)\. (\d{1,6}) passed; (\d{1,6}) failed; (\d{1,6}) ignored; (\d{1,6}) measured; "
    r"(\d{1,6}) filtered out(?:; finished in ([\d.]{1,12})s)?$"
)
_TOLD = re.compile(r"^---- (.+) stdout ----$")
_PANICKED = re.compile(r"^(?:thread '.*'|thread <\w+>).* panicked at ")
_DOC_LINE = re.compile(r" \(line \d+\)")
_PANIC_MARK = re.compile(r" - should panic$")
_STATUS = {"ok": Status.PASSED, "FAILED": Status.FAILED, "ignored": Status.SKIPPED}
_CHANGES_TEXT = frozenset(
    {"-q", "--quiet", "--no-run", "--format", "-Z", "--list", "--nocapture", "--no-capture", "--message-format",
     "--bench", "--benches", "--help", "--shuffle"}
)  # fmt: skip
"""Words that change what is printed; such a command gives its exit code only."""
_TOLD_LINES = 40
"""Lines of what one test printed that are kept for its message."""

DOCUMENTATION = "doc-tests "
"""How ids of examples in documentation begin."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cargo:
    """`cargo test` on any stable Rust; results from its standard output."""

    name: str = "cargo test"
    per_test: bool = True
    traces: bool = False
    output: int = OUTPUT

    def narrows(self, ids: Sequence[str]) -> bool:
        """Tests in Rust by name; examples in documentation are named by their line, which a change moves."""
        return not any(one.startswith(DOCUMENTATION) for one in ids)

    def launch(self, argv: tuple[str, ...], room: Room, ids: Sequence[str] | None, *, traced: bool = False) -> Launch:  # noqa: ARG002 - never traced
        """All binaries to their end; chosen tests by their exact names, in every binary that has one of them."""
        # what is built does not belong in the tree that is judged
        variables = {**_VARIABLES, "CARGO_TARGET_DIR": f"{room.reports}/target"}
        place = argv.index("--") if "--" in argv else len(argv)
        own, theirs = argv[:place], argv[place + 1 :]
        ours = () if "--no-fail-fast" in own else ("--no-fail-fast",)
        names = sorted({one.partition("::")[2] for one in ids or ()})
        if ids is None:
            return Launch(argv=(*own, *ours, *(("--", *theirs) if theirs else ())), variables=variables)
        wanted = ("--", *theirs, *(() if "--exact" in theirs else ("--exact",)), *names)
        return Launch(argv=(*own, *ours, *wanted), variables=variables)

    def read(self, ran: Ran, report: bytes | None, *, tree: str = "", partial: bool = False) -> SuiteRun:  # noqa: ARG002 - there is none
        """Exit code 101 is a failed test, or a program that could not be built: then nothing ran."""
        run = replace(begun(ran), cases=())
        try:
            cases = merged(_cases(ran.output, whole=not ran.timed_out))
        except Unreadable as error:
            return replace(run, report_problem=f"cargo's output is no whole report: {error.args[0]}")
        run = replace(run, cases=cases)
        if ran.timed_out:
            return run
        if run.exit_code == 101 and not cases and not partial:
            return replace(run, report_problem="no test ran: the program or its tests cannot be built")
        return replace(run, report_problem=disagreement(run, partial=partial, red=(101,)))


_VARIABLES = {"RUST_BACKTRACE": "0", "CARGO_TERM_COLOR": "never", "CARGO_NET_OFFLINE": "true"}


def recognise(argv: tuple[str, ...]) -> Cargo | None:
    """The command when it is `cargo test` with libtest's ordinary output; None for anything else."""
    if len(argv) < 2 or PurePosixPath(argv[0]).name != "cargo":
        return None
    words = argv[2:] if argv[1].startswith("+") else argv[1:]
    if not words or words[0] not in ("test", "t"):
        return None
    changed = any(word in _CHANGES_TEXT or word.split("=", 1)[0] in _CHANGES_TEXT for word in words[1:])
    return None if changed else Cargo()


def _cases(output: str, *, whole: bool) -> tuple[Case, ...]:
    if CUT.search(output):
        raise Unreadable("it was too long to be kept")
    reader = _Reader()
    for line in output.splitlines():
        reader.take(line)
    if whole and reader.announced is not None:
        raise Unreadable(f"{reader.label} did not run to its end")
    return tuple(
        replace(case, message=_message(reader.told.get(case.id)) or case.message) for case in reader.cases.values()
    )


@dataclass(slots=True)
class _Reader:
    """Goes through the output line by line: a binary's header, `running N tests`, a line each, what failed, the sum."""

    label: str = ""
    announced: int | None = None
    """Tests of the group that is being read; None between groups."""
    listing: bool = False
    inside: str = ""
    """The test whose own output is being read."""
    group: list[Status] = field(default_factory=list)
    cases: dict[str, Case] = field(default_factory=dict)
    told: dict[str, list[str]] = field(default_factory=dict)
    labels: dict[str, int] = field(default_factory=dict)

    def take(self, line: str) -> None:
        """One line of output."""
        if self.announced is None:
            self._between(line)
        elif end := _END.match(line):
            self._close([int(end.group(place)) for place in range(2, 6)])
        elif self.listing:
            self._listed(line)
        elif told := _TOLD.match(line):
            self.inside = self._id(told.group(1))
            self.told[self.inside] = []
        elif self.inside and len(self.told[self.inside]) < _TOLD_LINES:
            self.told[self.inside].append(line)

    def _between(self, line: str) -> None:
        label = _label(line)
        if label:
            number = self.labels[label] = self.labels.get(label, 0) + 1
            self.label = label if number == 1 else f"{label} #{number}"
        elif begin := _BEGIN.match(line):
            if not self.label:
                raise Unreadable("tests of no binary")
            self.announced, self.listing, self.inside, self.group = int(begin.group(1)), True, "", []
        elif _END.match(line):
            raise Unreadable(f"{self.label or 'a binary'} ends twice")

    def _listed(self, line: str) -> None:
        if line == "failures:":
            self.listing = False
        elif _label(line):
            raise Unreadable(f"{self.label} did not run to its end")
        elif test := _TEST.match(line):
            name = self._id(test.group(1))
            if name in self.cases:
                if not name.startswith(DOCUMENTATION):
                    raise Unreadable(f"{name[:300]} is named twice")
                name = _free(self.cases, name)
            self.cases[name] = Case(id=name, status=_STATUS[test.group(2)], message=test.group(3) or "")
            self.group.append(_STATUS[test.group(2)])
            if len(self.cases) > CASE_LIMIT:
                raise Unreadable(f"it holds more than {CASE_LIMIT} tests")

    def _close(self, said: list[int]) -> None:
        found = [self.group.count(status) for status in _STATUS.values()]
        if len(self.group) + said[3] != self.announced:
            raise Unreadable(f"{self.label} announced {self.announced} tests and told of {len(self.group)}")
        if said[:3] != found:
            raise Unreadable(f"{self.label} sums up other results than it told of")
        self.announced = None

    def _id(self, name: str) -> str:
        return plain_id(f"{self.label}::{_DOC_LINE.sub('', _PANIC_MARK.sub('', name))}")


def _label(line: str) -> str:
    """A binary as its source file where that can hold nothing but tests, else by its name; empty: no header."""
    if found := _BINARY.match(line):
        source, name = found.groups()
        return source if source.startswith("tests/") else name
    found = _DOCTESTS.match(line)
    return f"{DOCUMENTATION}{found.group(1)}" if found else ""


def _free(taken: Collection[str], name: str) -> str:
    """Several examples in the documentation of one thing, told apart by their order: their line changes too easily."""
    number = 2
    while f"{name} #{number}" in taken:
        number += 1
    return f"{name} #{number}"


def _message(told: list[str] | None) -> str:
    """What a test said when it panicked, without where."""
    lines = told or []
    for place, line in enumerate(lines):
        if _PANICKED.match(line) and place + 1 < len(lines):
            return "\n".join(lines[place + 1 :]).strip()
    return "\n".join(lines).strip()
