"""An issue file's title and body: its first heading is the title; no IO, and the text is data throughout."""

from dataclasses import dataclass
from itertools import pairwise

from markdown_it import MarkdownIt

LARGEST = 262_144
"""Bytes; what a forge accepts as the text of an issue or comment at most."""
TITLE_LENGTH = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueText:
    """What Classify and Generate are shown."""

    title: str
    body: str


def parse(content: bytes) -> IssueText:
    """Split an issue; without a heading its first line is the title. ValueError says what is wrong with it."""
    if len(content) > LARGEST:
        raise ValueError(f"the issue is larger than {LARGEST // 1024} KB; shorten it")
    if b"\0" in content:
        raise ValueError("the issue is no text (it holds zero bytes); name a Markdown file")
    text = content.decode("utf-8-sig", errors="replace").replace("\r\n", "\n")
    lines = text.split("\n")
    # A parser, not a pattern: a `# comment` inside a code block is no heading.
    for opening, inline in pairwise(MarkdownIt("commonmark").parse(text)):
        if opening.type == "heading_open" and opening.map and inline.content.strip():
            begin, end = opening.map
            return _issue(inline.content, lines[:begin] + lines[end:])
    for number, line in enumerate(lines):
        if line.strip():
            return _issue(line, lines[number + 1 :])
    raise ValueError("the issue is empty; write at least a title")


def _issue(title: str, rest: list[str]) -> IssueText:
    return IssueText(title=" ".join(title.split())[:TITLE_LENGTH], body="\n".join(rest).strip("\n"))
