"""Cuts the bytes an edit replaces out of a file and puts others in their place; must not decode what it copies."""

import re

from agent.domain.edit import Anchor, Draft

_NUMBERED = re.compile(rb"^\d+(?:\.\d+)?\t", re.MULTILINE)


def lines_of(source: bytes) -> list[bytes]:
    r"""The lines with their own endings; `\n` alone ends a line, the last one may have no ending."""
    return source.splitlines(keepends=True) if b"\r" not in source else re.findall(rb"[^\n]*\n|[^\n]+\Z", source)


def anchor_at(path: str, source: bytes, begin: int, end: int) -> Anchor:
    """Lines `begin` to `end` (1-based, inclusive) of a file as an anchor; ValueError when they are not there."""
    lines = lines_of(source)
    if not 1 <= begin <= end <= len(lines):
        raise ValueError(f"{path} has {len(lines)} lines, so {begin} to {end} are no anchor")
    return Anchor(path=path, begin=begin, end=end, old=b"".join(lines[begin - 1 : end]))


def apply(source: bytes, anchor: Anchor, draft: Draft) -> bytes:
    """The file with the anchor's bytes replaced by the draft's; everything else stays byte for byte.

    ValueError when the file no longer holds the anchor, or when the draft cannot be meant: no change at all, rows that
    carry line numbers, or bytes that would join the next line.
    """
    lines = lines_of(source)
    if b"".join(lines[anchor.begin - 1 : anchor.end]) != anchor.old or not anchor.old:
        raise ValueError(f"{anchor.path} no longer holds the anchored lines {anchor.begin} to {anchor.end}")
    if draft.text == anchor.old:
        raise ValueError("the draft changes nothing")
    if numbered(draft.text) and not numbered(anchor.old):
        raise ValueError("the draft's lines carry line numbers, which belong to the display and not to the file")
    if draft.text and anchor.old.endswith(b"\n") and not draft.text.endswith(b"\n"):
        raise ValueError("the draft does not end its last line and would join the next one")
    return b"".join([*lines[: anchor.begin - 1], draft.text, *lines[anchor.end :]])


def numbered(text: bytes) -> bool:
    """Whether a line begins with a line number and a tab, as a display of a file has them."""
    return _NUMBERED.search(text) is not None


def after(anchor: Anchor, draft: Draft) -> Anchor:
    """Where the draft's bytes now stand: the anchor of a repair in place; ValueError when nothing stands there."""
    count = len(lines_of(draft.text))
    if not count:
        raise ValueError("the draft removed the anchored lines, so there is nothing to repair")
    return Anchor(path=anchor.path, begin=anchor.begin, end=anchor.begin + count - 1, old=draft.text)
