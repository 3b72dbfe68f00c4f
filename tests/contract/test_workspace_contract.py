"""What every workspace and its checkouts promise, over the plain folder's and git's."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from agent.adapters.workspace.directory import copies_of
from agent.domain.edit import Change
from agent.errors import WorkspaceError
from agent.ports import Checkouts, Workspace
from worker.errors import GitError
from worker.git.jobtree import job_tree

LATIN = b"caf\xe9\r\n\xef\xbb\xbfno newline at the end"


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    workspace: Workspace
    checkouts: Checkouts
    tree: str
    """git's own id of the base's tree."""


def git(folder: Path, *argv: str) -> str:
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": "/nonexistent",
        "GIT_CONFIG_NOSYSTEM": "1",
        **{f"GIT_{who}_{what}": "t@t" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
    }
    done = subprocess.run(["git", *argv], cwd=folder, env=environment, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture(params=["folder", "git"])
def room(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Room]:
    root = tmp_path / "project"
    (root / "pkg").mkdir(parents=True)
    (root / "pkg/mod.py").write_bytes(b"x = 1\n")
    (root / "latin.txt").write_bytes(LATIN)
    (root / "run.sh").write_bytes(b"#!/bin/sh\n")
    (root / "run.sh").chmod(0o755)
    (root / "link").symlink_to("pkg")
    (root / ".gitattributes").write_bytes(b"*.txt text eol=lf\n")
    git(root, "init", "-q")
    git(root, "-c", "core.attributesFile=/dev/null", "add", "pkg", "run.sh", "link")
    blob = git(root, "hash-object", "-w", "--no-filters", "latin.txt")
    git(root, "update-index", "--add", "--cacheinfo", f"100644,{blob},latin.txt")
    git(root, "add", ".gitattributes")
    git(root, "commit", "-qm", "base")
    tree = git(root, "rev-parse", "HEAD^{tree}")
    if request.param == "folder":
        with copies_of(root) as copies:
            yield Room(workspace=copies.workspace, checkouts=copies.checkouts, tree=tree)
    else:
        (tmp_path / "rooms").mkdir()
        with job_tree(root / ".git/objects", git(root, "rev-parse", "HEAD"), tmp_path / "rooms") as job:
            yield Room(workspace=job.workspace, checkouts=job.checkouts, tree=tree)


def test_entries_are_the_plain_tracked_files(room: Room) -> None:
    entries = room.workspace.entries()
    assert [(entry.path, entry.mode, entry.size) for entry in entries] == [
        (".gitattributes", 0o100644, 18),
        ("latin.txt", 0o100644, len(LATIN)),
        ("pkg/mod.py", 0o100644, 6),
        ("run.sh", 0o100755, 10),
    ]


def test_bytes_come_as_they_were_committed(room: Room) -> None:
    assert room.workspace.read("latin.txt") == LATIN
    with room.checkouts.base() as base:
        assert (base.path / "latin.txt").read_bytes() == LATIN
        assert (base.path / "link").readlink() == Path("pkg")
        assert not (base.path / ".git").exists()


def test_links_git_and_the_outside_are_refused(room: Room) -> None:
    for path in ("link", "link/mod.py", ".git/config", "../x", "/etc/passwd", "absent", "pkg"):
        with pytest.raises(WorkspaceError):
            room.workspace.read(path)
    for path in ("link", "link/new.py", ".git/config", "../x", "pkg", "run.sh/x"):
        with pytest.raises(WorkspaceError):
            room.workspace.write(path, b"evil")
    assert room.workspace.changes() == ()


def test_a_search_names_the_text_files_of_the_run_as_they_are_now(room: Room) -> None:
    work = room.workspace
    assert list(work.grep("x = 1")) == ["pkg/mod.py"]
    assert list(work.grep("#!")) == ["run.sh"]
    assert list(work.grep("NO NEWLINE", ignore_case=True)) == ["latin.txt"]
    assert list(work.grep("NO NEWLINE")) == []
    assert list(work.grep("x", under="pkg")) == ["pkg/mod.py"]
    assert list(work.grep("eol")) == []  # only dot files hold it
    assert work.lines(["X = 1", "bin/"]) == {"pkg/mod.py": b"x = 1", "run.sh": b"#!/bin/sh"}
    start = work.checkpoint()
    work.write("new/deep.py", b"x = 1\n")
    work.write("run.sh", b"#!\0")
    work.delete("pkg/mod.py")
    assert list(work.grep("x = 1")) == ["new/deep.py"]
    assert list(work.grep("#!")) == []
    work.restore(start)
    assert list(work.grep("x = 1")) == ["pkg/mod.py"]
    for text in ("", "a\nb", "a\0"):
        with pytest.raises(ValueError, match="not a piece of one line"):
            work.grep(text)
        with pytest.raises(ValueError, match="not a piece of one line"):
            work.lines(["x", text])
    for under in ("link", "absent", "run.sh", "../x", ".git", "/etc"):
        with pytest.raises(WorkspaceError):
            work.grep("x", under=under)
        with pytest.raises(WorkspaceError):
            work.lines(["x"], under=under)


def test_a_run_is_told_as_changes_and_can_go_back(room: Room) -> None:
    work = room.workspace
    start = work.checkpoint()
    work.write("run.sh", LATIN)
    work.write("new/deep.py", b"")
    work.delete("pkg/mod.py")
    assert work.changes() == (
        Change(path="new/deep.py", before=None, after=b""),
        Change(path="pkg/mod.py", before=b"x = 1\n", after=None),
        Change(path="run.sh", before=b"#!/bin/sh\n", after=LATIN, mode=0o100755),
    )
    assert [entry.path for entry in work.entries()] == [".gitattributes", "latin.txt", "new/deep.py", "run.sh"]
    work.restore(start)
    assert work.changes() == ()
    assert work.read("pkg/mod.py") == b"x = 1\n"


def test_checkouts_name_their_tree_and_share_nothing(room: Room) -> None:
    with room.checkouts.base() as one, room.checkouts.base() as two:
        assert one.tree == two.tree == room.tree
        (one.path / "pkg/mod.py").write_bytes(b"spoiled")
        assert (two.path / "pkg/mod.py").read_bytes() == b"x = 1\n"
        kept = one.path
    assert not kept.exists()


def test_changed_checkouts_hold_exactly_the_changes(room: Room) -> None:
    room.workspace.write("run.sh", b"#!/bin/bash\n")
    room.workspace.write("new/deep.py", b"y = 1\r\n")
    room.workspace.delete("pkg/mod.py")
    changes = room.workspace.changes()
    with room.checkouts.of(changes) as first, room.checkouts.of(changes) as second, room.checkouts.base() as base:
        assert first.tree == second.tree != base.tree == room.tree
        assert (first.path / "run.sh").stat().st_mode & 0o777 == 0o755
        assert (first.path / "new/deep.py").read_bytes() == b"y = 1\r\n"
        assert not (first.path / "pkg").exists()


def test_a_change_outside_of_the_tree_never_lands(room: Room, tmp_path: Path) -> None:
    for path in ("../evil", ".git/hooks/evil", "pkg/../../evil"):
        change = Change(path=path, before=None, after=b"evil")
        with suppress(WorkspaceError, GitError), room.checkouts.of([change]) as changed:
            assert not (changed.path / path).exists()
            assert not (changed.path.parent / "evil").exists()
    assert list(tmp_path.rglob("evil")) == []
