"""Reads refs and commits back with GitPython: a second opinion on what git was told to make.

It never writes and never goes to the network (GitPython hands its children the whole environment of this process),
and closes what it opened: GitPython keeps files and child processes until told.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import git
from git.exc import ODBError

from worker.errors import GitError
from worker.git.command import bare_environment

ORIGIN = "refs/remotes/origin/"


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitFacts:
    """What a commit says of itself."""

    tree: str
    parents: tuple[str, ...]
    author: str
    message: str


def branches(git_dir: Path) -> Mapping[str, str]:
    """Branch name on the remote to commit id, as the last fetch left them."""
    with _opened(git_dir) as repository:
        found = (str(ref.path) for ref in git.RemoteReference.iter_items(repository, ORIGIN))
        return {
            path.removeprefix(ORIGIN): git.Reference.dereference_recursive(repository, path)
            for path in found
            if path != f"{ORIGIN}HEAD"
        }


def commit_facts(git_dir: Path, sha: str) -> CommitFacts:
    """Read a commit back by a second implementation of git's formats; GitError when it is not there."""
    with _opened(git_dir) as repository:
        try:
            commit = repository.commit(sha)
            message = commit.message if isinstance(commit.message, str) else commit.message.decode(errors="replace")
            return CommitFacts(
                tree=commit.tree.hexsha,
                parents=tuple(parent.hexsha for parent in commit.parents),
                author=f"{commit.author.name} <{commit.author.email}>",
                message=message,
            )
        except (ODBError, ValueError, OSError) as problem:
            raise GitError(f"The commit {sha[:12]} cannot be read back: {problem}", "") from problem


@contextmanager
def _opened(git_dir: Path) -> Iterator[git.Repo]:
    try:
        repository = git.Repo(git_dir, search_parent_directories=False)
    except (git.InvalidGitRepositoryError, git.NoSuchPathError) as problem:
        raise GitError(f"{git_dir.name} is not a git repository.", "") from problem
    repository.git.update_environment(**bare_environment(), GIT_DIR=str(git_dir))
    try:
        yield repository
    finally:
        repository.close()
