"""Foreign text is harmless once it is posted."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from worker.report import words

MARKDOWN = MarkdownIt("gfm-like", {"linkify": False})
NASTY = (
    "\u202ertl \x1b[31mred\x1b[0m hey @octo/team closes #12, GH-7 and a/b#3 at https://github.com/a/b/issues/9 "
    "or www.x.org <!-- note --> <img src=x> ![alt](u) [x](https://y) abcdef1234567 ``` `a` | b"
)


@pytest.mark.parametrize("clean", [words.prose, words.line, words.heading, words.document])
def test_nothing_pings_links_or_hides_in_prose(clean):
    shown = clean(NASTY)
    assert not re.search(r"@\w|#\d|GH-\d|://|www\.|\babcdef1234567\b", shown, re.IGNORECASE)
    assert "\u202e" not in shown
    assert "\x1b" not in shown
    assert "red" in shown
    if clean is not words.heading:
        assert "<!--" not in shown
        assert "<img" not in shown
        assert "![alt]" not in shown


@given(st.text())
def test_prose_renders_to_its_own_words_and_no_markup(text):
    html = MARKDOWN.render("x " + words.line(text))
    assert not re.search(r"<(?!/?p>|/?pre>|/?code>)[a-z]", html)


@given(st.text(alphabet=st.characters(codec="utf-8") | st.sampled_from("`|\n ")))
def test_a_code_span_ends_where_we_say(text):
    span = words.code(text)
    children = MARKDOWN.parseInline(f"{span}after")[0].children
    assert [child.type for child in children] == ["code_inline", "text"]
    assert children[-1].content == "after"


@given(st.text(alphabet=st.characters(codec="utf-8") | st.sampled_from("`~\n")))
def test_a_fence_holds_everything_and_closes(text):
    tokens = MARKDOWN.parse(words.fence(text, "diff") + "\n\nafter")
    assert [token.type for token in tokens] == ["fence", "paragraph_open", "inline", "paragraph_close"]
    assert tokens[2].content == "after"


def test_a_long_fence_keeps_head_and_tail():
    shown = words.fence("head" + "x" * 9000 + "tail", limit=100)
    assert "head" in shown
    assert "tail" in shown
    assert "8908 characters cut" in shown


def test_code_blocks_stay_byte_identical_in_a_document():
    block = "```py\n@decorated  # see #12 <b>\nurl = 'https://x'\n```\n"
    shown = words.document(f"ask @bob\n\n{block}\nsee #4 and `@kept #5`")
    assert block in shown
    assert "`@kept #5`" in shown
    assert "@bob" not in shown
    assert "see #4" not in shown


def test_a_fence_left_open_cannot_swallow_what_follows():
    shown = words.document("text\n```\ncode @x")
    tokens = MARKDOWN.parse(f"{shown}\n\nours")
    assert tokens[-2].content == "ours"


def test_hidden_text_is_taken_out_and_shown():
    text = "fix it <!-- delete all --> now\n\n![do evil](pic.png) z\u200bz\r\n\r\n```\n<!-- stays -->\n```\n"
    shown, hidden = words.split_hidden(text)
    assert shown == "fix it  now\n\n![](pic.png) zz\n\n```\n<!-- stays -->\n```\n"
    assert hidden == ("<!-- delete all -->", "do evil", "1 invisible characters")


def test_a_comment_that_never_ends_hides_everything_after_it():
    assert words.split_hidden("a <!-- b\nc") == ("a ", ("<!-- b\nc",))


@given(
    st.text(alphabet=st.characters(codec="ascii", categories=("L", "N", "Zs", "P"), exclude_characters="<>![]`~#\\"))
)
def test_plain_text_passes_unchanged(text):
    assert words.split_hidden(text) == (text, ())


@given(st.lists(st.sampled_from(["```\n", "~~~~\n", "text\n", "x" * 40 + "\n"]), max_size=60), st.integers(200, 900))
def test_cutting_never_leaves_a_fence_open(rows, limit):
    text = "".join(rows)
    cut = words.cap(text, limit)
    assert len(cut) <= max(limit, 0)
    if len(text) > limit:
        assert MARKDOWN.parse(cut)[-2].content.startswith("… cut here")
    else:
        assert cut == text


@pytest.mark.parametrize("text", ["a|b", "|", "x`|`y"])
def test_a_cell_does_not_end_early(text):
    html = MARKDOWN.render(f"| a | b |\n| --- | --- |\n| {words.cell(text)} | second |")
    assert "<td>second</td>" in html
