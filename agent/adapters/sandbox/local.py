"""The sandbox that is none: a process group with a scrubbed environment, for the demo and for tests.

Foreign code runs as the user who runs bendcoder and sees the whole machine: chosen by name only, never by default.
"""

import resource
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from agent.adapters.sandbox.opening import Opening
from agent.adapters.sandbox.process import run_group
from agent.adapters.sandbox.reports import ReportFolder
from agent.adapters.sandbox.variables import variables_for
from agent.adapters.workspace.paths import remove_tree
from agent.domain.environment import Environment
from agent.ports import Box, Limits, Ran, Sandbox

INSIDE = Path(__file__).resolve().parent / "inside"
"""Our modules for a repository's interpreter."""


class LocalBox(Box):
    """Runs commands in a tree on the host; home and temporary folder are new for each run."""

    def __init__(self, tree: Path, environment: Environment, private: Path) -> None:
        self.tree = str(tree)
        self.inside = str(INSIDE)
        self._environment = environment
        self._private = private
        self._reports = ReportFolder(private / "reports", str(private / "reports"))
        self._reports.path.mkdir()
        self.reports = self._reports.inside

    def run(self, argv: Sequence[str], limits: Limits, variables: Mapping[str, str] | None = None) -> Ran:
        """Run one command in the tree; its group is killed at the limit (a child that left the group lives on)."""
        fresh = Path(tempfile.mkdtemp(prefix="run-", dir=self._private))
        home, temporary = fresh / "home", fresh / "tmp"
        home.mkdir()
        temporary.mkdir()
        wanted = variables_for(self._environment, home=str(home), temporary=str(temporary), extra=variables or {})
        try:
            return run_group(
                argv,
                cwd=Path(self.tree),
                variables=wanted,
                limits=limits,
                started=lambda pid: _bound(pid, limits),
            )
        finally:
            remove_tree(fresh)

    def give(self, name: str, content: bytes) -> str:
        """Put a file into the report directory."""
        return self._reports.give(name, content)

    def collect(self, name: str, limit: int = 64 * 1024**2) -> bytes | None:
        """A plain file of the report directory, or None."""
        return self._reports.collect(name, limit)


def _bound(pid: int, limits: Limits) -> None:
    """Keep a runaway candidate from taking the machine along: per process, and no protection against malice."""
    bounds = {
        resource.RLIMIT_DATA: limits.memory,
        resource.RLIMIT_FSIZE: limits.file_size,
        resource.RLIMIT_CORE: 0,
    }
    if hasattr(resource, "prlimit"):
        with suppress(ProcessLookupError, PermissionError):
            for kind, most in bounds.items():
                resource.prlimit(pid, kind, (most, most))


class LocalSandbox(Sandbox):
    """Opens boxes on the host itself; `parent` is where their private folders are made."""

    name = "local"

    def __init__(self, parent: Path | None = None) -> None:
        self._parent = parent

    @contextmanager
    def open(self, tree: Path, environment: Environment) -> Iterator[Box]:
        """Open a box on a tree; its private folder goes when it is closed."""
        private = Path(tempfile.mkdtemp(prefix="bendcoder-box-", dir=self._parent))
        try:
            yield LocalBox(tree.resolve(strict=True), environment, private)
        finally:
            remove_tree(private)

    @contextmanager
    def open_for_setup(self, tree: Path, environment: Environment, opening: Opening) -> Iterator[Box]:  # noqa: ARG002 - the port
        """The same box: what confines nothing filters nothing either, and every folder is writable already."""
        with self.open(tree, environment) as box:
            yield box
