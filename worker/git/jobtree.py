"""One job's working copy: a checkout of the base without a `.git`, a scratch repository, and clean checkouts beside it.

A linked worktree would share the mirror's configuration and hooks; borrowing objects costs the same and shares nothing.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from agent.ports import Checkouts, Workspace
from worker.git import scratch
from worker.git.checkouts import GitCheckouts
from worker.git.command import Git
from worker.git.folders import room
from worker.git.workspace import git_workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class GitJobTree:
    """worker.ports.JobTree."""

    base_sha: str
    workspace: Workspace
    checkouts: Checkouts
    git: Git
    """The scratch repository: commits made here borrow the base's objects."""
    room: Path
    memory: Path | None = None
    """Where what is learnt of blobs may be remembered, beside the mirror and as long as it; None: nowhere."""


@contextmanager
def job_tree(
    borrow: Path, commit: str, under: Path, *, object_format: str = "sha1", memory: Path | None = None
) -> Iterator[GitJobTree]:
    """Check out `commit` of the repository whose objects lie in `borrow`; everything is gone when the block ends."""
    with room(under, commit[:12]) as folder:
        git = scratch.create(folder / "scratch.git", borrow, object_format=object_format)
        checkouts = GitCheckouts(git=git, commit=commit, room=folder)
        tree = folder / "tree"
        checkouts.fill(tree)
        yield GitJobTree(
            base_sha=commit,
            workspace=git_workspace(tree, git, commit),
            checkouts=checkouts,
            git=replace(git, work_tree=None),
            room=folder,
            memory=memory,
        )
