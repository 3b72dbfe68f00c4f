"""A model's free text as the bytes that replace an anchor: framing removed, line endings kept; judges nothing."""

import re

from agent.domain.edit import Anchor, Draft
from agent.edits.sentinel import Hunk, Malformed, parse

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


def draft_of(reply: str, anchor: Anchor, source: bytes) -> Draft | None:
    """A reply in sentinel form as one draft: hunks of the anchor's file on top of `source`, and files to create.

    None when anything of it cannot be meant: half a reply is never half applied. An old text must occur exactly once;
    another existing file was never read, so only an empty old text (a new file) is possible there.
    """
    hunks = parse(reply)
    if isinstance(hunks, Malformed):
        return None
    content, files = source, {}
    for hunk in hunks:
        if hunk.path == anchor.path and hunk.old:
            replaced = _once(content, hunk)
            if replaced is None:
                return None
            content = replaced
        elif hunk.path != anchor.path and not hunk.old and hunk.path not in files:
            files[hunk.path] = hunk.new.encode() if hunk.new.endswith("\n") else f"{hunk.new}\n".encode()
        else:
            return None
    if content != source:
        files[anchor.path] = content
    return Draft(text=anchor.old, files=tuple(files.items())) if files else None


def _once(content: bytes, hunk: Hunk) -> bytes | None:
    """The content with the hunk's only occurrence replaced, in the content's own line endings."""
    newline = "\r\n" if b"\r\n" in content else "\n"
    old, new = (text.replace("\r\n", "\n").replace("\n", newline).encode() for text in (hunk.old, hunk.new))
    return content.replace(old, new) if content.count(old) == 1 else None
