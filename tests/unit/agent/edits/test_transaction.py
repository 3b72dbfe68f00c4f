"""Groups of hunks are all or nothing, over whatever files they name."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.domain.edit import Anchor, Draft, Hunk
from agent.edits.transaction import contents

TREE: Mapping[str, bytes] = {
    "a.py": b"def f():\n    return 1\n\n\ndef g():\n    return 3\n",
    "crlf.txt": b"x = 1\r\ny = 2\r\n",
    "bom.py": b"\xef\xbb\xbfx = 1\n",
    "latin.txt": b"caf\xe9 = 1\nname = 2\n",
}
ANCHOR = Anchor(path="a.py", begin=2, end=2, old=b"    return 1\n")


def made(*hunks: Hunk, anchor: Anchor | None = None) -> Mapping[str, bytes | None]:
    return contents(Draft(hunks=hunks), anchor, TREE.get)


def test_hunks_of_several_files_are_one_transaction() -> None:
    files = made(
        Hunk(path="a.py", old="return 1", new="return 2"),
        Hunk(path="a.py", old="return 3", new="return 4"),
        Hunk(path="b.py", new="X = 1"),
        Hunk(path="latin.txt", delete=True),
    )

    assert files == {
        "a.py": TREE["a.py"].replace(b"1", b"2").replace(b"3", b"4"),
        "b.py": b"X = 1\n",
        "latin.txt": None,
    }


def test_a_later_hunk_sees_what_an_earlier_one_made() -> None:
    files = made(Hunk(path="new.py", new="a = 1"), Hunk(path="new.py", old="a = 1", new="a = 2"))

    assert files == {"new.py": b"a = 2\n"}


def test_an_anchored_text_is_the_same_transaction_with_one_file() -> None:
    draft = Draft(text=b"    return 2\n")

    assert contents(draft, ANCHOR, TREE.get) == {"a.py": TREE["a.py"].replace(b"1", b"2")}


@pytest.mark.parametrize(
    ("path", "old", "new", "content"),
    [
        ("crlf.txt", "x = 1\ny = 2", "x = 2\ny = 3", b"x = 2\r\ny = 3\r\n"),
        ("bom.py", "x = 1", "x = 2", b"\xef\xbb\xbfx = 2\n"),
        ("latin.txt", "name = 2", "name = 3", b"caf\xe9 = 1\nname = 3\n"),
    ],
)
def test_what_a_hunk_does_not_name_stays_byte_for_byte(path: str, old: str, new: str, content: bytes) -> None:
    assert made(Hunk(path=path, old=old, new=new)) == {path: content}


@pytest.mark.parametrize(
    ("hunk", "why"),
    [
        (Hunk(path="a.py", old="return", new="yield"), "2 times"),
        (Hunk(path="a.py", old="return 9", new="x"), "nothing"),
        (Hunk(path="a.py", new="whole"), "exists already"),
        (Hunk(path="none.py", old="x", new="y"), "does not exist"),
        (Hunk(path="none.py", delete=True), "does not exist"),
        (Hunk(path="a.py", old="return 1", new="return 1"), "nothing"),
        (Hunk(path="new.py", new="1\tx = 1\n2\ty = 2"), "line numbers"),
        (Hunk(path="a.py", old="return 1", new="2\t    return 2"), "line numbers"),
    ],
)
def test_one_hunk_that_cannot_be_meant_refuses_the_whole_draft(hunk: Hunk, why: str) -> None:
    good = Hunk(path="crlf.txt", old="x = 1", new="x = 1" if "nothing" in why else "x = 7")
    with pytest.raises(ValueError, match=r"\w") as refused:
        made(good, hunk)
    assert why in str(refused.value) or why == "nothing"


def test_a_draft_with_a_problem_or_without_a_place_is_refused_in_its_own_words() -> None:
    with pytest.raises(ValueError, match="no text"):
        contents(Draft(problem="the reply holds no text"), ANCHOR, TREE.get)
    with pytest.raises(ValueError, match="names no file"):
        contents(Draft(text=b"x"), None, TREE.get)


@given(st.binary(max_size=60), st.text(max_size=20), st.text(max_size=20))
def test_any_bytes_are_either_replaced_once_or_refused(content: bytes, old: str, new: str) -> None:
    try:
        files = contents(Draft(hunks=(Hunk(path="f", old=old, new=new),)), None, {"f": content}.get)
    except ValueError:
        return
    assert files["f"] != content
