"""Parts of the packer by themselves: windows of a file, fences, text made visible, languages of a repository."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from agent.prompts.excerpt import clip_head, clipped, lines_of, windows
from agent.prompts.fence import fenced, frame, one_line, seen
from agent.prompts.languages import languages_of
from agent.prompts.source import excerpts

LINES = [f"line {number:03}\n" for number in range(1, 101)]  # nine characters each
NAMED = "".join(LINES).replace("line 070\n", "line 070 def t70()\n")


@pytest.mark.parametrize(
    ("cores", "limit", "spans"),
    [
        ([(50, 50)], 9 * 5, ((48, 52),)),
        ([(1, 1)], 9 * 3, ((1, 3),)),
        ([(100, 100)], 9 * 3, ((98, 100),)),
        ([(50, 50)], 9 * 1000, ((1, 100),)),
        ([(10, 12), (80, 80)], 9 * 8, ((9, 13), (79, 81))),
        ([(10, 12), (13, 14)], 9 * 5, ((10, 14),)),
        ([(10, 12), (500, 600), (-5, 0)], 9 * 3, ((10, 12),)),
        ([(10, 30)], 0, ((10, 30),)),
        ([], 900, ()),
    ],
)
def test_windows_hold_their_cores_and_grow_either_way(
    cores: list[tuple[int, int]], limit: int, spans: tuple[tuple[int, int], ...]
) -> None:
    assert windows(LINES, cores, limit, 0) == spans


def test_a_long_text_keeps_whole_lines_around_its_centre() -> None:
    cut = clipped(LINES, 150, 50)

    assert cut == "... (43 lines cut)\n" + "".join(LINES[43:55]) + "... (45 lines cut)\n"
    assert clipped(LINES, 900, 50) == "".join(LINES)
    assert clipped([], 0) == ""


def test_one_endless_line_is_cut_and_it_is_said() -> None:
    assert clipped(["x" * 1_000], 100).startswith("xxxx")
    assert "1000 characters in all" in clipped(["x" * 1_000], 100)
    assert len(clip_head("x" * 1_000, 100)) == 100
    assert clip_head("x", 1) == "x"


def test_odd_bytes_are_shown_and_endings_are_not() -> None:
    assert lines_of(b"\xef\xbb\xbfa\r\nb\xff\rc\n\nd") == ["a\n", "b\\xff\rc\n", "\n", "d"]
    assert lines_of(b"") == []


@pytest.mark.parametrize(
    ("failure", "read", "first"),
    [
        ("b.py:60: E", (20,), "line 060"),
        ("", (1, 20), "line 020"),
        ("", (), "line 001"),
        ("b.py:999: E", (), "line 100"),
        ("b.py::Tests::t70: AssertionError", (20,), "line 070"),
        ("b.py::t70[x-1]", (), "line 070"),
        ("b.py::nowhere", (20,), "line 020"),
    ],
)
def test_a_long_file_is_shown_where_it_failed_or_was_read(failure: str, read: tuple[int, ...], first: str) -> None:
    text, spans = excerpts("b.py", NAMED.encode(), 150, failure, read)

    assert first in text
    assert len(text) <= 150
    assert all(begin <= int(first.split()[1]) <= end for begin, end in spans)
    assert excerpts("b.py", b"", 100, "", ()) == ("## b.py, empty\n```\n```\n", ())


@given(st.text(alphabet="`~#\n\r x", max_size=80))
def test_an_independent_parser_finds_every_body_whole(body: str) -> None:
    text = f"before\n{fenced('title', body)}after\n"
    tokens = MarkdownIt().parse(text)
    bodies = [token.content for token in tokens if token.type == "fence"]

    plain = body.replace("\r\n", "\n").replace("\r", "\n")
    assert len(bodies) == 1
    assert bodies[0].rstrip("\n") == plain.rstrip("\n")
    assert tokens[-2].content == "after"
    assert len(text) - len(body) - len("before\nafter\n") == frame("title", body)


def test_a_heading_is_one_printable_line() -> None:
    assert one_line("a\nb\u2028c\x1b[1m") == "a\\x0ab\\x2028c\\x1b[1m"
    assert one_line("x" * 300, 10) == "xxxxxxx..."


def test_output_is_shown_as_a_terminal_would_and_what_nobody_sees_is_named() -> None:
    assert seen("\x1b[31mred\x1b[0m\r\n\x1b]8;;http://x\x07link\x1b]8;;\x1b\\\t✔\ufe0f") == "red\nlink\t✔"
    assert seen("a\u200bb\U000e0041\u202ec\x00") == "a<U+200B>b<U+E0041><U+202E>c<U+0000>"


def test_languages_are_named_by_how_many_files_are_in_them() -> None:
    paths = ["a.py", "b.py", "c.PYI", "x.rs", "README.md", "Makefile", *(f"{n}.go" for n in range(5))]

    assert languages_of(paths) == ("Go", "Python", "Rust")
    assert languages_of([*(f"{n}.py" for n in range(100)), "one.sh"]) == ("Python",)
    assert languages_of(["README.md"]) == ()
