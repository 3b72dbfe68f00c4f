"""A model's free text as a draft: framing removed, line endings kept; judges nothing and knows no file."""

import re

from agent.domain.edit import Anchor, Draft
from agent.edits.sentinel import Malformed, is_sentinel, parse

_FENCE = re.compile(r"\A\s*```[^\n`]*\n(?P<inner>.*?)\n?```\s*\Z", re.DOTALL)


def draft_of(reply: str, anchor: Anchor | None) -> Draft:
    """A reply as one draft: groups in sentinel form, else the replacement of the anchor's lines.

    Whatever cannot be meant becomes a draft with a `problem`, so that its author can be told; it is never guessed at.
    """
    if anchor is None or is_sentinel(reply):
        hunks = parse(unfenced(reply))
        return Draft(problem=hunks.reason) if isinstance(hunks, Malformed) else Draft(hunks=hunks)
    text = replacement_text(reply, anchor)
    return Draft(problem="the reply holds no text") if text is None else Draft(text=text)


def replacement_text(reply: str, anchor: Anchor) -> bytes | None:
    """The replacement for `anchor.old`, or None when there is nothing in it.

    Line endings become those of the anchor, and so does the final newline.
    """
    text = unfenced(reply).replace("\r\n", "\n").strip("\n")
    if not text.strip():
        return None
    newline = b"\r\n" if b"\r\n" in anchor.old else b"\n"
    encoded = newline.join(line.encode(errors="replace") for line in text.split("\n"))
    return encoded + newline if anchor.old.endswith(b"\n") else encoded


def unfenced(reply: str) -> str:
    """The reply without one surrounding code fence.

    Two fences, or prose around one, are no framing and stay: such a draft fails its check by itself.
    """
    match = _FENCE.match(reply)
    return match["inner"] if match and "\n```" not in match["inner"] else reply
