"""Changes as one unified diff that `git apply` takes for text files; must not read anything but the changes."""

from collections.abc import Iterable
from difflib import diff_bytes, unified_diff

from agent.domain.edit import Change
from agent.edits.anchor import lines_of

_NO_NEWLINE = b"\n\\ No newline at end of file\n"


def unified(changes: Iterable[Change]) -> str:
    """One diff over all changes in their order; bytes that are no UTF-8 are shown escaped, binary files named only."""
    return b"".join(_of(change) for change in changes).decode(errors="backslashreplace")


def _of(change: Change) -> bytes:
    before, after = change.before or b"", change.after or b""
    if change.before == change.after:
        return b""
    old = b"/dev/null" if change.before is None else b"a/" + change.path.encode()
    new = b"/dev/null" if change.after is None else b"b/" + change.path.encode()
    head = b"diff --git a/%s b/%s\n" % (change.path.encode(), change.path.encode())
    if change.before is None:
        head += b"new file mode %o\n" % change.mode
    if change.after is None:
        head += b"deleted file mode %o\n" % change.mode
    if b"\0" in before[:8192] or b"\0" in after[:8192]:
        return head + b"Binary files %s and %s differ\n" % (old, new)
    body = diff_bytes(unified_diff, lines_of(before), lines_of(after), old, new)
    return head + b"".join(line if line.endswith(b"\n") else line + _NO_NEWLINE for line in body)
