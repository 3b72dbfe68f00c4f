"""A reply in sentinel form is read whole or refused whole."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.domain.edit import Hunk
from agent.edits.sentinel import Malformed, is_sentinel, parse


def hunk(path: str, old: str, new: str) -> str:
    return f"<<<PATH>>>\n{path}\n<<<OLD>>>\n{old}\n<<<NEW>>>\n{new}\n<<<END>>>\n"


def test_one_hunk_is_read_and_prose_around_it_ignored() -> None:
    reply = "Sure:\n" + hunk("src/a.py", "x = 1", "x = 2") + "done"

    assert parse(reply) == (Hunk(path="src/a.py", old="x = 1", new="x = 2"),)


def test_every_hunk_of_a_reply_is_read() -> None:
    reply = hunk("a.py", "x", "y") + hunk("b.py", "", "new")

    assert parse(reply) == (Hunk(path="a.py", old="x", new="y"), Hunk(path="b.py", old="", new="new"))


def test_a_file_can_be_deleted_beside_other_groups() -> None:
    reply = hunk("a.py", "x", "y") + "<<<PATH>>>\nold.py\n<<<DELETE>>>\n<<<END>>>\n"

    assert parse(reply) == (Hunk(path="a.py", old="x", new="y"), Hunk(path="old.py", delete=True))


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "<<<PATH>>>\na.py\n<<<DELETE>>>\n<<<OLD>>>\nx\n<<<END>>>\n",
        "no marks at all",
        "<<<PATH>>>\na.py\n<<<OLD>>>\nx\n<<<NEW>>>\ny\n",
        "<<<OLD>>>\nx\n<<<PATH>>>\na.py\n<<<NEW>>>\ny\n<<<END>>>\n",
        "<<<PATH>>>\na.py\n<<<OLD>>>\nx\n<<<NEW>>>\ny\n<<<PATH>>>\nb.py\n<<<END>>>\n",
        hunk("", "x", "y"),
        hunk("a.py\nb.py", "x", "y"),
    ],
)
def test_any_other_shape_is_refused_whole(reply: str) -> None:
    assert isinstance(parse(reply), Malformed)


def test_a_mark_inside_a_line_is_content() -> None:
    assert parse(hunk("a.py", "s = '<<<END>>>'", "s = ''")) == (Hunk(path="a.py", old="s = '<<<END>>>'", new="s = ''"),)
    assert not is_sentinel("s = '<<<PATH>>>'")


@given(st.text(alphabet="ab<>\n PATHOLDNEWE", max_size=60))
def test_any_text_gives_hunks_or_a_reason(reply: str) -> None:
    assert isinstance(parse(reply), Malformed | tuple)


@given(st.text(alphabet="ab \n", min_size=0, max_size=30), st.text(alphabet="ab \n", max_size=30))
def test_content_survives_word_for_word(old: str, new: str) -> None:
    assert parse(hunk("a.py", old, new)) == (Hunk(path="a.py", old=old, new=new),)
