"""Replies become bytes: framing goes, line endings stay, and a group of hunks is all or nothing."""

import pytest

from agent.domain.edit import Anchor, Draft
from agent.edits.reply import draft_of, replacement_text

ANCHOR = Anchor(path="a.py", begin=2, end=2, old=b"    return 1\n")
SOURCE = b"def f():\n    return 1\n\n\ndef g():\n    return 3\n"


def hunk(path: str, old: str, new: str) -> str:
    return f"<<<PATH>>>\n{path}\n<<<OLD>>>\n{old}\n<<<NEW>>>\n{new}\n<<<END>>>\n"


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        ("    return 2", b"    return 2\n"),
        ("```python\n    return 2\n```", b"    return 2\n"),
        ("\n\n    return 2\n\n", b"    return 2\n"),
        ("    return 2\r\n    # x", b"    return 2\n    # x\n"),
        ("```\na\n```\nand\n```\nb\n```", b"```\na\n```\nand\n```\nb\n```\n"),
        ("  \n ", None),
        ("", None),
    ],
)
def test_one_fence_is_framing_and_everything_else_is_content(reply: str, text: bytes | None) -> None:
    assert replacement_text(reply, ANCHOR) == text


def test_the_anchors_own_line_endings_are_kept() -> None:
    crlf = Anchor(path="a.py", begin=1, end=2, old=b"a\r\nb")

    assert replacement_text("x\ny\n", crlf) == b"x\r\ny"


def test_hunks_of_the_anchors_file_and_a_new_file_are_one_draft() -> None:
    reply = hunk("a.py", "return 1", "return 2") + hunk("a.py", "return 3", "return 4") + hunk("b.py", "", "X = 1")

    draft = draft_of(reply, ANCHOR, SOURCE)

    content = SOURCE.replace(b"return 1", b"return 2").replace(b"return 3", b"return 4")
    assert draft == Draft(text=ANCHOR.old, files=(("b.py", b"X = 1\n"), ("a.py", content)))


@pytest.mark.parametrize(
    "reply",
    [
        hunk("a.py", "return", "yield"),
        hunk("a.py", "return 9", "return 2"),
        hunk("b.py", "old", "new"),
        hunk("a.py", "", "whole"),
        hunk("b.py", "", "x") + hunk("b.py", "", "y"),
        hunk("a.py", "return 1", "return 1"),
        hunk("a.py", "return 1", "return 2") + "<<<PATH>>>\nb.py\n",
    ],
)
def test_a_group_that_cannot_be_meant_is_no_draft(reply: str) -> None:
    assert draft_of(reply, ANCHOR, SOURCE) is None


def test_hunks_take_the_files_line_endings() -> None:
    draft = draft_of(hunk("a.py", "x = 1\ny = 2", "x = 2\ny = 3"), ANCHOR, b"x = 1\r\ny = 2\r\n")

    assert draft is not None
    assert draft.files == (("a.py", b"x = 2\r\ny = 3\r\n"),)
