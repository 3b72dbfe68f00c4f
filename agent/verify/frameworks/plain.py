"""Any other command: its exit code is all there is to know. No IO."""

from collections.abc import Sequence
from dataclasses import dataclass

from agent.domain.suite import SuiteRun
from agent.ports import Ran
from agent.verify.frameworks.protocol import Launch, Room
from agent.verify.frameworks.reading import begun


@dataclass(frozen=True, slots=True, kw_only=True)
class Plain:
    """No report, no single tests, no lines."""

    name: str = "a command"
    per_test: bool = False
    traces: bool = False
    output: int = 200_000

    def narrows(self, ids: Sequence[str]) -> bool:  # noqa: ARG002 - whatever they are
        """Never."""
        return False

    def launch(self, argv: tuple[str, ...], room: Room, ids: Sequence[str] | None, *, traced: bool = False) -> Launch:  # noqa: ARG002 - nothing can be asked of it
        """The command as it is."""
        return Launch(argv=argv)

    def read(self, ran: Ran, report: bytes | None, *, tree: str = "", partial: bool = False) -> SuiteRun:  # noqa: ARG002 - there is none
        """The exit code."""
        return begun(ran)
