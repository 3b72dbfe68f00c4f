"""Ports to where foreign code runs: a sandbox, its boxes, and what a command may use; must not know what is run."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from agent.domain.environment import Environment


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one command may use. Sizes in bytes, time in seconds."""

    seconds: float
    output: int = 200_000
    keep: str = ""
    """A word: where output is cut, lines that begin with it are kept nevertheless (a few, and each to 200 bytes)."""
    memory: int = 2 * 1024**3
    processes: int = 256
    file_size: int = 256 * 1024**2


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """How one command ended: `exit_code` None when it was killed at its limit; output is head and tail."""

    exit_code: int | None
    output: str
    seconds: float
    timed_out: bool


class Box(Protocol):
    """One tree opened for running foreign code in it; paths are as seen from inside."""

    tree: str
    """Where the tree lies inside (the same in every box of one sandbox)."""
    reports: str
    """Writable directory outside the tree for reports."""
    inside: str
    """Read-only directory of our stdlib-only modules (node-id plugin, tracer, screener, probe)."""

    def run(self, argv: Sequence[str], limits: Limits, variables: Mapping[str, str] | None = None) -> Ran:
        """Run one command in the tree, without network; kill its whole group at the limit."""
        ...

    def give(self, name: str, content: bytes) -> str:
        """Put a file into the report directory before a run; return its path as seen inside."""
        ...

    def collect(self, name: str, limit: int = 64 * 1024**2) -> bytes | None:
        """A file of the report directory, None when it is absent, larger than `limit` or not a plain file."""
        ...


class Sandbox(Protocol):
    """Where foreign code runs."""

    name: str

    def open(self, tree: Path, environment: Environment) -> AbstractContextManager[Box]:
        """Open a box on a clean tree; each box has a fresh home, /tmp and report directory."""
        ...
