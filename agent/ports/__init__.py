"""What the agent needs of the world, as Protocols; adapters implement them, the loop sees nothing else.

A port answers with values and raises only `agent.errors` when it could not do its job. `running` where foreign code
runs · `files` trees · `models` Classify, Generate, Screener · here what records a run, and all of them together.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from agent.ports.files import BlobMemory, Checkout, Checkouts, Entry, Tally, Way, Workspace
from agent.ports.models import (
    OUT_OF_TIME,
    Classifier,
    Generator,
    Role,
    Screened,
    Screener,
    WriteRequest,
    Written,
)
from agent.ports.running import Box, Limits, Ran, Sandbox

__all__ = [
    "OUT_OF_TIME", "BlobMemory", "Box", "Checkout", "Checkouts", "Classifier", "Clock", "Entry", "Generator",
    "Limits", "Ports", "Ran", "Role", "Sandbox", "Screened", "Screener", "Tally", "TraceSink", "Way", "Workspace",
    "WriteRequest", "Written",
]  # fmt: skip


class TraceSink(Protocol):
    """Keeps events; a write that fails raises TraceError. A run that was killed goes on by running along its trace."""

    def emit(self, kind: str, step: int, data: Mapping[str, object]) -> None:
        """Append one event, flushed before it returns."""
        ...

    def recall(self, kind: str, about: str) -> str | None:
        """The outcome this very call had in the run's earlier life, if it comes next there; None: it is to be made."""
        ...


Clock = Callable[[], float]
"""Seconds that only grow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ports:
    """Everything `agent.run` is handed besides values."""

    classifier: Classifier
    generator: Generator
    workspace: Workspace
    checkouts: Checkouts
    sandbox: Sandbox
    trace: TraceSink
    clock: Clock
    cancelled: Callable[[], bool]
    """Asked before each step and each suite run."""
    memory: BlobMemory | None = None
    """What the index learnt of this repository in earlier runs; without it a run looks at every likely file's text."""
