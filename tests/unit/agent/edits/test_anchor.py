"""Anchored edits: the chosen lines and nothing else, byte for byte."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.domain.edit import Anchor, Draft
from agent.edits.anchor import after, anchor_at, apply, lines_of

SOURCE = b"one\r\ntwo\nthree"


def test_lines_end_at_newlines_alone() -> None:
    assert lines_of(b"a\x0bb\x0cc\rd\ne") == [b"a\x0bb\x0cc\rd\n", b"e"]
    assert lines_of(b"a\x0bb\n") == [b"a\x0bb\n"]
    assert lines_of(b"") == []
    assert lines_of(b"\r\n\n") == [b"\r\n", b"\n"]


@given(st.binary(max_size=200))
def test_lines_join_to_the_file(source: bytes) -> None:
    lines = lines_of(source)
    assert b"".join(lines) == source
    assert all(line.count(b"\n") <= 1 for line in lines)
    assert len(lines) == source.count(b"\n") + (not source.endswith(b"\n") and source != b"")


@given(st.lists(st.binary(max_size=8).map(lambda b: b.replace(b"\n", b"")), min_size=1, max_size=8), st.data())
def test_only_the_anchored_bytes_change(rows: list[bytes], data: st.DataObject) -> None:
    source = b"".join(row + b"\n" for row in rows)
    begin = data.draw(st.integers(1, len(rows)))
    end = data.draw(st.integers(begin, len(rows)))
    anchor = anchor_at("a", source, begin, end)
    edited = apply(source, anchor, Draft(text=b"<new>\n"))
    kept = lines_of(source)
    assert edited == b"".join(kept[: begin - 1]) + b"<new>\n" + b"".join(kept[end:])


def test_anchors_carry_their_own_endings() -> None:
    assert anchor_at("a", SOURCE, 1, 1).old == b"one\r\n"
    assert anchor_at("a", SOURCE, 2, 3).old == b"two\nthree"
    for begin, end in ((0, 1), (2, 1), (1, 4)):
        with pytest.raises(ValueError, match="3 lines"):
            anchor_at("a", SOURCE, begin, end)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"two\n", "changes nothing"),
        (b"2\ttwo!\n", "line numbers"),
        (b"10.5\ttwo!\n", "line numbers"),
        (b"two!", "join the next"),
    ],
)
def test_drafts_that_cannot_be_meant_are_refused(text: bytes, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        apply(SOURCE, anchor_at("a", SOURCE, 2, 2), Draft(text=text))


def test_numbers_that_are_content_are_allowed() -> None:
    source = b"9\tnine\n"
    assert apply(source, anchor_at("a", source, 1, 1), Draft(text=b"9\tneun\n")) == b"9\tneun\n"
    assert apply(SOURCE, anchor_at("a", SOURCE, 2, 2), Draft(text=b"version 10.5\tstable\n")).count(b"stable") == 1


def test_a_file_that_moved_on_is_refused() -> None:
    anchor = anchor_at("a", SOURCE, 2, 2)
    with pytest.raises(ValueError, match="no longer holds"):
        apply(b"one\nother\n", anchor, Draft(text=b"x\n"))
    with pytest.raises(ValueError, match="no longer holds"):
        apply(SOURCE, Anchor(path="a", begin=4, end=4, old=b""), Draft(text=b"x\n"))


def test_lines_may_be_removed_but_then_nothing_is_left_to_repair() -> None:
    anchor = anchor_at("a", SOURCE, 2, 2)
    assert apply(SOURCE, anchor, Draft(text=b"")) == b"one\r\nthree"
    with pytest.raises(ValueError, match="nothing to repair"):
        after(anchor, Draft(text=b""))
    assert after(anchor, Draft(text=b"x\ny\n")) == Anchor(path="a", begin=2, end=3, old=b"x\ny\n")
