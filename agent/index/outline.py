"""Names of what a source defines, for the description of a file; must not take longer than a glance may cost.

Parsing is exact and slow (4 MB a second), so only the first files of a ranking are parsed; the others are looked
through for lines that begin with a word that defines something.
"""

import re
from collections.abc import Collection, Iterable

from agent.index.grammars import MOST_BYTES, definitions, language_of
from agent.index.rank import words

READ_BYTES = 512 * 1024
"""Larger files are described by their path alone."""
_LINE = re.compile(
    rb"^[ \t]{0,4}(?:(?:export|default|pub|public|private|static|abstract|final|async)(?:\([\w ]*\))?[ \t]+)*+"
    rb"(?:def|class|func|fn|function|type|struct|enum|interface|trait|module)[ \t]+(?:\([^()\n]*\)[ \t]*)?(\w+)",
    re.MULTILINE,
)
_NAMES = 400
"""Names of one file; the rest is data or generated."""


def parsable(path: str, size: int) -> bool:
    """Whether a file can be parsed at all: there is a grammar, and it is not too large."""
    return bool(language_of(path)) and size <= MOST_BYTES


def names(source: bytes, path: str, *, parse: bool) -> tuple[str, ...]:
    """Names defined in a source, in its order, each once and without what stands around it."""
    if parse:
        found: Iterable[str] = (one.name.rpartition(".")[2] for one in definitions(source, language_of(path)))
    else:
        found = (name.decode(errors="replace") for name in _LINE.findall(source[:READ_BYTES]))
    return tuple(dict.fromkeys(name for name in found if name.isprintable() and name))[:_NAMES]


def way_of(path: str, *, parse: bool) -> str:
    """What besides its bytes decides which names a file has: its grammar, empty when it is not parsed."""
    return language_of(path) if parse else ""


def described(path: str, defined: Collection[str], query: Collection[str], room: int) -> str:
    """A path and as many names as fit, those first that share a word with the query: a file may define hundreds."""
    asked = set(words("\n".join(defined))).intersection(query)  # of the file at once: most files hold few or none
    wanted = [name for name in defined if name.lower() in query or (asked and not asked.isdisjoint(words(name)))]
    chosen = ", ".join(dict.fromkeys([*wanted, *defined]))[:room]
    return f"{path}: {chosen}" if chosen else path
