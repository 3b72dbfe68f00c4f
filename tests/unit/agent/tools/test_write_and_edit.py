"""Files written and edited through a workspace: whatever is odd about them survives, and a refusal changes nothing."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent.adapters.workspace.directory import DirectoryWorkspace
from agent.edits.matching import How
from agent.tools.edit import Edited, edit
from agent.tools.refused import Refused
from agent.tools.write import Created, Updated, write
from tests.support.gitrepo import fingerprint
from tests.unit.agent.tools.conftest import Make

BOM = b"\xef\xbb\xbf"
ODD_NAMES = ("a b.txt", "a:1:b.txt", "a\nb.txt", "-x.txt", "a..b", "caf\udce9.txt", "b'\"$(x).txt", "*.txt")


def refused(result: object, said: str) -> None:
    assert isinstance(result, Refused), result
    assert said in result.render(), result.render()


def test_messages_tell_created_from_updated_and_count_places(make: Make) -> None:
    work = make({"a.txt": b"x x\n"})

    assert write(work, "new/b.txt", "b\n").render() == "created new/b.txt"
    assert write(work, "a.txt", "y y\n").render() == "updated a.txt"
    assert edit(work, "a.txt", "y", "z", everywhere=True).render() == "edited a.txt at 2 places"
    assert edit(work, "a.txt", "  z z", "  w").render() == "edited a.txt; the old text was found at another indentation"


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        (b"a\r\nb\r\n", "a\nb", "c\nd\ne", b"c\r\nd\r\ne\r\n"),
        (b"a\r\nb\nc\n", "b", "x\ny", b"a\r\nx\ny\nc\n"),
        (BOM + b"a\n", "a", "b", BOM + b"b\n"),
        (b"a\nb", "b", "c", b"a\nc"),
        (b"\ta\n    b\n", "\ta", "\tc", b"\tc\n    b\n"),
        (b"caf\xe9\nx = 1\n\xff\xfe\n", "x = 1", "x = 2", b"caf\xe9\nx = 2\n\xff\xfe\n"),
        (b"", "", "made\n", b"made\n"),
    ],
    ids=["windows endings", "mixed endings", "mark", "no final newline", "tabs", "one-byte encoding", "empty"],
)
def test_odd_content_survives_an_edit(make: Make, before: bytes, old: str, new: str, after: bytes) -> None:
    work = make({"f.txt": before})

    assert isinstance(edit(work, "f.txt", old, new), Edited)
    assert work.read("f.txt") == after


def test_a_file_that_is_replaced_keeps_mark_endings_and_mode(make: Make, tmp_path: Path) -> None:
    work = make({"dos.txt": BOM + b"a\r\nb\r\n"})
    (tmp_path / "tree/dos.txt").chmod(0o755)
    work = DirectoryWorkspace(tmp_path / "tree")

    assert write(work, "dos.txt", "c\nd\n") == Updated(path="dos.txt")
    assert (tmp_path / "tree/dos.txt").read_bytes() == BOM + b"c\r\nd\r\n"
    assert (tmp_path / "tree/dos.txt").stat().st_mode & 0o777 == 0o755
    refused(write(work, "dos.txt", "\ufeffc\nd\n"), "nothing to change")


@pytest.mark.parametrize("name", ODD_NAMES, ids=ascii)
def test_odd_names_are_edited_and_shown_in_one_line(make: Make, name: str) -> None:
    work = make({name: b"one\n", "other.txt": b"one\n"})
    result = edit(work, name, "one", "two")

    assert isinstance(result, Edited)
    assert "\n" not in result.render()
    result.render().encode()
    assert work.read(name) == b"two\n"
    assert work.read("other.txt") == b"one\n"


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("link", "not a plain file"),
        ("loop", "not a plain file"),
        ("away/x", "not followed"),
        ("inside/a.txt", "not followed"),
        ("sub", "folder"),
        ("a.txt/x", "not followed"),
        (".git/config", "git's own folder"),
        ("sub/.GIT/hooks/x", "git's own folder"),
        ("sub//x", "inside the tree"),
        ("x" * 300, "longer than 255"),
        ("new/" + "x" * 300, "longer than 255"),
        ("new/\ud800", "does not look like a path"),
        ("new/a\nb", "does not look like a path"),
        ("new/ b", "does not look like a path"),
        ("new/a\0b", "does not look like a path"),
        ("SUB/A.TXT", "only in its case"),
    ],
    ids=lambda value: ascii(value)[:30],
)
def test_where_nothing_may_be_written_nothing_is(make: Make, tmp_path: Path, path: str, said: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    make({"a.txt": b"a\n", "sub/a.txt": b"a\n"})
    tree = tmp_path / "tree"
    for name, target in (("link", "a.txt"), ("loop", "loop"), ("away", str(outside)), ("inside", "sub")):
        (tree / name).symlink_to(target)
    work = DirectoryWorkspace(tree)
    before = fingerprint(tmp_path)

    refused(write(work, path, "evil\n"), said)
    assert isinstance(edit(work, path, "", "evil\n"), Refused)
    assert isinstance(edit(work, path, "a", "evil"), Refused)
    assert fingerprint(tmp_path) == before
    assert work.changes() == ()


@pytest.mark.parametrize("text", ["3\tnumbered", "a\0b", "\ud800"], ids=ascii)
def test_what_no_text_file_holds_is_not_written(make: Make, tmp_path: Path, text: str) -> None:
    work = make({"a.txt": b"a\n"})
    before = fingerprint(tmp_path)

    for result in (write(work, "new.txt", text), write(work, "a.txt", text), edit(work, "new.txt", "", text)):
        assert isinstance(result, Refused)
    assert fingerprint(tmp_path) == before


def test_a_binary_file_is_left_alone_whatever_its_name(make: Make) -> None:
    work = make({"data.txt": b"a\0b", "text.bin": b"a\n"})

    refused(write(work, "data.txt", "x"), "binary")
    refused(edit(work, "data.txt", "a", "b"), "binary")
    assert isinstance(edit(work, "text.bin", "a", "b"), Edited)
    assert work.read("data.txt") == b"a\0b"


def test_a_new_file_never_takes_the_place_of_one_called_alike(make: Make) -> None:
    work = make({"src/helpers.py": b"old\n"})

    assert edit(work, "src/helper.py", "", "new\n") == Created(path="src/helper.py")
    refused(edit(work, "helpers.py", "old", "new"), "there is src/helpers.py")
    assert work.read("src/helpers.py") == b"old\n"


def test_a_language_behind_a_fence_is_no_file_unless_there_is_one(make: Make) -> None:
    work = make({"markdown": b"old\n"})

    refused(write(work, "php", "<?php\n"), "does not look like a path")
    refused(edit(work, "Python", "", "x = 1\n"), "does not look like a path")
    assert isinstance(edit(work, "markdown", "old", "new"), Edited)
    assert isinstance(write(work, "docs/php", "text\n"), Created)
    assert isinstance(write(work, "Makefile", "all:\n"), Created)


def test_a_folder_doubled_in_front_is_dropped_only_for_a_file_that_is_there(make: Make) -> None:
    work = make({".x/f.json": b"{}\n", "pkg/pkg/mod.py": b"a\n", "pkg/mod.py": b"b\n", "a/b/c.py": b"c\n"})

    assert edit(work, ".x/.x/f.json", "{}", "[]") == Edited(path=".x/f.json", count=1, how=How.LITERAL)
    assert write(work, "a/b/a/b/c.py", "d\n") == Updated(path="a/b/c.py")
    refused(edit(work, ".x/.x/f.json", "", "x"), "exists")
    assert isinstance(edit(work, "pkg/pkg/mod.py", "a", "z"), Edited)
    assert work.read("pkg/mod.py") == b"b\n"


def test_a_write_that_fails_half_way_leaves_the_old_bytes_and_no_rest(make: Make, tmp_path: Path) -> None:
    work = make({"latin.txt": b"caf\xe9\n"})
    before = fingerprint(tmp_path)

    refused(edit(work, "latin.txt", "caf", "漢"), "two encodings")
    (tmp_path / "tree/latin.txt").unlink()
    (tmp_path / "tree/latin.txt").mkdir()
    refused(write(work, "latin.txt", "x"), "not a plain file")
    (tmp_path / "tree/latin.txt").rmdir()
    (tmp_path / "tree/latin.txt").write_bytes(b"caf\xe9\n")
    assert fingerprint(tmp_path) == before


def test_a_quotation_with_line_numbers_is_understood_only_when_each_line_has_one(make: Make) -> None:
    work = make({"a.txt": b"one\ntwo\n"})

    refused(edit(work, "a.txt", "1\tone\ntwo", "x"), "does not stand in the file")
    assert edit(work, "a.txt", "1\tone\n2\ttwo", "x") == Edited(path="a.txt", count=1, how=How.UNNUMBERED)


_ANY = st.text(max_size=6) | st.sampled_from(
    ["a.txt", "./a.txt", "sub", "sub/a.txt", "link", "../x", ".git/x", "a.txt/b"]
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(path=_ANY, old=st.text(max_size=4), new=st.text(max_size=4), content=st.binary(max_size=12))
def test_no_path_and_no_text_raise_and_a_refusal_changes_nothing(
    tmp_path: Path, path: str, old: str, new: str, content: bytes
) -> None:
    tree = tmp_path / "any"
    (tree / "sub").mkdir(parents=True, exist_ok=True)
    (tree / "a.txt").write_bytes(content)
    if not os.path.lexists(tree / "link"):
        (tree / "link").symlink_to("sub")
    work = DirectoryWorkspace(tree)
    for result in (edit(work, path, old, new), write(work, path, new)):
        result.render().encode()
        if isinstance(result, Refused):
            continue
        assert work.changes() or content == new.encode()
    work.restore(work.checkpoint())
