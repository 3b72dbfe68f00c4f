"""What a verdict asks of a test framework, and the values that go back and forth. No IO."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from agent.domain.suite import SuiteRun
from agent.ports import Ran

REPORT = "bendcoder-report"
"""Name of the report in the box's report directory, whatever the framework: outside of the tree."""
SELECT = "bendcoder-select.json"
"""Name of the file that holds the ids a run is narrowed to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """Where our things lie as seen from inside, and what is set there already."""

    reports: str
    inside: str
    search_path: str = ""
    """PYTHONPATH as the command or the Environment sets it."""
    node_options: str = ""
    """NODE_OPTIONS likewise."""

    @property
    def report(self) -> str:
        """Path of the report."""
        return f"{self.reports}/{REPORT}"

    @property
    def select(self) -> str:
        """Path of the ids to narrow to."""
        return f"{self.reports}/{SELECT}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """One run, ready to be started."""

    argv: tuple[str, ...]
    variables: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Name in the report directory -> bytes, put there before the run."""


class Framework(Protocol):
    """One way to run tests. Values only: a run is started and its report fetched by others."""

    @property
    def name(self) -> str:
        """How it is called wherever it is named to people."""
        ...

    @property
    def per_test(self) -> bool:
        """It tells how each test ended; False: the exit code is all there is."""
        ...

    @property
    def traces(self) -> bool:
        """Lines per test can be had."""
        ...

    @property
    def output(self) -> int:
        """Bytes of output to keep: many where the output is the report."""
        ...

    def narrows(self, ids: Sequence[str]) -> bool:
        """Whether just these tests can be run."""
        ...

    def launch(self, argv: tuple[str, ...], room: Room, ids: Sequence[str] | None, *, traced: bool = False) -> Launch:
        """The command with what makes it report; `ids`: these tests alone, where it `narrows` to them."""
        ...

    def read(self, ran: Ran, report: bytes | None, *, tree: str = "", partial: bool = False) -> SuiteRun:
        """What the run says of each test.

        `tree`: where the tree lay inside; `partial`: only some tests were asked for, so none at all is not a problem.
        """
        ...
