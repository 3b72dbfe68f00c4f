"""The sandbox for machines where bubblewrap may not make namespaces: one docker or podman container per command.

Written against both programs' documented command lines; nobody has run it yet, only its argument vector is tested.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from agent.adapters.sandbox import mounts, throwaway
from agent.adapters.sandbox.local import INSIDE
from agent.adapters.sandbox.process import run_group
from agent.adapters.sandbox.reports import ReportFolder
from agent.adapters.sandbox.slots import slot
from agent.adapters.sandbox.variables import variables_for
from agent.adapters.workspace.paths import remove_tree
from agent.domain.environment import Environment
from agent.errors import SandboxError
from agent.ports import Box, Limits, Ran, Sandbox

PROGRAMS = ("docker", "podman")
_OWN_VARIABLES = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/nonexistent"}
_KILL_SECONDS = 10.0
_PROGRAM_FAILED = 125
"""Exit code by which both say that the container, not the command in it, failed."""


class ContainerBox(Box):
    """Runs commands on one tree; each run is a container of its own, removed when it ends."""

    def __init__(
        self, *, program: str, image: str, tree: Path, environment: Environment, private: Path, identity: int
    ) -> None:
        self.tree, self.reports, self.inside = mounts.TREE, mounts.REPORTS, mounts.INSIDE
        self._program, self._image, self._identity = program, image, identity
        self._tree, self._environment, self._private = tree, environment, private
        self._reports = ReportFolder(private / "reports", mounts.REPORTS)
        self._reports.path.mkdir(mode=0o755)
        owner = identity if os.geteuid() == 0 else None
        throwaway.build(tree, private / "git", owner)
        if owner is not None:
            os.chown(self._reports.path, owner, owner)
        if throwaway.mount_point(tree):
            raise SandboxError("a worktree cannot be shown to a container; hand over a clean checkout")
        self._runs = 0

    def run(self, argv: Sequence[str], limits: Limits, variables: Mapping[str, str] | None = None) -> Ran:
        """Run one command in a new container; when this returns, it has been removed."""
        self._runs += 1
        name = f"{self._private.name}-{self._runs}"
        try:
            ran = run_group(
                self.command(name, argv, limits, variables or {}),
                cwd=self._private,
                variables=_OWN_VARIABLES,
                limits=limits,
            )
        finally:
            # killing the client does not end the container: the daemon has to be told
            with suppress(subprocess.TimeoutExpired, OSError):
                subprocess.run(
                    [self._program, "rm", "--force", name],
                    env=_OWN_VARIABLES,
                    timeout=_KILL_SECONDS,
                    check=False,
                    capture_output=True,
                )
        if ran.exit_code == _PROGRAM_FAILED:
            raise SandboxError(f"{self._program} could not open the sandbox: {ran.output.strip()[-500:]}")
        return ran

    def command(self, name: str, argv: Sequence[str], limits: Limits, extra: Mapping[str, str]) -> list[str]:
        """The whole command line of one run."""
        variables = variables_for(self._environment, home=mounts.HOME, temporary="/tmp", extra=extra)  # noqa: S108 - in the box
        scratch = limits.memory // 2
        return [
            *(self._program, "run", "--name", name, "--rm", "--init", "--pull", "never", "--network", "none"),
            *("--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"),
            *("--user", f"{self._identity}:{self._identity}", "--hostname", "sandbox", "--workdir", mounts.TREE),
            *("--memory", str(limits.memory), "--memory-swap", str(limits.memory)),
            *("--pids-limit", str(limits.processes), "--ulimit", f"fsize={limits.file_size}", "--ulimit", "core=0"),
            *("--tmpfs", f"/tmp:rw,exec,mode=1777,size={scratch}"),  # noqa: S108 - in the box
            *("--tmpfs", f"{mounts.HOME}:rw,exec,mode=0777,size={scratch}"),
            *self._mounts(),
            *(word for key, value in variables.items() for word in ("--env", f"{key}={value}")),
            *("--entrypoint", argv[0], self._image, *argv[1:]),
        ]

    def _mounts(self) -> list[str]:
        shown = [
            (self._tree, mounts.TREE, ""),
            (self._private / "git", f"{mounts.TREE}/.git", ",readonly"),
            (self._reports.path, mounts.REPORTS, ""),
            (INSIDE, mounts.INSIDE, ",readonly"),
        ]
        for path in mounts.outermost(self._environment.readonly):
            mounts.check_mount(path, self._tree)
            shown.append((Path(path), path, ",readonly"))
        bad = next((str(source) for source, _, _ in shown if "," in str(source)), None)
        if bad:
            raise SandboxError(f"a path with a comma cannot be shown to a container: {bad!r}")
        return [word for source, at, how in shown for word in ("--mount", f"type=bind,src={source},dst={at}{how}")]

    def give(self, name: str, content: bytes) -> str:
        """Put a file into the report directory."""
        return self._reports.give(name, content)

    def collect(self, name: str, limit: int = 64 * 1024**2) -> bytes | None:
        """A plain file of the report directory, or None."""
        return self._reports.collect(name, limit)


class ContainerSandbox(Sandbox):
    """Opens boxes with docker or podman; the image must be there already, nothing is pulled."""

    name = "container"

    def __init__(self, image: str, program: str, parent: Path | None = None) -> None:
        self._image, self._program, self._parent = image, program, parent

    @contextmanager
    def open(self, tree: Path, environment: Environment) -> Iterator[Box]:
        """Open a box on a clean tree; run by root, the tree belongs to the box's own user id from then on."""
        with ExitStack() as stack:
            identity = stack.enter_context(slot()) if os.geteuid() == 0 else os.geteuid()
            private = Path(tempfile.mkdtemp(prefix="bendcoder-box-", dir=self._parent))
            stack.callback(remove_tree, private)
            real = tree.resolve(strict=True)
            stack.callback(throwaway.remove_mount_point, real)
            yield ContainerBox(
                program=self._program,
                image=self._image,
                tree=real,
                environment=environment,
                private=private,
                identity=identity,
            )


def program_here() -> str | None:
    """docker or podman, whichever is on the system's PATH first; None without either."""
    return next((name for name in PROGRAMS if shutil.which(name, path=_OWN_VARIABLES["PATH"])), None)
