"""What of the host a box may show."""

from pathlib import Path

import pytest

from agent.adapters.sandbox.mounts import check_mount, environment_mounts, make_etc, outermost, private, system, words
from agent.domain.environment import Environment
from agent.errors import SandboxError


@pytest.mark.parametrize("path", ["/", "/etc", "/etc/ssl", "/root", "/home", "/proc/1", "/run/user", "/tmp", "/var"])
def test_too_much_of_the_host_is_refused(path: str, tmp_path: Path) -> None:
    with pytest.raises(SandboxError, match="too much"):
        check_mount(path, tmp_path)


def test_a_link_to_too_much_is_refused_too(tmp_path: Path) -> None:
    (tmp_path / "venv").symlink_to("/etc")
    with pytest.raises(SandboxError, match="too much"):
        check_mount(str(tmp_path / "venv"), Path("/nowhere"))


@pytest.mark.parametrize("path", ["relative", "/opt/../etc", "/does/not/exist"])
def test_what_is_no_folder_here_is_refused(path: str, tmp_path: Path) -> None:
    with pytest.raises(SandboxError):
        check_mount(path, tmp_path)


def test_the_trees_own_parent_is_refused(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    with pytest.raises(SandboxError, match="holds the tree"):
        check_mount(str(tmp_path), tmp_path / "tree")
    (tmp_path / "tree/.venv").mkdir()
    check_mount(str(tmp_path / "tree/.venv"), tmp_path / "tree")


def test_nested_and_system_folders_are_mounted_once(tmp_path: Path) -> None:
    assert outermost(["/opt/a/b", "/opt/a", "/opt/ab", "/usr/local/x", "/usr"]) == ["/opt/a", "/opt/ab"]
    (tmp_path / "venv").mkdir()
    environment = Environment(readonly=(f"{tmp_path}/venv", f"{tmp_path}/venv/bin"))
    assert environment_mounts(environment, Path("/nowhere")) == [("--ro-bind", f"{tmp_path}/venv", f"{tmp_path}/venv")]


def test_parents_of_a_mount_can_be_walked_through_by_anybody() -> None:
    made = words([("--tmpfs", "/tmp"), ("--ro-bind", "/tmp/a/b", "/tmp/a/b"), ("--ro-bind", "/x/y", "/x/y")])
    assert made == [
        *("--tmpfs", "/tmp", "--perms", "0755", "--dir", "/tmp/a", "--ro-bind", "/tmp/a/b", "/tmp/a/b"),
        *("--perms", "0755", "--dir", "/x", "--ro-bind", "/x/y", "/x/y"),
    ]


def test_the_system_is_read_only(tmp_path: Path) -> None:
    (tmp_path / "lib64").mkdir()
    (tmp_path / "bin").symlink_to("usr/bin")
    assert system(tmp_path) == [
        ("--ro-bind", "/usr", "/usr"),
        ("--symlink", "usr/bin", "/bin"),
        ("--ro-bind", "/lib64", "/lib64"),
    ]


def test_etc_is_ours_and_of_the_hosts_named_files_alone(tmp_path: Path) -> None:
    root, folder = tmp_path / "root", tmp_path / "etc"
    for name in ("etc/ssl/certs", "etc/ssl/private", "etc/python3.11", "etc/cron.d"):
        (root / name).mkdir(parents=True)
    for name in ("shadow", "passwd", "localtime", "npmrc", "hostname"):
        (root / "etc" / name).write_text(f"the host's {name}")
    folder.mkdir()
    assert make_etc(folder, 4242, root) == [
        ("--ro-bind", str(folder), "/etc"),
        ("--ro-bind", "/etc/ssl/certs", "/etc/ssl/certs"),
        ("--ro-bind", "/etc/python3.11", "/etc/python3.11"),
    ]
    files = {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}
    assert sorted(files) == ["group", "hosts", "localtime", "nsswitch.conf", "passwd"]
    assert files["localtime"] == "the host's localtime"
    assert "bendcoder:x:4242:4242:" in files["passwd"]
    assert "the host's" not in files["passwd"]


def test_every_place_in_memory_has_a_size() -> None:
    places = [mount for mount in private(1000) if "--tmpfs" in mount]
    assert [mount[mount.index("--size") + 1] for mount in places] == ["250", "500", "500"]
