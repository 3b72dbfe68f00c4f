"""A person's own checkout: what counts as dirty, what a run sees, and that nothing but one branch is left behind."""

import os
import shutil
from pathlib import Path

import pytest

from tests.support import gitrepo
from worker.domain import BotIdentity
from worker.errors import GitError
from worker.git import LocalRepository
from worker.git.jobtree import GitJobTree

BOT = BotIdentity(name="bendcoder", email="bendcoder@localhost")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "clone"
    gitrepo.make(folder, {"a.py": "x = 1\n", "b/c.txt": "c\n", ".gitignore": "*.log\n"})
    return folder


def _publish(repository: LocalRepository, tree: GitJobTree, slug: str = "fix-x") -> str:
    changes = tree.workspace.changes()
    with tree.checkouts.of(changes) as checkout:
        tree_id = checkout.tree
    return repository.publish(tree, changes=changes, message="Fix x", identity=BOT, tree_id=tree_id, slug=slug)


def test_untracked_and_ignored_files_do_not_make_a_checkout_dirty(folder: Path) -> None:
    gitrepo.write(folder, {"new.txt": "new\n", "debug.log": "noise\n"})
    assert LocalRepository.find(folder).dirty() == ()


@pytest.mark.parametrize("how", ["edited", "staged", "deleted", "mode"])
def test_tracked_changes_make_it_dirty(how: str, folder: Path) -> None:
    if how == "deleted":
        (folder / "a.py").unlink()
    elif how == "mode":
        (folder / "a.py").chmod(0o755)
    else:
        (folder / "a.py").write_text("x = 2\n")
    if how == "staged":
        gitrepo.git(folder, "add", "a.py")
        (folder / "a.py").write_text("x = 1\n")
    assert LocalRepository.find(folder).dirty() == ("a.py",)


def test_touching_a_file_changes_neither_the_answer_nor_the_index(folder: Path) -> None:
    os.utime(folder / "a.py", (1, 1))
    before = gitrepo.fingerprint(folder)
    assert LocalRepository.find(folder).dirty() == ()
    assert gitrepo.fingerprint(folder) == before


def test_a_checkout_with_converted_line_ends_is_clean(folder: Path) -> None:
    gitrepo.commit(folder, {".gitattributes": "*.txt text eol=crlf\n"})
    (folder / "b/c.txt").unlink()
    gitrepo.git(folder, "checkout", "--", "b/c.txt")
    assert (folder / "b/c.txt").read_bytes() == b"c\r\n"
    os.utime(folder / "b/c.txt", (1, 1))
    assert LocalRepository.find(folder).dirty() == ()


def test_a_run_that_keeps_nothing_leaves_every_byte_as_it_was(folder: Path, tmp_path: Path) -> None:
    before = gitrepo.fingerprint(folder)
    repository = LocalRepository.find(folder)
    with repository.tree(tmp_path / "room") as tree:
        tree.workspace.write("a.py", b"x = 2\n")
        with tree.checkouts.of(tree.workspace.changes()) as checkout:
            assert (checkout.path / "a.py").read_bytes() == b"x = 2\n"
    assert gitrepo.fingerprint(folder) == before
    assert [path.name for path in (tmp_path / "room").iterdir()] == [".door"]


def test_publishing_adds_a_branch_and_objects_and_nothing_else(folder: Path, tmp_path: Path) -> None:
    before = gitrepo.fingerprint(folder)
    repository = LocalRepository.find(folder)
    with repository.tree(tmp_path / "room") as tree:
        tree.workspace.write("a.py", b"x = 2\n")
        names = [_publish(repository, tree), _publish(repository, tree)]
    assert names == ["bendcoder/fix-x-1", "bendcoder/fix-x-2"]
    assert gitrepo.git(folder, "show", "bendcoder/fix-x-1:a.py") == "x = 2"
    assert gitrepo.git(folder, "rev-parse", "bendcoder/fix-x-1^") == repository.head
    gitrepo.git(folder, "fsck", "--strict")
    after = gitrepo.fingerprint(folder)
    assert {name: after[name] for name in before} == before
    added = {name.split("/")[1] for name in after.keys() - before.keys()}
    assert added == {"objects", "refs"}


def test_a_linked_worktree_is_a_checkout_too(folder: Path, tmp_path: Path) -> None:
    gitrepo.git(folder, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    gitrepo.commit(tmp_path / "side", {"a.py": "x = 5\n"})
    repository = LocalRepository.find(tmp_path / "side")
    assert repository.dirty() == ()
    with repository.tree(tmp_path / "room") as tree:
        assert tree.workspace.read("a.py") == b"x = 5\n"
        tree.workspace.write("a.py", b"x = 6\n")
        branch = _publish(repository, tree)
    assert gitrepo.git(folder, "show", f"{branch}:a.py") == "x = 6"


def test_nothing_the_repository_configures_is_run(folder: Path, tmp_path: Path) -> None:
    """Filters, a file monitor, hooks and an index that looks changed: `git status` would run all of them."""
    gitrepo.commit(folder, {".gitattributes": "*.py filter=evil\n"})
    evil = f"touch {tmp_path}/ran"
    for name in ("filter.evil.clean", "filter.evil.smudge", "core.fsmonitor", "core.sshCommand", "diff.external"):
        gitrepo.git(folder, "config", name, evil)
    for name in ("post-index-change", "reference-transaction", "post-checkout"):
        hook = folder / ".git/hooks" / name
        hook.write_text(f"#!/bin/sh\n{evil}\n")
        hook.chmod(0o755)
    os.utime(folder / "a.py", (1, 1))
    repository = LocalRepository.find(folder)
    assert repository.dirty() == ()
    with repository.tree(tmp_path / "room") as tree:
        tree.workspace.write("a.py", b"x = 2\n")
        _publish(repository, tree)
    assert not (tmp_path / "ran").exists()


def test_a_repository_of_sha256_ids_works(tmp_path: Path) -> None:
    folder = tmp_path / "long"
    folder.mkdir()
    gitrepo.git(folder, "init", "-q", "-b", "main", "--object-format=sha256")
    gitrepo.commit(folder, {"a.py": "x = 1\n"})
    repository = LocalRepository.find(folder)
    assert repository.dirty() == ()
    with repository.tree(tmp_path / "room") as tree, tree.checkouts.base() as checkout:
        assert len(checkout.tree) == 64
        assert (checkout.path / "a.py").read_text() == "x = 1\n"


def test_a_path_that_needs_quoting_can_be_borrowed_from(tmp_path: Path) -> None:
    folder = tmp_path / '"odd" ünï\tname'
    gitrepo.make(folder, {"a.py": "x = 1\n"})
    with LocalRepository.find(folder).tree(tmp_path / "room") as tree:
        assert tree.workspace.read("a.py") == b"x = 1\n"


def test_what_is_no_checkout_is_named_with_what_to_do(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    empty = tmp_path / "empty"
    empty.mkdir()
    gitrepo.git(empty, "init", "-q")
    for place, words in (
        (tmp_path / "nowhere", "is not a folder"),
        (tmp_path / "plain", "is not a git checkout"),
        (empty, "no commit yet"),
        (folder / "b", "name that folder instead"),
    ):
        with pytest.raises(GitError, match=words):
            LocalRepository.find(place)


def test_missing_objects_are_an_error_and_are_not_fetched(folder: Path, tmp_path: Path) -> None:
    """A partial clone names a remote to fetch from when an object lacks; the run must not follow it."""
    blob = gitrepo.git(folder, "rev-parse", "HEAD:a.py")
    (folder / ".git/objects" / blob[:2] / blob[2:]).unlink()
    gitrepo.git(folder, "config", "remote.origin.url", f"ext::sh -c touch% {tmp_path}/ran")
    gitrepo.git(folder, "config", "remote.origin.promisor", "true")
    with pytest.raises(GitError), LocalRepository.find(folder).tree(tmp_path / "room"):
        pytest.fail("a tree without one of its files was handed out")
    assert not (tmp_path / "ran").exists()
    assert [path.name for path in (tmp_path / "room").iterdir()] == [".door"]


def test_a_hostile_tree_cannot_be_written_outside_its_folder(tmp_path: Path) -> None:
    """Path names git would never make itself: `..` and `.git` inside a tree object, a link used as a folder."""
    folder = tmp_path / "clone"
    gitrepo.make(folder, {"a.py": "x = 1\n"})
    blob = gitrepo.git(folder, "rev-parse", "HEAD:a.py")
    for name in (b"..", b".git", b".GIT"):
        row = b"100644 " + name + b"\0" + bytes.fromhex(blob)
        tree = gitrepo.git(folder, "hash-object", "-t", "tree", "-w", "--literally", "--stdin", stdin=row)
        commit = gitrepo.git(folder, "commit-tree", tree, "-m", "x")
        gitrepo.git(folder, "update-ref", "refs/heads/bad", commit)
        (folder / ".git/HEAD").write_text("ref: refs/heads/bad\n")
        with pytest.raises(GitError), LocalRepository.find(folder).tree(tmp_path / "room"):
            pytest.fail("a hostile tree was checked out")
    shutil.rmtree(tmp_path / "room")
