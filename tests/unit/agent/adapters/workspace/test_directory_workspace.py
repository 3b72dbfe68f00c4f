"""A workspace on a plain folder: nothing outside the root, nothing under .git, bytes and modes survive."""

import os
import subprocess
import sys
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.adapters.workspace.directory import MAX_READ, DirectoryCheckouts, DirectoryWorkspace, copies_of
from agent.adapters.workspace.objects import tree_id
from agent.adapters.workspace.paths import parts_of, remove_tree
from agent.adapters.workspace.trees import snapshot
from agent.domain.edit import Change
from agent.errors import WorkspaceError
from agent.ports import Entry

CRLF = b"\xef\xbb\xbfone\r\ntwo\r\nno final newline"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "pkg").mkdir(parents=True)
    (root / "pkg/mod.py").write_bytes(b"x = 1\n")
    (root / "dos.txt").write_bytes(CRLF)
    (root / "run.sh").write_bytes(b"#!/bin/sh\n")
    (root / "run.sh").chmod(0o755)
    (root / "pkg.txt").write_bytes(b"sorts before pkg/ in git\n")
    (root / "link").symlink_to("pkg/mod.py")
    (root / ".git").mkdir()
    (root / ".git/config").write_text("[core]\n")
    return root


def git(root: Path, *argv: str) -> str:
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(["git", *argv], cwd=root, env=environment, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def real_tree(root: Path, at: Path) -> str:
    """What git itself says the tree of a folder is."""
    git(root, "init", "-q", "--bare", str(at))
    git(root, f"--git-dir={at}", f"--work-tree={root}", "add", "-A")
    return git(root, f"--git-dir={at}", "write-tree")


def test_entries_are_plain_files_with_gits_own_ids_and_modes(folder: Path) -> None:
    entries = {entry.path: entry for entry in DirectoryWorkspace(folder).entries()}
    assert sorted(entries) == ["dos.txt", "pkg.txt", "pkg/mod.py", "run.sh"]
    assert entries["run.sh"].mode == 0o100755
    assert entries["dos.txt"].size == len(CRLF)
    assert entries["dos.txt"].blob == git(folder, "hash-object", "--no-filters", "dos.txt")


def test_tracked_paths_limit_what_there_is(folder: Path) -> None:
    work = DirectoryWorkspace(folder, snapshot(folder, ["pkg/mod.py"]))
    assert [entry.path for entry in work.entries()] == ["pkg/mod.py"]
    with pytest.raises(WorkspaceError, match="not tracked"):
        work.read("dos.txt")
    with pytest.raises(WorkspaceError, match="untracked"):
        work.write("dos.txt", b"")
    assert (folder / "dos.txt").read_bytes() == CRLF


@pytest.mark.parametrize(
    "path",
    [
        *("", "/etc/passwd", "../x", "pkg/../../x", "a//b", "./a", "a/", ".git/config", ".GIT/config", "pkg/.git/x"),
        *("a\0b", ".git./config", "git~1/config", ".g\u200cit/config", ".git::$INDEX_ALLOCATION/x"),
    ],
)
def test_names_that_could_leave_the_tree_or_reach_git_are_refused(folder: Path, path: str) -> None:
    work = DirectoryWorkspace(folder)
    for use in (work.read, work.delete, lambda name: work.write(name, b"evil")):
        with pytest.raises(WorkspaceError):
            use(path)
    assert (folder / ".git/config").read_text() == "[core]\n"
    assert work.changes() == ()


def test_links_are_never_followed(folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "mod.py").write_bytes(b"secret\n")
    work = DirectoryWorkspace(folder)
    with pytest.raises(WorkspaceError):
        work.read("link")
    with pytest.raises(WorkspaceError):
        work.write("link", b"evil")
    remove_tree(folder / "pkg")
    (folder / "pkg").symlink_to(outside)
    for use in (work.read, work.delete, lambda name: work.write(name, b"evil")):
        with pytest.raises(WorkspaceError):
            use("pkg/mod.py")
    with pytest.raises(WorkspaceError):
        work.write("pkg/new.py", b"evil")
    assert [path.name for path in outside.iterdir()] == ["mod.py"]
    assert (outside / "mod.py").read_bytes() == b"secret\n"


def test_a_named_pipe_in_place_of_a_file_does_not_block(folder: Path) -> None:
    work = DirectoryWorkspace(folder)
    (folder / "dos.txt").unlink()
    os.mkfifo(folder / "dos.txt")
    with pytest.raises(WorkspaceError):
        work.read("dos.txt")
    (folder / "run.sh").unlink()
    (folder / "run.sh").mkdir()
    for use in (work.read, work.delete, lambda name: work.write(name, b"x")):
        with pytest.raises(WorkspaceError):
            use("run.sh")


def test_write_keeps_bytes_mode_and_other_hard_links(folder: Path, tmp_path: Path) -> None:
    twin = tmp_path / "twin"
    os.link(folder / "run.sh", twin)
    work = DirectoryWorkspace(folder)
    work.write("run.sh", CRLF)
    work.write("deep/new.py", b"")
    assert (folder / "run.sh").read_bytes() == work.read("run.sh") == CRLF
    assert (folder / "run.sh").stat().st_mode & 0o777 == 0o755
    assert (folder / "deep/new.py").stat().st_mode & 0o777 == 0o644
    assert twin.read_bytes() == b"#!/bin/sh\n"
    assert work.changes() == (
        Change(path="deep/new.py", before=None, after=b""),
        Change(path="run.sh", before=b"#!/bin/sh\n", after=CRLF, mode=0o100755),
    )


def test_a_write_that_fails_half_way_leaves_the_old_bytes_and_nothing_beside(folder: Path) -> None:
    code = (
        "import resource, signal, sys\n"
        "from pathlib import Path; from agent.adapters.workspace.paths import write_file\n"
        "from agent.errors import WorkspaceError\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "try: write_file(Path(sys.argv[1]), 'dos.txt', b'x' * 9999, 0o100644)\n"
        "except WorkspaceError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(folder)], capture_output=True, text=True, check=True)
    assert "cannot write 'dos.txt'" in done.stdout
    assert "the old bytes are untouched" in done.stdout
    assert (folder / "dos.txt").read_bytes() == CRLF
    assert [path.name for path in folder.iterdir() if path.name.startswith(".")] == [".git"]


def test_what_a_killed_process_left_behind_is_no_obstacle(folder: Path) -> None:
    (folder / f".bendcoder-{os.getpid()}-{zlib.crc32(b'run.sh'):08x}").write_bytes(b"half")
    DirectoryWorkspace(folder).write("run.sh", b"whole\n")
    assert (folder / "run.sh").read_bytes() == b"whole\n"
    assert [path.name for path in folder.iterdir() if path.name.startswith(".")] == [".git"]


@pytest.mark.parametrize("name", ["漢" * 80, "caf\udce9", "a\nb", "a..b", "~x", "-x"], ids=ascii)
def test_every_name_a_file_system_takes_is_written_read_and_deleted(folder: Path, name: str) -> None:
    work = DirectoryWorkspace(folder)
    work.write(f"new/{name}", b"x\n")
    assert work.read(f"new/{name}") == b"x\n"
    assert list(work.grep("x", under="new")) == [f"new/{name}"]
    work.delete(f"new/{name}")
    assert not (folder / "new").exists()


@pytest.mark.parametrize("name", ["漢" * 86, "x" * 256, "\ud800"], ids=lambda name: ascii(name)[:12])
def test_a_name_no_file_system_takes_leaves_no_folders_behind(folder: Path, name: str) -> None:
    with pytest.raises(WorkspaceError):
        DirectoryWorkspace(folder).write(f"new/{name}", b"x\n")
    assert not (folder / "new").exists()


def test_links_that_lead_nowhere_or_in_circles_break_no_listing(folder: Path) -> None:
    (folder / "dangling").symlink_to("absent")
    (folder / "circle").symlink_to("circle")
    (folder / "pkg/up").symlink_to("..")
    work = DirectoryWorkspace(folder)
    assert [entry.path for entry in work.entries()] == ["dos.txt", "pkg.txt", "pkg/mod.py", "run.sh"]
    assert list(work.grep("x = 1")) == ["pkg/mod.py"]
    for name in ("dangling", "circle"):
        with pytest.raises(WorkspaceError, match="plain file"):
            work.write(name, b"evil")
    with DirectoryCheckouts(folder).base() as base:
        assert (base.path / "circle").readlink() == Path("circle")


def test_a_file_that_fits_no_memory_is_left_alone(folder: Path) -> None:
    with (folder / "huge.bin").open("wb") as file:
        file.truncate(MAX_READ + 1)  # a hole: no disk, and it is not to be read
    tracked = [*snapshot(folder, ["dos.txt"]), Entry(path="huge.bin", blob="0" * 40, mode=0o100644, size=MAX_READ + 1)]
    work = DirectoryWorkspace(folder, tracked)
    with pytest.raises(WorkspaceError, match="left alone"):
        work.read("huge.bin")
    with pytest.raises(WorkspaceError, match="left alone"):
        work.write("huge.bin", b"")
    assert (folder / "huge.bin").stat().st_size == MAX_READ + 1
    assert work.changes() == ()


def test_a_link_out_of_the_tree_tells_nothing_of_what_lies_there(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "there").write_bytes(b"")
    (folder / "out").symlink_to("..")
    work = DirectoryWorkspace(folder)
    said = []
    for name in ("there", "not-there"):
        with pytest.raises(WorkspaceError) as caught:
            work.write(f"out/{name}", b"")
        said.append(str(caught.value).replace(name, "X"))
    assert said[0] == said[1]


def test_checkpoint_and_restore_bring_back_files_and_changes(folder: Path) -> None:
    work = DirectoryWorkspace(folder)
    start = work.checkpoint()
    work.write("pkg/mod.py", b"x = 2\n")
    middle = work.checkpoint()
    work.delete("pkg/mod.py")
    work.write("other/new.py", b"y = 1\n")
    assert not (folder / "pkg").exists()
    work.restore(middle)
    assert work.read("pkg/mod.py") == (folder / "pkg/mod.py").read_bytes() == b"x = 2\n"
    assert not (folder / "other").exists()
    assert [change.path for change in work.changes()] == ["pkg/mod.py"]
    work.restore(start)
    assert work.changes() == ()
    assert (folder / "pkg/mod.py").read_bytes() == b"x = 1\n"
    with pytest.raises(WorkspaceError):
        work.restore(object())


def test_what_the_suite_leaves_in_the_tree_is_no_change(folder: Path) -> None:
    work = DirectoryWorkspace(folder)
    (folder / "pkg/mod.py").write_bytes(b"rewritten by somebody else\n")
    (folder / "junk.log").write_bytes(b"")
    assert work.changes() == ()


def test_checkouts_name_the_tree_as_git_does(folder: Path, tmp_path: Path) -> None:
    remove_tree(folder / ".git")
    checkouts = DirectoryCheckouts(folder)
    with checkouts.base() as base:
        assert base.tree == real_tree(base.path, tmp_path / "one.git") == real_tree(folder, tmp_path / "two.git")
        assert (base.path / "link").readlink() == Path("pkg/mod.py")
        assert (base.path / "run.sh").stat().st_mode & 0o777 == 0o755
        (base.path / "pkg/mod.py").write_bytes(b"spoiled by the suite\n")
    changes = (
        Change(path="pkg/mod.py", before=b"x = 1\n", after=None),
        Change(path="pkg/new.sh", before=None, after=b"#!\n", mode=0o100755),
    )
    with checkouts.of(changes) as changed:
        assert changed.tree == real_tree(changed.path, tmp_path / "three.git")
        assert sorted(path.name for path in (changed.path / "pkg").iterdir()) == ["new.sh"]
        kept = changed.path
    assert not kept.exists()
    assert (folder / "pkg/mod.py").read_bytes() == b"x = 1\n"


def test_a_change_that_does_not_fit_the_base_is_refused(folder: Path) -> None:
    checkouts = DirectoryCheckouts(folder)
    for change in (
        Change(path="pkg/mod.py", before=b"x = 7\n", after=b""),
        Change(path="pkg/mod.py", before=None, after=b""),
        Change(path="absent.py", before=b"x", after=b""),
        Change(path=".git/hooks/post-checkout", before=None, after=b"evil"),
    ):
        with pytest.raises(WorkspaceError), checkouts.of([change]):
            pass


def test_a_base_that_changed_on_disk_is_noticed(folder: Path) -> None:
    checkouts = DirectoryCheckouts(folder)
    (folder / "dos.txt").write_bytes(b"later")
    with pytest.raises(WorkspaceError, match=r"dos\.txt"), checkouts.base():
        pass


def test_copies_leave_the_folder_alone(folder: Path) -> None:
    with copies_of(folder) as copies:
        copies.workspace.write("pkg/mod.py", b"x = 2\n")
        with copies.checkouts.base() as base:
            assert (base.path / "pkg/mod.py").read_bytes() == b"x = 1\n"
        with copies.checkouts.of(copies.workspace.changes()) as final:
            assert (final.path / "pkg/mod.py").read_bytes() == b"x = 2\n"
        assert (copies.root / "pkg/mod.py").read_bytes() == b"x = 2\n"
    assert (folder / "pkg/mod.py").read_bytes() == b"x = 1\n"
    assert not copies.root.exists()


def test_remove_tree_copes_with_endless_nesting(tmp_path: Path) -> None:
    root = tmp_path / "deep"
    root.mkdir()
    here = os.open(root, os.O_RDONLY)
    for _ in range(2000):
        os.mkdir("d" * 20, dir_fd=here)
        below = os.open("d" * 20, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    remove_tree(root)
    assert not root.exists()
    remove_tree(root)


@given(st.text(max_size=30))
def test_whatever_name_passes_has_plain_parts_only(path: str) -> None:
    try:
        parts = parts_of(path)
    except WorkspaceError:
        return
    assert "/".join(parts) == path
    assert not {"", ".", "..", ".git"} & set(parts)


def test_an_empty_tree_has_gits_well_known_id() -> None:
    assert tree_id([]) == "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
