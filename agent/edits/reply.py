"""A model's free text as the bytes that replace an anchor: framing removed, line endings kept; judges nothing."""

import re

from agent.domain.edit import Anchor

_FENCE = re.compile(r"\A\s*```[^\n`]*\n(?P<inner>.*?)\n?```\s*\Z", re.DOTALL)


def replacement_text(reply: str, anchor: Anchor) -> bytes | None:
    """The replacement for `anchor.old`, or None when there is nothing in it.

    One surrounding code fence is framing and goes; two fences, or prose around one, are not framing and stay (such a
    draft fails its check by itself). Line endings become those of the anchor, and so does the final newline.
    """
    match = _FENCE.match(reply)
    inner = match["inner"] if match and "\n```" not in match["inner"] else reply
    text = inner.replace("\r\n", "\n").strip("\n")
    if not text.strip():
        return None
    newline = b"\r\n" if b"\r\n" in anchor.old else b"\n"
    encoded = newline.join(line.encode() for line in text.split("\n"))
    return encoded + newline if anchor.old.endswith(b"\n") else encoded
