"""What running a repository's command produced, as recorded facts; judging them is `agent.verify.verdict`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Status(StrEnum):
    """How one test ended. `error` is a failure outside the test's own body (set-up, tear-down, collection)."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    SKIPPED = "skipped"
    XFAILED = "xfailed"
    XPASSED = "xpassed"

    @property
    def red(self) -> bool:
        """Failed or errored."""
        return self in (Status.FAILED, Status.ERROR)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One test of one run; `id` is the runner's node id, normalised (no addresses, times, temporary paths)."""

    id: str
    status: Status
    seconds: float = 0.0
    message: str = ""
    """The failing assertion or exception, at most 2,000 characters; hostile text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteRun:
    """One execution of a suite (or part of it) on one clean tree."""

    exit_code: int | None
    """None when the command was killed at its limit."""
    timed_out: bool
    seconds: float
    output: str
    """Head and tail of what it printed; hostile text."""
    cases: tuple[Case, ...] | None = None
    """None: the command tells nothing of single tests."""
    report_problem: str = ""
    """Why a report that should be there is missing or does not agree with the exit code; empty when fine."""

    def status(self) -> Mapping[str, Status]:
        """Test id to how it ended; empty without a report."""
        return {case.id: case.status for case in self.cases or ()}

    def red(self) -> frozenset[str]:
        """Ids of tests that failed or errored."""
        return frozenset(case.id for case in self.cases or () if case.status.red)

    def passed(self) -> frozenset[str]:
        """Ids of tests that passed."""
        return frozenset(case.id for case in self.cases or () if case.status is Status.PASSED)

    @property
    def finished(self) -> bool:
        """Ran to its end: not killed, and the report (if one is expected) is whole."""
        return not self.timed_out and self.exit_code is not None and not self.report_problem


@dataclass(frozen=True, slots=True, kw_only=True)
class Spectrum:
    """Which lines each test executed: test id -> path (relative, posix) -> line numbers. From a separate run."""

    lines: Mapping[str, Mapping[str, frozenset[int]]] = field(default_factory=dict)
    problem: str = ""
    """Why there is no spectrum (the framework has none, or the tracer failed); empty when there is one."""

    def of_file(self, path: str) -> Mapping[str, frozenset[int]]:
        """Test id -> executed lines of one file, only tests that reach it."""
        return {test: files[path] for test, files in self.lines.items() if files.get(path)}
