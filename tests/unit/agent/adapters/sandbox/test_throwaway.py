"""The `.git` a box shows: valid to git itself, one commit, the tree's files and nothing else."""

import os
import subprocess
from pathlib import Path

import pytest

from agent.adapters.sandbox.throwaway import build, mount_point, remove_mount_point
from agent.errors import SandboxError


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    (root / "a/b").mkdir(parents=True)
    (root / "a/b/long.bin").write_bytes(os.urandom(70_000) + b"\0\r\n")
    (root / "a/same").write_bytes(b"same\n")
    (root / "same").write_bytes(b"same\n")
    (root / "a.txt").write_bytes(b"")
    (root / "run").write_bytes(b"#!/bin/sh\n")
    (root / "run").chmod(0o755)
    (root / "link").symlink_to("a/b")
    (root / ("ü" * 60 + ".txt")).write_bytes(b"long name\n")
    (root / ("x" * 200)).mkdir()
    return root


def git(tree: Path, at: Path, *argv: str) -> str:
    environment = {"PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1", "HOME": "/nonexistent"}
    command = ["git", f"--git-dir={at}", f"--work-tree={tree}", "-c", "core.quotePath=false", *argv]
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout


def test_git_finds_one_sound_commit_and_nothing_changed(tree: Path, tmp_path: Path) -> None:
    at = tmp_path / "git"
    head = build(tree, at)
    assert git(tree, at, "fsck", "--strict", "--full") == ""
    assert git(tree, at, "rev-list", "--all").split() == [head]
    assert git(tree, at, "status", "--porcelain", "--untracked-files=all") == ""
    assert git(tree, at, "remote") == ""
    listed = git(tree, at, "ls-files").splitlines()
    assert sorted(listed) == sorted(["a/b/long.bin", "a/same", "same", "a.txt", "run", "link", "ü" * 60 + ".txt"])
    assert git(tree, at, "ls-tree", "HEAD", "run", "link").split()[0::4] == ["120000", "100755"]
    (tree / "same").write_bytes(b"other\n")
    (tree / "new").write_bytes(b"")
    assert sorted(git(tree, at, "status", "--porcelain").splitlines()) == [" M same", "?? new"]


def test_git_would_have_named_the_tree_alike(tree: Path, tmp_path: Path) -> None:
    ours, real = tmp_path / "ours", tmp_path / "real"
    build(tree, ours)
    subprocess.run(["git", "init", "-q", "--bare", str(real)], check=True)
    git(tree, real, "add", "-A")
    assert git(tree, ours, "rev-parse", "HEAD^{tree}") == git(tree, real, "write-tree")


def test_the_same_tree_gives_the_same_commit(tree: Path, tmp_path: Path) -> None:
    assert build(tree, tmp_path / "one") == build(tree, tmp_path / "two")


def test_an_empty_tree_is_a_commit_as_well(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    build(tmp_path / "tree", tmp_path / "git")
    assert git(tmp_path / "tree", tmp_path / "git", "status", "--porcelain") == ""


def test_what_is_git_or_no_file_is_left_out(tree: Path, tmp_path: Path) -> None:
    (tree / ".git").mkdir()
    (tree / ".git/config").write_text("hostile\n")
    (tree / "a/.GIT").write_text("gitdir: /elsewhere\n")
    os.mkfifo(tree / "pipe")
    build(tree, tmp_path / "git")
    listed = git(tree, tmp_path / "git", "ls-files")
    assert ".git" not in listed.lower()
    assert "pipe" not in listed


def test_links_are_kept_as_links(tree: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "key").write_text("hunter2\n")
    (tree / "out").symlink_to(secret)
    build(tree, tmp_path / "git")
    assert git(tree, tmp_path / "git", "show", "HEAD:out") == str(secret)
    assert b"hunter2" not in b"".join(path.read_bytes() for path in (tmp_path / "git").rglob("*") if path.is_file())


def test_the_mount_point_comes_and_goes(tree: Path) -> None:
    assert mount_point(tree) is False
    assert (tree / ".git").is_dir()
    remove_mount_point(tree)
    assert not (tree / ".git").exists()
    (tree / ".git").write_text("gitdir: /mirror/worktrees/x\n")
    assert mount_point(tree) is True
    remove_mount_point(tree)
    assert (tree / ".git").read_text() == "gitdir: /mirror/worktrees/x\n"
    (tree / ".git").unlink()
    (tree / ".git").symlink_to("/etc")
    with pytest.raises(SandboxError):
        mount_point(tree)
