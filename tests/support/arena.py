"""Small repositories in which one run after the other plays, between files that nobody may touch.

What a run writes is undone through its own workspace; whatever is not as before then was written behind its back.
"""

import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import agent
from agent.adapters.workspace.directory import DirectoryCheckouts, snapshot
from agent.domain.result import RunResult
from agent.domain.task import Commands, Options, Task
from agent.ports import Classifier, Entry, Generator, Ports
from agent.resuming import resumed
from agent.trace import JsonLines, Record, read_trace
from tests.support.agent_runs import write_tree
from tests.support.toy_suite import (
    CHECK,
    ENVIRONMENT,
    IMPOSSIBLE,
    PYTEST,
    SCRIPT,
    ToyCheckouts,
    ToySandbox,
    ToyWorkspace,
    Watch,
    digest_of,
    same,
)

GOAL = "alpha() is wrong\n\nIt gives 1. See beta in tests/test_toy.py, and `free.py`."
ALPHA = b'"""Alpha."""\n\n\ndef alpha():\n    return 1\n\n\ndef more():\n    return alpha()\n'
FREE = b"# nobody tests this\nX = 1\nY = 2\n"
GREEN = {
    "alpha.py": ALPHA,
    "free.py": FREE,
    "README.md": b"# Toy\r\n\r\nNo final newline",
    "sub/long.txt": b"".join(b"%d\n" % number for number in range(300)),
    "empty.py": b"",
    "data.bin": b"\0\1\2\xff" * 50,
    "tests/test_toy.py": same("beta", "alpha.py", digest_of(ALPHA)) + same("gamma", "alpha.py", digest_of(ALPHA)),
}
RED = {**GREEN, "tests/test_red.py": same("red", "free.py", IMPOSSIBLE) + same("far", "sub/long.txt", IMPOSSIBLE)}
WORLDS: Mapping[str, tuple[Mapping[str, bytes], Commands]] = {
    "green": (GREEN, Commands(verify=PYTEST)),
    "red": (RED, Commands(verify=PYTEST)),
    "checked": (RED, Commands(verify=PYTEST, check=CHECK)),
    "script": (GREEN, Commands(verify=SCRIPT)),
    "red script": (RED, Commands(verify=SCRIPT, check=CHECK)),
    "hanging": ({**GREEN, "free.py": b"toy: hang\n"}, Commands(verify=PYTEST)),
    "torn": ({**GREEN, "free.py": b"toy: torn\n"}, Commands(verify=PYTEST)),
}
UNUSABLE = ("hanging", "torn")


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """One repository: as somebody gave it, and the tree in which one run after the other edits it."""

    name: str
    tree: Path
    entries: tuple[Entry, ...]
    files: Mapping[str, bytes]
    commands: Commands
    checkouts: ToyCheckouts


@dataclass(frozen=True, slots=True, kw_only=True)
class Arena:
    """A folder with repositories, their trees, and a file nobody may touch."""

    root: Path
    worlds: tuple[World, ...]
    trace: Path

    def seen(self, *, whole: bool = False) -> dict[str, tuple[int, ...]]:
        """What lies beside the trees; `whole`: and in every folder but the trees, the checkouts and that of the trace.

        A write changes what is seen of a file, and a file that comes and goes what is seen of its folder.
        """
        trees = {str(world.tree) for world in self.worlds} | {str(self.root / "checkouts"), str(self.trace.parent)}
        return dict(_stamps(str(self.root), trees, deep=whole))


def _stamps(folder: str, but: Collection[str], *, deep: bool) -> Iterator[tuple[str, tuple[int, ...]]]:
    for entry in os.scandir(folder):
        status = entry.stat(follow_symlinks=False)
        if entry.is_dir(follow_symlinks=False):
            if entry.path in but:
                continue
            yield entry.path, (status.st_ino, status.st_ctime_ns)
            if deep:
                yield from _stamps(entry.path, but, deep=True)
        else:
            yield entry.path, (status.st_ino, status.st_mode, status.st_size, status.st_ctime_ns)


@contextmanager
def arena_in(root: Path) -> Iterator[Arena]:
    """An arena in an empty folder, for as long as the block lasts."""
    (root / "outside.txt").write_text("not yours")
    (root / "traces").mkdir()
    (root / "checkouts").mkdir()
    with ExitStack() as stack:
        worlds = [_made(root, name, stack) for name in WORLDS]
        yield Arena(root=root, worlds=tuple(worlds), trace=root / "traces" / "trace.jsonl")


def _made(root: Path, name: str, stack: ExitStack) -> World:
    files, commands = WORLDS[name]
    source = write_tree(root / name, files)
    (source / "link").symlink_to("../outside.txt")
    (source / "linked").symlink_to("..")
    (source / ".git").mkdir()
    (source / ".git" / "config").write_text("[core]\n")
    entries = snapshot(source)
    tree = stack.enter_context(DirectoryCheckouts(source, entries, root).base()).path
    checkouts = ToyCheckouts(source, entries, root / "checkouts")
    stack.callback(checkouts.close)
    return World(name=name, tree=tree, entries=entries, files=files, commands=commands, checkouts=checkouts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """One run as it was left."""

    world: World
    options: Options
    result: RunResult
    trace: tuple[Record, ...]


def play(
    arena: Arena,
    world: World,
    classifier: Classifier,
    generator: Generator,
    options: Options,
    *,
    goes_on: bool = False,
) -> Ended:
    """One run in a fresh copy of a world."""
    watch = Watch()
    if not goes_on:
        arena.trace.write_bytes(b"")
    sink = resumed(arena.trace, "noise", watch, watch) if goes_on else JsonLines(arena.trace, "noise", watch)
    workspace = ToyWorkspace(world.tree, world.entries)
    untouched = workspace.checkpoint()
    with closing(sink):
        ports = Ports(
            classifier=classifier,
            generator=generator,
            workspace=workspace,
            checkouts=world.checkouts,
            sandbox=ToySandbox(watch),
            trace=sink,
            clock=getattr(sink, "now", watch),
            cancelled=lambda: False,
        )
        result = agent.run(Task(run_id="noise", title=GOAL, body=""), options, ENVIRONMENT, ports)
    workspace.restore(untouched)
    assert snapshot(world.tree) == world.entries, "the run has written what its workspace does not know of"
    trace = tuple(read_trace(arena.trace, every_kind=True))
    return Ended(world=world, options=options, result=result, trace=trace)
