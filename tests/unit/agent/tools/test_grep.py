"""Literal search over real files: hits, case, near misses, bounds, what is left out; judged by a plain reading."""

import itertools
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent.adapters.workspace.directory import DirectoryWorkspace
from agent.edits.content import is_binary
from agent.tools.grep import MAX_FILE, MAX_MATCHES, Found, grep
from agent.tools.near import MAX_NAMES, pieces_in_tree
from agent.tools.refused import Refused
from tests.support.gitrepo import write as write_files
from tests.unit.agent.tools.conftest import Make

FILES = {
    "src/a.py": b"import os\nMAX_STEPS = 12\nprint('error: not one')\n",
    "src/b.py": b"Max_Steps = 3\n" + b"hit\n" * (MAX_MATCHES + 5),
    "blob.bin": b"MAX_STEPS\0",
    ".hidden/x.py": b"MAX_STEPS\n",
    "name with space:1:and colon.txt": b"odd name\r\n",
    "two\nlines.txt": b"odd lines\n",
    "caf\udce9.txt": b"odd caf\xe9\n",
    "-dash": b"--odd-dash\n",
}


def found(work: DirectoryWorkspace, pattern: str, path: str = "") -> Found:
    result = grep(work, pattern, path)
    assert isinstance(result, Found), result.render()
    return result


@pytest.fixture
def workspace(make: Make) -> DirectoryWorkspace:
    return make(FILES, {"junk.py": b"MAX_STEPS\n", ".ignore": b"*\n", ".gitignore": b"*\n"})


def test_a_hit_names_path_line_and_text_and_only_tracked_plain_text_is_searched(workspace: DirectoryWorkspace) -> None:
    result = found(workspace, "MAX_STEPS")

    assert [(m.path, m.line, m.text) for m in result.matches] == [("src/a.py", 2, "MAX_STEPS = 12")]
    assert not result.missed
    assert result.render() == "src/a.py-1-import os\nsrc/a.py:2:MAX_STEPS = 12\nsrc/a.py-3-print('error: not one')"


def test_a_line_saying_error_is_a_hit_like_any_other(workspace: DirectoryWorkspace) -> None:
    assert not found(workspace, "error: not one").missed


def test_case_is_ignored_only_when_nothing_matches_and_it_is_said(workspace: DirectoryWorkspace) -> None:
    result = found(workspace, "mAx_StEpS")

    assert result.ignored_case
    assert result.missed
    assert {m.path for m in result.matches} == {"src/a.py", "src/b.py"}
    assert result.render().startswith("no matches for 'mAx_StEpS'; case-insensitive 2 lines:\n")


def test_a_miss_names_the_pieces_that_do_occur(workspace: DirectoryWorkspace) -> None:
    result = found(workspace, "MAX_STEPS_PER_PRINT(")

    assert (result.near[0].text, result.near[0].files) == ("MAX_STEPS", ("src/a.py", "src/b.py"))
    assert "'MAX_STEPS' occurs in 2 files: src/a.py, src/b.py" in result.render()
    assert "'print(' occurs in 1 file: src/a.py" in found(workspace, "nothing_at_print(").render()


def test_the_same_piece_on_both_edges_is_named_once(workspace: DirectoryWorkspace) -> None:
    assert [piece.text for piece in found(workspace, "impo/IMPO").near] == ["impo"]


def test_a_piece_in_many_files_names_some_of_them(make: Make) -> None:
    result = found(make({f"f{number:03}.py": b"common_word\n" for number in range(150)}), "common_wordy")

    assert (result.near[0].text, result.near[0].count, len(result.near[0].files)) == ("common_word", 100, MAX_NAMES)
    assert "occurs in 100 or more files: f000.py, " in result.render()
    assert result.render().endswith("f005.py, ...")


def test_pieces_of_files_that_are_not_the_run_s_are_not_named(make: Make) -> None:
    work = make({"a.py": b"alpha_be\n", "b.bin": b"\0alpha_beta_ga\n"}, {"junk.py": b"alpha_beta_gamma_delta_zeta\n"})

    assert [(p.text, p.files) for p in found(work, "alpha_beta_gamma_delta_eta").near] == [("alpha_be", ("a.py",))]


def test_pieces_are_found_where_their_lines_are_too_many_to_fetch(make: Make) -> None:
    work = make({"a": b"some_word \n", "b/c": b"some_word_here\n", "b/d.bin": b"\0some_word_the"})

    for under in ("", "b"):
        pieces = pieces_in_tree(work, "some_word_there", under, None)
        assert [(p.text, p.files) for p in pieces] == [("some_word_", ("b/c",)), ("here", ("b/c",))]
    assert pieces_in_tree(work, "nothing at all", "", None) == ()


def test_short_patterns_and_random_letters_are_a_plain_miss(workspace: DirectoryWorkspace) -> None:
    assert found(workspace, "qqzzkkvv").render() == "no matches for 'qqzzkkvv'"
    assert found(workspace, "oqs").render() == "no matches for 'oqs'"


def test_matches_are_bounded_and_the_stop_is_said(workspace: DirectoryWorkspace) -> None:
    result = found(workspace, "hit")

    assert len(result.matches) == MAX_MATCHES
    assert result.render().endswith("stopped after 200 matches")


def test_exactly_as_many_matches_as_are_shown_are_no_stop(make: Make) -> None:
    work = make({"a.py": b"hit\n" * 150, "b.py": b"hit\n" * 50})

    assert not found(work, "hit").truncated
    assert found(work, "hit", "b.py").render().startswith("1:hit\n2:hit")


def test_overlapping_context_is_shown_once_and_touching_blocks_are_one(make: Make) -> None:
    work = make({"a.py": b"hit\n1\n2\n3\n4\n5\n6\nhit\n" + b"-\n" * 7 + b"hit\n"})
    blocks = found(work, "hit").blocks

    assert [[row.line for row in block.rows] for block in blocks] == [list(range(1, 12)), [13, 14, 15, 16]]


def test_odd_names_are_one_row_each_and_keep_their_bytes(workspace: DirectoryWorkspace) -> None:
    result = found(workspace, "odd")

    assert {m.path for m in result.matches} == {
        "name with space:1:and colon.txt", "two\nlines.txt", "caf\udce9.txt", "-dash"
    }  # fmt: skip
    assert "two\\nlines.txt:1:odd lines" in result.render()
    assert "caf\\xe9.txt:1:odd caf\\xe9" in result.render()
    assert "name with space:1:and colon.txt:1:odd name" in result.render().split("\n")
    assert found(workspace, "--odd-dash", "-dash").render() == "1:--odd-dash"


def test_edits_of_the_run_are_searched_and_deleted_files_are_not(workspace: DirectoryWorkspace) -> None:
    start = workspace.checkpoint()
    workspace.write("src/a.py", b"RENAMED = 12\n")
    workspace.write("new/c.py", b"RENAMED = 13\n")
    workspace.delete("src/b.py")

    assert {m.path for m in found(workspace, "RENAMED").matches} == {"src/a.py", "new/c.py"}
    assert found(workspace, "MAX_STEPS").missed
    workspace.restore(start)
    assert found(workspace, "RENAMED").missed
    assert found(workspace, "Max_Steps").matches[0].path == "src/b.py"


def test_a_folder_or_a_file_can_be_searched_alone(workspace: DirectoryWorkspace) -> None:
    assert {m.path for m in found(workspace, "o", "./src/").matches} == {"src/a.py"}
    assert found(workspace, "MAX_STEPS", ".hidden").matches[0].path == ".hidden/x.py"
    assert found(workspace, "MAX_STEPS", "./src/a.py").matches[0].line == 2
    assert [piece.text for piece in found(workspace, "maxsteps", "src/a.py").near] == ["steps"]


def test_links_are_not_followed(make: Make, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    write_files(outside, {"secret.py": b"SECRET\n"})
    work = make({"pkg/mod.py": b"x\n", "pkg2/mod.py": b"x\n"})
    tree = tmp_path / "tree"
    (tree / "pkg/mod.py").unlink()
    (tree / "pkg/mod.py").symlink_to(outside / "secret.py")
    (tree / "pkg/loop").symlink_to("..")
    (tree / "pkg2/mod.py").unlink()
    (tree / "pkg2").rmdir()
    (tree / "pkg2").symlink_to(outside)

    assert found(work, "SECRET").render() == "no matches for 'SECRET'"
    for path in ("pkg2", "pkg2/mod.py"):
        result = grep(work, "SECRET", path)
        assert "secret" not in result.render().lower().replace("'secret'", "")


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("", ""),
        ("a\nb", ""),
        ("a\0", ""),
        ("\ud800", ""),
        ("x" * 1001, ""),
        ("x", "absent"),
        ("x", "../"),
        ("x", "/etc"),
    ],
    ids=ascii,
)
def test_what_cannot_be_searched_is_refused(workspace: DirectoryWorkspace, pattern: str, path: str) -> None:
    assert isinstance(grep(workspace, pattern, path), Refused)


def test_large_files_are_left_out_and_a_named_one_is_refused(make: Make) -> None:
    work = make({"big.txt": b"needle\n" + b"x" * MAX_FILE, "edge.txt": b"needle\n" + b"x" * (MAX_FILE - 7)})

    assert {m.path for m in found(work, "needle").matches} == {"edge.txt"}
    refused = grep(work, "needle", "big.txt")
    assert isinstance(refused, Refused)
    assert str(MAX_FILE) in refused.render()


def test_marks_endings_and_patterns_are_plain_text(make: Make) -> None:
    work = make({"a.txt": b"\xef\xbb\xbfa.*b\r\n", "b.txt": b"axxb\n\\d+\n", "wide.txt": "a.*b".encode("utf-16")})

    assert [(m.path, m.text) for m in found(work, "a.*b").matches] == [("a.txt", "a.*b")]
    assert found(work, "\\d+").matches[0].path == "b.txt"


def holding(files: Mapping[str, bytes], text: str, *, folded: bool) -> list[tuple[str, int]]:
    """What a plain reading of every file says: the rows that hold the text."""
    wanted = text.encode().lower() if folded else text.encode()
    return [
        (path, number)
        for path, content in sorted(files.items())
        if not is_binary(content) and not path.startswith(".")
        for number, line in enumerate(content.split(b"\n"), start=1)
        if wanted in (line.lower() if folded else line)
    ]


def near(files: Mapping[str, bytes], pattern: str) -> list[tuple[str, int]]:
    """The longest head and tail by trying every one, and in how many files."""
    found: dict[str, tuple[str, int]] = {}
    heads = [pattern[:end] for end in range(len(pattern) - 1, 3, -1)]
    tails = [pattern[start:] for start in range(1, len(pattern) - 3)]
    for pieces in (heads, tails):
        rows = ((piece, holding(files, piece, folded=True)) for piece in pieces)
        longest = next(((piece, len({path for path, _ in at})) for piece, at in rows if at), None)
        if longest:
            found.setdefault(longest[0].lower(), longest)
    return list(found.values())


_PIECES = st.sampled_from(
    [b"ab", b"AB", b"a", b"\n", b"\r\n", b"\xe9", "é".encode(), "É".encode(), b"\0", b".*", b" ", b"\xff\xfe"]
)
_CONTENTS = st.lists(_PIECES, max_size=10).map(b"".join)
_PATTERNS = st.lists(st.sampled_from(["a", "b", "AB", "é", ".*", " ", "\\", "-", "abba"]), min_size=1, max_size=4).map(
    "".join
)
_turn = itertools.count()


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(contents=st.lists(_CONTENTS, min_size=1, max_size=4), pattern=_PATTERNS)
def test_it_finds_what_a_plain_reading_finds(tmp_path: Path, contents: list[bytes], pattern: str) -> None:
    files = dict(zip(("a", "b/c", ".d", "e\nf"), contents, strict=False))
    root = tmp_path / str(next(_turn))
    write_files(root, files)

    result = found(DirectoryWorkspace(root), pattern)

    exact, folded = (holding(files, pattern, folded=folded) for folded in (False, True))
    assert [(match.path, match.line) for match in result.matches] == (exact or folded)
    assert result.missed == (not exact)
    assert [(piece.text, piece.count) for piece in result.near] == ([] if folded else near(files, pattern))
