"""What the bytes of a file are: text or not, byte order mark, line endings. Looks at bytes alone, never at names.

Nothing here decodes a whole file: a file of any size and any encoding must survive being looked at.
"""

import re
from collections import Counter

BOM = b"\xef\xbb\xbf"
BINARY_PROBE = 8192
"""Bytes looked at for a NUL; git looks at 8,000, GNU grep at its first buffer of 32 KiB."""
_WIDE = (b"\xff\xfe", b"\xfe\xff")  # UTF-16 and UTF-32 by their marks: text to a person, not to a tool over bytes
_ENDING = re.compile(rb"\r?\n")


def is_binary(content: bytes) -> bool:
    """Whether text tools must keep off: a NUL among the first 8 KiB, or the mark of an encoding with wide units."""
    return content.startswith(_WIDE) or b"\0" in content[:BINARY_PROBE]


def is_utf8(content: bytes) -> bool:
    """Whether all of it is UTF-8."""
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def ending_near(content: bytes, begin: int, end: int) -> bytes:
    r"""The line ending that new text at `content[begin:end]` should take: `\n` or `\r\n`.

    The most frequent one inside the span; else that of the line the span ends in; else of the line before; else `\n`.
    """
    inside = Counter(match[0] for match in _ENDING.finditer(content, begin, end))
    if inside:
        return inside.most_common(1)[0][0]
    following = content.find(b"\n", end)
    at = following if following >= 0 else content.rfind(b"\n", 0, begin)
    return b"\r\n" if at > 0 and content[at - 1 : at] == b"\r" else b"\n"


def with_endings(text: str, ending: bytes) -> bytes:
    r"""The text as UTF-8 with `ending` for each `\n` or `\r\n`; UnicodeEncodeError for lone surrogates."""
    return text.replace("\r\n", "\n").encode().replace(b"\n", ending)
