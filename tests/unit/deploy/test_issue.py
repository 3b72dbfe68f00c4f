"""An issue file's title and body."""

import pytest

from deploy.delegate.issue import LARGEST, parse


@pytest.mark.parametrize(
    ("text", "title", "body"),
    [
        ("# Crash on *empty* input\n\nIt crashes.\n", "Crash on *empty* input", "It crashes."),
        ("Crash\n=====\nIt crashes.\n", "Crash", "It crashes."),
        ("intro\n\n## Second level\n\nrest\n", "Second level", "intro\n\n\nrest"),
        ("```\n# a comment, no heading\n```\n# Title\nbody", "Title", "```\n# a comment, no heading\n```\nbody"),
        ("    # indented code\n\nplain first line\n", "# indented code", "plain first line"),
        ("just one line", "just one line", ""),
        ("\ufeff# With a mark\r\n\r\nbody\r\n", "With a mark", "body"),
        ("#\n\n# Real title\n", "Real title", "#"),
    ],
)
def test_the_first_heading_is_the_title(text: str, title: str, body: str) -> None:
    issue = parse(text.encode())
    assert (issue.title, issue.body) == (title, body)


def test_bytes_that_are_no_text_are_kept_readable() -> None:
    assert parse(b"# caf\xe9\n").title == "caf\ufffd"


def test_a_long_title_is_cut() -> None:
    assert len(parse(b"# " + b"x" * 5000).title) == 256


@pytest.mark.parametrize(("content", "words"), [(b"", "empty"), (b" \n\t\n", "empty"), (b"x" * (LARGEST + 1), "KB")])
def test_what_is_no_issue_is_refused(content: bytes, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        parse(content)
