"""Frames foreign text so that nothing in it can close the frame or pass for a heading of ours; changes no other byte.

A fence of backticks, longer than any run inside (CommonMark 0.31.2, section 4.5), is what every model has seen most
of, needs no secret, and is the same for the same content, so that a replayed run sends the same prompt.
"""

import re

_RUN = re.compile(r"`+")
_LEAST = 3
TITLE = 200
"""Characters of a heading: paths may be long and are somebody else's."""


def fenced(title: str, body: str) -> str:
    """A heading and the framed body, ending in a newline."""
    fence = "`" * max(_LEAST, 1 + max((len(run) for run in _RUN.findall(body)), default=0))
    newline = "" if body.endswith("\n") or not body else "\n"
    return f"## {one_line(title)}\n{fence}\n{body}{newline}{fence}\n"


def frame(title: str, body: str) -> int:
    """Characters `fenced` adds to the body."""
    return len(fenced(title, body)) - len(body)


def one_line(text: str, limit: int = TITLE) -> str:
    """Text on one line, at most `limit` characters: what is not printable is escaped, a longer one ends in `...`."""
    seen = "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text[: limit + 1])
    return seen if len(seen) <= limit else seen[: limit - 3] + "..."


def encodable(text: str) -> str:
    """The same text, lone surrogates as `?`: no request could carry them."""
    return text.encode("utf-8", "replace").decode("utf-8")


def revealed(text: str) -> str:
    """Source as a person reads it: characters that only hide or reorder text are named; joiners in emoji stay.

    What is to be replaced byte for byte is not shown through this.
    """
    return _HIDING.sub(_named, text)


def seen(text: str) -> str:
    """Output as a person would see it on a terminal: no colour codes, and unseen characters made visible."""
    plain = _SELECTOR.sub("", _ESCAPE.sub("", text)).replace("\r\n", "\n")
    return _UNSEEN.sub(_named, plain)


def _named(match: re.Match[str]) -> str:
    return f"<U+{ord(match[0]):04X}>"


_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-_])")
_SELECTOR = re.compile("[\ufe0e\ufe0f]")  # text or picture, behind every second symbol a test runner prints
_HIDING = re.compile("[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e0fff]")
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff]"
)
