"""Literal search over real files: hits, case, near misses, bounds and what is left out."""

from pathlib import Path

import pytest

from agent.adapters.workspace.directory import DirectoryWorkspace
from agent.tools.grep import MAX_MATCHES, grep

FILES = {
    "src/a.py": b"import os\nMAX_STEPS = 12\nprint('error: not one')\n",
    "src/b.py": b"Max_Steps = 3\n" + b"hit\n" * (MAX_MATCHES + 5),
    "blob.bin": b"MAX_STEPS\0",
    ".hidden/x.py": b"MAX_STEPS\n",
    "long.txt": b"needle" + b"x" * 700 + b"\n",
    "name with space:and colon.txt": b"odd name\r\n",
}


@pytest.fixture
def workspace(tmp_path: Path) -> DirectoryWorkspace:
    for name, content in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return DirectoryWorkspace(tmp_path)


def test_a_hit_names_path_line_and_text_and_skips_binary_and_hidden_files(workspace: DirectoryWorkspace) -> None:
    found = grep(workspace, "MAX_STEPS")

    assert [(m.path, m.line, m.text) for m in found.matches] == [("src/a.py", 2, "MAX_STEPS = 12")]
    assert not found.missed


def test_a_line_saying_error_is_a_hit_like_any_other(workspace: DirectoryWorkspace) -> None:
    assert not grep(workspace, "error: not one").missed


def test_case_is_ignored_only_when_nothing_matches_and_it_is_said(workspace: DirectoryWorkspace) -> None:
    found = grep(workspace, "mAx_StEpS")

    assert found.ignored_case
    assert found.missed
    assert {m.path for m in found.matches} == {"src/a.py", "src/b.py"}
    assert "ignoring case" in found.render()


def test_a_miss_names_the_pieces_that_do_occur(workspace: DirectoryWorkspace) -> None:
    found = grep(workspace, "MAX_STEPS_PER_PRINT(")

    assert found.near[0] == ("max_steps", ("src/a.py", "src/b.py"))
    assert "no matches" in found.render()


def test_random_letters_are_a_plain_miss(workspace: DirectoryWorkspace) -> None:
    assert grep(workspace, "qqzzkkvv").render() == "no matches for 'qqzzkkvv'"


def test_matches_are_bounded_and_long_lines_cut(workspace: DirectoryWorkspace) -> None:
    found = grep(workspace, "hit")

    assert len(found.matches) == MAX_MATCHES
    assert "stopped after" in found.render()
    assert grep(workspace, "needle").matches[0].text.endswith(" ...")


def test_odd_names_and_line_endings_are_kept_readable(workspace: DirectoryWorkspace) -> None:
    assert grep(workspace, "odd name").render() == "name with space:and colon.txt:1:odd name"


def test_an_empty_pattern_is_refused(workspace: DirectoryWorkspace) -> None:
    with pytest.raises(ValueError, match="empty pattern"):
        grep(workspace, "")
