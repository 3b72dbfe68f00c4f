"""The default sandbox: every command in namespaces of its own, made by bubblewrap, as an unprivileged user.

Shows a tree, the system and the Environment, nothing else of the host, and no network. Never lets a process survive
its run, and never lets git on the host read what the tree holds.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from agent.adapters.sandbox import cgroup, lifeline, mounts, seccomp, throwaway
from agent.adapters.sandbox.local import INSIDE
from agent.adapters.sandbox.opening import EGRESS, Opening
from agent.adapters.sandbox.process import GRACE_SECONDS, run_group
from agent.adapters.sandbox.reports import ReportFolder
from agent.adapters.sandbox.slots import slot
from agent.adapters.sandbox.variables import variables_for
from agent.adapters.workspace.paths import remove_tree
from agent.domain.environment import Environment
from agent.errors import SandboxError
from agent.ports import Box, Limits, Ran, Sandbox

_OWN_VARIABLES = {"PATH": "/usr/bin:/bin:/usr/sbin:/sbin"}
_PROGRAMS = {"bwrap": "bubblewrap", "setpriv": "util-linux", "prlimit": "util-linux", "timeout": "coreutils"}
_LATE_SECONDS = 0.25
"""After the grace inside, before whatever is left is ended from outside: somebody may have stopped the one inside."""
_MAPPED_ID = 1000
"""The user id seen inside when we are not root: outside it is the user who runs bendcoder."""


class BubblewrapBox(Box):
    """Runs commands on one tree; each run has namespaces, /tmp and home of its own."""

    def __init__(
        self,
        *,
        tree: Path,
        environment: Environment,
        private: Path,
        inside: Path,
        identity: int | None,
        opening: Opening | None = None,
    ) -> None:
        self.tree, self.reports, self.inside = mounts.TREE, mounts.REPORTS, mounts.INSIDE
        self._tree, self._environment, self._private, self._identity = tree, environment, private, identity
        self._inside, self._opening = inside, opening
        self._reports = ReportFolder(private / "reports", mounts.REPORTS)
        self._reports.path.mkdir(mode=0o755)
        (private / "etc").mkdir()
        self._system = mounts.system() + mounts.make_etc(private / "etc", _MAPPED_ID if identity is None else identity)
        throwaway.build(tree, private / "git", identity)
        if identity is not None:
            os.chown(self._reports.path, identity, identity)
            if opening is not None:
                os.chown(opening.folder, identity, identity)
        self._git = _cover(tree, private, identity)
        self._runs = 0

    def run(self, argv: Sequence[str], limits: Limits, variables: Mapping[str, str] | None = None) -> Ran:
        """Run one command in the tree; when this returns, none of its processes lives. SandboxError: it never began."""
        self._runs += 1
        argv = argv if self._opening is None else self._opening.command(argv, self.inside)
        line = lifeline.Lifeline(self._arguments(limits, variables or {}), seccomp.program())
        group = cgroup.make(f"{self._private.name}-{self._runs}", limits)
        try:
            words = [*self._dropping(limits, bounded=group is not None), *_warning(limits), *argv]
            command = line.command(words)
            ran = run_group(
                group.joining(command) if group else command,
                cwd=self._private,
                variables=_OWN_VARIABLES,
                limits=replace(limits, seconds=limits.seconds + GRACE_SECONDS + _LATE_SECONDS),
                pass_fds=line.descriptors,
                stdin=line.stdin,
                started=lambda _pid: line.open_gate(limits.seconds),
                grace=0.0,  # a signal to bubblewrap reaches nobody inside: its end is what ends them
            )
            begun = line.ended()
            late = ran.timed_out or ran.seconds >= limits.seconds
        finally:
            line.close()
            if group:
                group.close()
        if not begun and not ran.timed_out:
            raise SandboxError(f"bubblewrap could not open the sandbox, nothing was run: {ran.output.strip()[-500:]}")
        return replace(ran, exit_code=None, timed_out=True) if late else ran

    def give(self, name: str, content: bytes) -> str:
        """Put a file into the report directory."""
        return self._reports.give(name, content)

    def collect(self, name: str, limit: int = 64 * 1024**2) -> bytes | None:
        """A plain file of the report directory, or None."""
        return self._reports.collect(name, limit)

    def _arguments(self, limits: Limits, extra: Mapping[str, str]) -> list[str]:
        variables = variables_for(self._environment, home=mounts.HOME, temporary="/tmp", extra=extra)  # noqa: S108 - in the box
        own = [] if self._identity is not None else ["--unshare-user", "--disable-userns"]
        own += [] if self._identity is not None else ["--uid", str(_MAPPED_ID), "--gid", str(_MAPPED_ID)]
        shown: list[mounts.Mount] = [
            *self._system,
            *mounts.private(limits.memory),
            *mounts.environment_mounts(self._environment, self._tree),
            ("--bind", str(self._tree), mounts.TREE),
            *self._git,
            ("--bind", str(self._reports.path), mounts.REPORTS),
            ("--ro-bind", str(self._inside), mounts.INSIDE),
            *_opened(self._opening, self._tree),
        ]
        return [
            *("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try", *own),
            *("--die-with-parent", "--new-session", "--hostname", "sandbox", "--clearenv"),
            *(word for name, value in variables.items() for word in ("--setenv", name, value)),
            *mounts.words(shown),
            *("--remount-ro", "/", "--chdir", mounts.TREE),
        ]

    def _dropping(self, limits: Limits, *, bounded: bool) -> list[str]:
        """Resource limits, then (run by root) the slot's id without any capability."""
        sizes = [f"--fsize={limits.file_size}", f"--nproc={limits.processes}", "--core=0", "--nofile=4096"]
        if not bounded:
            sizes.append(f"--data={limits.memory}")
        drop = ["/usr/bin/setpriv", "--no-new-privs"]
        if self._identity is not None:
            drop += [f"--reuid={self._identity}", f"--regid={self._identity}", "--clear-groups"]
            drop += ["--inh-caps=-all", "--bounding-set=-all"]
        return ["/usr/bin/prlimit", *sizes, "--", *drop, "--"]


def _warning(limits: Limits) -> list[str]:
    """Ends the command's group from inside, where TERM reaches it: what it has to tidy up it may."""
    return ["/usr/bin/timeout", "-s", "TERM", "-k", f"{GRACE_SECONDS}", f"{limits.seconds:.3f}"]


def _cover(tree: Path, private: Path, identity: int | None) -> tuple[mounts.Mount, ...]:
    """Mounts that lay our `.git` over the tree's."""
    point, ours = f"{mounts.TREE}/.git", str(private / "git")
    if not throwaway.mount_point(tree):
        return (("--ro-bind", ours, point),)
    # a worktree's .git is a file that points to the mirror, which is not there inside: point it to ours
    pointer = private / "pointer"
    pointer.write_text(f"gitdir: {mounts.GIT}\n", encoding="utf-8")
    if identity is not None:
        os.chown(pointer, identity, identity)  # git distrusts a pointer that belongs to somebody else
    return (("--ro-bind", ours, mounts.GIT), ("--ro-bind", str(pointer), point))


def _opened(opening: Opening | None, tree: Path) -> tuple[mounts.Mount, ...]:
    """Mounts of set-up's box alone: its folder, writable, and the way to the proxy."""
    if opening is None:
        return ()
    folder = str(opening.folder)
    mounts.check_mount(folder, tree)
    return (("--bind", folder, folder), ("--ro-bind", str(opening.egress), EGRESS))


class BubblewrapSandbox(Sandbox):
    """Opens boxes with bubblewrap; `parent` is where their private folders are made, `inside` our modules."""

    name = "bubblewrap"

    def __init__(self, parent: Path | None = None, inside: Path = INSIDE) -> None:
        self._parent = parent
        self._inside = inside

    @contextmanager
    def open(self, tree: Path, environment: Environment) -> Iterator[Box]:
        """Open a box on a clean tree; run by root, the tree belongs to the box's own user id from then on."""
        with self._open(tree, environment, None) as box:
            yield box

    @contextmanager
    def open_for_setup(self, tree: Path, environment: Environment, opening: Opening) -> Iterator[Box]:
        """The same with a writable folder and a way to the proxy; the folder belongs to the box's id as well."""
        with self._open(tree, environment, opening) as box:
            yield box

    @contextmanager
    def _open(self, tree: Path, environment: Environment, opening: Opening | None) -> Iterator[Box]:
        with ExitStack() as stack:
            identity = stack.enter_context(slot()) if os.geteuid() == 0 else None
            private = Path(tempfile.mkdtemp(prefix="bendcoder-box-", dir=self._parent))
            stack.callback(remove_tree, private)
            real = tree.resolve(strict=True)
            stack.callback(throwaway.remove_mount_point, real)
            yield BubblewrapBox(
                tree=real,
                environment=environment,
                private=private,
                inside=self._inside,
                identity=identity,
                opening=opening,
            )


def probe(environment: Environment) -> str:
    """Why bubblewrap cannot be used here with this Environment, as a sentence for a person; empty when it can."""
    for program, package in _PROGRAMS.items():
        if shutil.which(program, path=_OWN_VARIABLES["PATH"]) is None:
            return f"`{program}` is not installed; install it with `apt-get install -y {package}`"
    argv = [environment.python, "-c", "pass"] if environment.python else ["true"]
    try:
        with (
            tempfile.TemporaryDirectory(prefix="bendcoder-probe-") as folder,
            BubblewrapSandbox().open(Path(folder), environment) as box,
        ):
            ran = box.run(argv, Limits(seconds=20))
    except SandboxError as error:
        return str(error.args[0])
    if ran.exit_code == 0:
        return ""
    return f"`{argv[0]}` does not run inside: {ran.output.strip()[-300:]}"
