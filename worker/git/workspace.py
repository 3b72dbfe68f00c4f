"""The files of one run as the agent sees them: a checked-out commit, listed by git and edited through path checks.

It holds no rule of its own: the agent's folder workspace records what a run did, and only that record is committed.
"""

from pathlib import Path

from agent.adapters.workspace.directory import DirectoryWorkspace
from agent.ports import Entry
from worker.git.command import Git
from worker.git.scratch import full_id

LIST_SECONDS = 120.0


def git_workspace(root: Path, git: Git, commit: str) -> DirectoryWorkspace:
    """The workspace on folder `root`, which holds the checked-out `commit` and no `.git`."""
    return DirectoryWorkspace(root, entries(git, commit))


def entries(git: Git, commit: str) -> tuple[Entry, ...]:
    """Every path of a commit with blob id, mode and size in bytes; no file is read for it."""
    listing = git.run("ls-tree", "-r", "-z", "--long", "--full-tree", full_id(commit), seconds=LIST_SECONDS)
    return tuple(_entry(line) for line in listing.split(b"\0")[:-1])


def _entry(line: bytes) -> Entry:
    """One line of `git ls-tree --long -z`: mode, type, id, size, tab, path."""
    facts, path = line.split(b"\t", 1)
    mode, _kind, blob, size = facts.split()
    return Entry(
        path=path.decode("utf-8", "surrogateescape"),
        blob=blob.decode(),
        mode=int(mode, 8),
        size=0 if size == b"-" else int(size),  # a submodule has no size here
    )
