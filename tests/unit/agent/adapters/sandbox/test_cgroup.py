"""Control groups, on folders shaped like the kernel's; the real ones are exercised by the attacks."""

import subprocess
from pathlib import Path

from agent.adapters.sandbox.cgroup import OVERHEAD, make
from agent.ports import Limits

LIMITS = Limits(seconds=1, memory=1000, processes=7)


def own(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "self"
    path.write_text(text)
    return path


def values(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir()}


def test_version_two_takes_the_nearest_group_that_bounds_its_children(tmp_path: Path) -> None:
    root = tmp_path / "cgroup"
    (root / "system.slice/bendcoder.service").mkdir(parents=True)
    (root / "system.slice/bendcoder.service/cgroup.subtree_control").write_text("\n")
    (root / "system.slice/cgroup.subtree_control").write_text("cpu memory pids\n")
    (root / "cgroup.subtree_control").write_text("cpu memory pids\n")
    group = make("box-1", LIMITS, root, own(tmp_path, "0::/system.slice/bendcoder.service\n"))
    assert group is not None
    assert group.folders == (root / "system.slice/box-1",)
    assert values(group.folders[0]) == {"memory.max": "1000", "pids.max": str(7 + OVERHEAD)}


def test_version_one_has_a_folder_per_controller(tmp_path: Path) -> None:
    root = tmp_path / "cgroup"
    for name in ("memory/mine", "pids", "unified"):
        (root / name).mkdir(parents=True)
    text = "8:pids:/\n4:memory:/mine\n3:cpu,cpuacct:/\n0::/\n"
    group = make("box-1", LIMITS, root, own(tmp_path, text))
    assert group is not None
    assert group.folders == (root / "memory/mine/box-1", root / "pids/box-1")
    assert values(group.folders[0]) == {"memory.limit_in_bytes": "1000"}
    assert values(group.folders[1]) == {"pids.max": str(7 + OVERHEAD)}


def test_where_no_group_can_be_made_there_is_none_and_nothing_is_left(tmp_path: Path) -> None:
    root = tmp_path / "cgroup"
    (root / "memory").mkdir(parents=True)
    assert make("box-1", LIMITS, root, own(tmp_path, "8:pids:/\n4:memory:/\n")) is None
    assert make("box-1", LIMITS, root, own(tmp_path, "0::/\n")) is None
    assert make("box-1", LIMITS, root, tmp_path / "absent") is None
    assert make("box-1", LIMITS, root, own(tmp_path, "0::/../../etc\n")) is None


def test_the_command_joins_before_it_begins(tmp_path: Path) -> None:
    root = tmp_path / "cgroup"
    (root / "cgroup.subtree_control").parent.mkdir()
    (root / "cgroup.subtree_control").write_text("memory pids")
    group = make("box-1", LIMITS, root, own(tmp_path, "0::/\n"))
    assert group is not None
    done = subprocess.run(group.joining(["sh", "-c", "echo $$ 'a b'"]), capture_output=True, text=True, check=True)
    assert done.stdout.split() == [(root / "box-1/cgroup.procs").read_text().strip(), "a", "b"]
    missing = group.joining(["echo", "never"])
    missing[missing.index(str(root / "box-1/cgroup.procs"))] = str(tmp_path / "absent/cgroup.procs")
    failed = subprocess.run(missing, capture_output=True, text=True, check=False)
    assert failed.returncode != 0
    assert "never" not in failed.stdout
