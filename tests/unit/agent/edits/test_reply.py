"""Replies become bytes: framing goes, line endings stay, and a group of hunks is all or nothing."""

import pytest

from agent.domain.edit import Anchor, Draft, Hunk
from agent.edits.reply import draft_of, replacement_text

ANCHOR = Anchor(path="a.py", begin=2, end=2, old=b"    return 1\n")


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


def test_groups_are_hunks_and_the_anchor_is_left_alone() -> None:
    reply = hunk("a.py", "return 1", "return 2") + hunk("b.py", "", "X = 1")

    draft = draft_of(f"```\n{reply}```", ANCHOR)

    assert draft == Draft(
        hunks=(Hunk(path="a.py", old="return 1", new="return 2"), Hunk(path="b.py", old="", new="X = 1"))
    )


@pytest.mark.parametrize(
    ("reply", "anchor", "why"),
    [
        ("  ", ANCHOR, "no text"),
        ("I would change line 3.", None, "no change was written"),
        (hunk("a.py", "x", "y") + "<<<PATH>>>\nb.py\n", ANCHOR, "the marks of a group"),
        (hunk("", "x", "y"), None, "the path of a group"),
    ],
)
def test_what_cannot_be_meant_is_a_draft_with_a_problem(reply: str, anchor: Anchor | None, why: str) -> None:
    draft = draft_of(reply, anchor)

    assert why in draft.problem
    assert (draft.text, draft.hunks) == (b"", ())


def test_a_lone_surrogate_in_a_reply_is_no_crash() -> None:
    assert draft_of("return '\ud800'", ANCHOR).text == b"return '?'\n"
