"""Changes become a tree, or an error: a path git would skip in silence never goes missing unnoticed."""

from pathlib import Path

import pytest

from agent.domain.edit import Change
from tests.support import gitrepo
from worker.errors import GitError
from worker.git import scratch
from worker.git.command import Git


@pytest.fixture
def git(tmp_path: Path) -> Git:
    """A scratch repository with an index of one file."""
    gitrepo.make(tmp_path / "origin", {"a.py": "x = 1\n", "d/b.py": "y = 2\n"})
    made = scratch.create(tmp_path / "scratch.git", tmp_path / "origin/.git/objects")
    return scratch.read_index(made, gitrepo.git(tmp_path / "origin", "rev-parse", "HEAD"), tmp_path / "index")


def names(git: Git, tree: str) -> list[str]:
    return git.run("ls-tree", "-r", "-z", "--name-only", tree).decode().split("\0")[:-1]


def test_changes_make_a_tree(git: Git) -> None:
    changes = (
        Change(path="a.py", before=b"x = 1\n", after=None),
        Change(path="new/ü *.py", before=None, after=b"z\n"),
        Change(path="d/b.py", before=b"y = 2\n", after=b"y = 3\n"),
    )
    assert names(git, scratch.apply(git, changes)) == ["d/b.py", "new/ü *.py"]


@pytest.mark.parametrize(
    "path", ["../x", "/etc/x", ".git/config", "d/.GIT/hooks/x", "d/../x", "d//x", "./x", "", ".git", "git~1/x", "a\0b"]
)
@pytest.mark.parametrize("after", [b"z\n", None])
def test_a_path_out_of_the_tree_or_into_git_is_an_error(git: Git, path: str, after: bytes | None) -> None:
    honest = Change(path="a.py", before=b"x = 1\n", after=b"x = 2\n")
    with pytest.raises(GitError, match="cannot be put into a commit"):
        scratch.apply(git, (honest, Change(path=path, before=None, after=after)))


def test_a_path_git_alone_refuses_is_an_error(git: Git) -> None:
    with pytest.raises(GitError, match="git refuses the path"):
        scratch.apply(git, (Change(path="d\\.git\\x", before=None, after=b"z\n"),))
