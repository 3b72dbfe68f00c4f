"""What set-up's box is shown that no other box is: one writable folder, and the socket of the proxy."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from agent.adapters.sandbox.egress.server import NAME
from agent.domain.environment import Environment
from agent.ports import Box

EGRESS = "/bendcoder/egress"
"""Where the proxy's folder lies inside."""

FORWARDER = "bendcoder_forward.py"


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """`folder` is writable at its own path, `egress` holds the socket, `python` runs our forwarder inside."""

    folder: Path
    egress: Path
    python: str

    def command(self, argv: Sequence[str], inside: str) -> list[str]:
        """`argv` as the child of the forwarder."""
        return [self.python, "-I", "-S", f"{inside}/{FORWARDER}", f"{EGRESS}/{NAME}", *argv]


@runtime_checkable
class CanSetUp(Protocol):
    """A sandbox that can open a box for set-up; nothing later gets such a box."""

    def open_for_setup(self, tree: Path, environment: Environment, opening: Opening) -> AbstractContextManager[Box]:
        """Open a box on a clean tree, with the opening; run by root, the folder is the box's until it is sealed."""
        ...
