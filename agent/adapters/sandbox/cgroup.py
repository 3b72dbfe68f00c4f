"""Bounds memory and processes of one command by a control group (v2 or v1) when we may make one.

Must leave no group behind; where none can be made the caller falls back to resource limits.
"""

import contextlib
import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

from agent.ports import Limits

ROOT = Path("/sys/fs/cgroup")
OWN = Path("/proc/self/cgroup")

OVERHEAD = 5
"""Processes of ours in the group besides the command's: bubblewrap's two, what starts the command, what ends it."""

JOIN = 'while [ "$1" != -- ]; do echo $$ > "$1" || exit 71; shift; done; shift; exec "$@"'
"""A shell script that puts itself into the groups named before `--`, then becomes the command after it."""

_WAIT_SECONDS = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """One command's control group: one folder (v2), or one per controller (v1)."""

    folders: tuple[Path, ...]

    def joining(self, argv: list[str]) -> list[str]:
        """The command that joins the group before it becomes `argv`, so that no child can be left outside."""
        return ["/bin/sh", "-c", JOIN, "join", *(str(folder / "cgroup.procs") for folder in self.folders), "--", *argv]

    def close(self) -> None:
        """Kill whatever is left in the group and remove it."""
        deadline = time.monotonic() + _WAIT_SECONDS
        for folder in self.folders:
            while True:
                for pid in _members(folder):
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
                try:
                    folder.rmdir()
                except FileNotFoundError:
                    break
                except OSError:
                    if time.monotonic() > deadline:
                        break  # somebody of the group is stuck in the kernel; an empty group costs nothing
                    time.sleep(0.002)
                    continue
                break


def _members(folder: Path) -> list[int]:
    try:
        return [int(line) for line in (folder / "cgroup.procs").read_text(encoding="utf-8").split()]
    except OSError:
        return []


def make(name: str, limits: Limits, root: Path = ROOT, own: Path = OWN) -> Group | None:
    """A group called `name` with the limits' memory and processes; None when this machine does not let us."""
    try:
        lines = own.read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    rows = [line.split(":", 2) for line in lines]
    paths = {controller: path for _, names, path in rows for controller in names.split(",")}
    return _version_two(name, limits, root, paths.get("", "/")) or _version_one(name, limits, root, paths)


def _version_two(name: str, limits: Limits, root: Path, own: str) -> Group | None:
    here = root / own.lstrip("/")
    for parent in dict.fromkeys((here, here.parent, root)):
        if not parent.is_relative_to(root):
            continue
        try:
            enabled = (parent / "cgroup.subtree_control").read_text(encoding="utf-8").split()
        except OSError:
            continue
        if {"memory", "pids"} <= set(enabled):
            values = {
                "memory.max": limits.memory,
                "memory.swap.max": 0,
                "pids.max": limits.processes + OVERHEAD,
            }
            return _create((parent / name,), (values,), optional=("memory.swap.max",))
    return None


def _version_one(name: str, limits: Limits, root: Path, paths: dict[str, str]) -> Group | None:
    if not {"memory", "pids"} <= paths.keys():
        return None
    memory = {"memory.limit_in_bytes": limits.memory, "memory.memsw.limit_in_bytes": limits.memory}
    folders = tuple(root / controller / paths[controller].lstrip("/") / name for controller in ("memory", "pids"))
    values = (memory, {"pids.max": limits.processes + OVERHEAD})
    return _create(folders, values, optional=("memory.memsw.limit_in_bytes",))


def _create(folders: tuple[Path, ...], values: tuple[dict[str, int], ...], optional: tuple[str, ...]) -> Group | None:
    group = Group(folders=folders)
    try:
        for folder, wanted in zip(folders, values, strict=True):
            folder.mkdir()
            for file, value in wanted.items():
                if file in optional and not (folder / file).exists():
                    continue
                (folder / file).write_text(str(value), encoding="utf-8")
    except OSError:
        group.close()
        return None
    return group
