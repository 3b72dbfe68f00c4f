"""The unified diff: what git itself applies, whatever the files' endings."""

import subprocess
from pathlib import Path

import pytest

from agent.domain.edit import Change
from agent.edits.diff import unified

CASES = {
    "plain": (b"a\nb\nc\n", b"a\nB\nc\n"),
    "no final newline before": (b"a\nb", b"a\nb\n"),
    "no final newline after": (b"a\nb\n", b"a\nc"),
    "no final newline at all": (b"a\nb", b"A\nb"),
    "carriage returns": (b"a\r\nb\r\n", b"a\r\nB\r\n"),
    "lone carriage return": (b"a\rb\nc\n", b"a\rb\nC\n"),
    "form feed": (b"a\x0c\nb\n", b"a\x0c\nB\n"),
    "emptied": (b"a\n", b""),
    "filled": (b"", b"a\n"),
    "new": (None, b"a\nb"),
    "deleted": (b"a\n", None),
    "many hunks": (b"".join(b"%d\n" % n for n in range(60)), b"".join(b"%d\n" % (n + n % 20 // 19) for n in range(60))),
}


@pytest.mark.parametrize("name", CASES)
def test_git_applies_it(name: str, tmp_path: Path) -> None:
    before, after = CASES[name]
    target = tmp_path / "dir" / "file with space.txt"
    target.parent.mkdir()
    if before is not None:
        target.write_bytes(before)
    diff = unified([Change(path="dir/file with space.txt", before=before, after=after)])
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    subprocess.run(["git", "apply", "-"], cwd=tmp_path, input=diff.encode(), check=True)
    assert (target.read_bytes() if target.exists() else None) == after


@pytest.mark.parametrize(
    "name", ["é.txt", "caf\udce9.txt", 'a"b\\c.txt', "two\nlines.txt", "tab\tin.txt", "-x", "a..b"], ids=ascii
)
def test_git_applies_it_whatever_the_name_is(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b"a\n")
    changes = [Change(path=name, before=b"a\n", after=b"b\n"), Change(path=f"{name}.new", before=None, after=b"c\n")]
    diff = unified(changes)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    subprocess.run(["git", "apply", "-"], cwd=tmp_path, input=diff.encode(), check=True)
    assert (tmp_path / name).read_bytes() == b"b\n"
    assert (tmp_path / f"{name}.new").read_bytes() == b"c\n"
    assert len([line for line in diff.split("\n") if line.startswith("diff --git ")]) == 2


def test_files_follow_in_order_and_unchanged_ones_are_left_out() -> None:
    diff = unified(
        [
            Change(path="a", before=b"1\n", after=b"2\n"),
            Change(path="b", before=b"same\n", after=b"same\n"),
            Change(path="c", before=b"3\n", after=b"4\n"),
        ]
    )
    assert [line for line in diff.split("\n") if line.startswith("diff")] == [
        "diff --git a/a b/a",
        "diff --git a/c b/c",
    ]


def test_binary_files_are_named_and_other_bytes_are_shown_escaped() -> None:
    assert "Binary files a/x and b/x differ" in unified([Change(path="x", before=b"\0a", after=b"\0b")])
    assert "+\\xff" in unified([Change(path="x", before=b"a\n", after=b"\xff\n")])
    assert unified([]) == ""
