"""Changes as one unified diff that `git apply` takes for text files; must not read anything but the changes."""

import re
from collections.abc import Iterable
from difflib import diff_bytes, unified_diff

from agent.domain.edit import Change
from agent.edits.anchor import lines_of

_BENDING = re.compile(rb'[\x00-\x1f\x7f"\\]')
_ESCAPED = re.compile(rb'[\x00-\x1f\x7f-\xff"\\]')
_NO_NEWLINE = b"\n\\ No newline at end of file\n"


def unified(changes: Iterable[Change]) -> str:
    """One diff over all changes in their order; bytes that are no UTF-8 are shown escaped, binary files named only."""
    return b"".join(_of(change) for change in changes).decode(errors="backslashreplace")


def _of(change: Change) -> bytes:
    before, after = change.before or b"", change.after or b""
    if change.before == change.after:
        return b""
    names = _named(b"a/", change.path), _named(b"b/", change.path)
    old = b"/dev/null" if change.before is None else names[0]
    new = b"/dev/null" if change.after is None else names[1]
    head = b"diff --git %s %s\n" % names
    if change.before is None:
        head += b"new file mode %o\n" % change.mode
    if change.after is None:
        head += b"deleted file mode %o\n" % change.mode
    if b"\0" in before[:8192] or b"\0" in after[:8192]:
        return head + b"Binary files %s and %s differ\n" % (old, new)
    body = diff_bytes(unified_diff, lines_of(before), lines_of(after), old, new)
    return head + b"".join(line if line.endswith(b"\n") else line + _NO_NEWLINE for line in body)


def _named(side: bytes, path: str) -> bytes:
    """A name as git writes it: in quotes, with octal escapes, when it holds what would end or bend a line."""
    name = side + path.encode("utf-8", "surrogateescape")
    if path.isprintable() and not _BENDING.search(name):
        return name
    return b'"%s"' % _ESCAPED.sub(lambda match: b"\\%03o" % match[0][0], name)
