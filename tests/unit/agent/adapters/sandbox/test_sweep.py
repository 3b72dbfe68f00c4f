"""Leftovers of a killed process go; what is young or not ours stays."""

import os
import time
from pathlib import Path

from agent.adapters.sandbox.sweep import sweep


def test_old_leftovers_go_and_the_rest_stays(tmp_path: Path) -> None:
    parent, groups = tmp_path / "parent", tmp_path / "groups"
    old, young, other = parent / "bendcoder-box-old", parent / "bendcoder-tree-young", parent / "somebody-elses"
    empty, used = groups / "memory/bendcoder-box-1", groups / "memory/bendcoder-box-2"
    for folder in (old / "reports", young, other, empty, used / "child"):
        folder.mkdir(parents=True)
    (parent / "bendcoder-box-link").symlink_to(other)
    long_ago = time.time() - 7200
    for folder in (old, other, empty, used):
        os.utime(folder, (long_ago, long_ago))
    assert sweep(parent, older_than=3600, groups=groups) == 2
    assert sorted(path.name for path in parent.iterdir()) == [
        "bendcoder-box-link",
        "bendcoder-tree-young",
        "somebody-elses",
    ]
    assert [path.name for path in (groups / "memory").iterdir()] == ["bendcoder-box-2"]


def test_nothing_to_sweep_is_fine(tmp_path: Path) -> None:
    assert sweep(tmp_path / "absent", groups=tmp_path / "absent") == 0
