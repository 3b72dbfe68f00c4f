"""Works out what a draft makes of every file it touches, all of them or none; must not read or write a disk."""

from collections.abc import Callable, Mapping

from agent.domain.edit import Anchor, Draft, Hunk
from agent.edits.anchor import apply, numbered
from agent.edits.replace import Replaced, Why, not_text, replace

Reader = Callable[[str], bytes | None]
"""Present bytes of a tracked file; None when there is no such file."""


def contents(draft: Draft, anchor: Anchor | None, read: Reader) -> Mapping[str, bytes | None]:
    """Path -> the bytes it would have, None when it would be gone; ValueError when not all of it can be applied."""
    if draft.problem:
        raise ValueError(draft.problem)
    if not draft.hunks:
        if anchor is None:
            raise ValueError("the draft names no file")
        return {anchor.path: apply(read(anchor.path) or b"", anchor, draft)}
    before: dict[str, bytes | None] = {}
    after: dict[str, bytes | None] = {}
    for hunk in draft.hunks:
        present = after[hunk.path] if hunk.path in after else before.setdefault(hunk.path, read(hunk.path))
        after[hunk.path] = _applied(hunk, present)
    if all(after[path] == before[path] for path in after):
        raise ValueError("the draft changes nothing")
    return after


def _applied(hunk: Hunk, present: bytes | None) -> bytes | None:
    if hunk.delete:
        if present is None:
            raise ValueError(f"{hunk.path} does not exist, so it cannot be deleted")
        return None
    if numbered(hunk.new.encode(errors="replace")) and not numbered(present or b""):
        raise ValueError(f"the new text for {hunk.path} carries line numbers, which belong to the display")
    if present is None:
        if hunk.old:
            raise ValueError(f"{hunk.path} does not exist; to create it, leave the old text empty")
        text = hunk.new if hunk.new.endswith("\n") or not hunk.new else f"{hunk.new}\n"
        refused = not_text(text)
        if refused:
            raise ValueError(f"{hunk.path}: {refused.render()}")
        return text.encode()
    if not hunk.old and present:
        raise ValueError(f"{hunk.path} exists already: name the text to replace")
    return _replaced(hunk, present)


def _replaced(hunk: Hunk, present: bytes) -> bytes:
    """The content with the hunk's only place replaced, by the rules every edit is held to."""
    result = replace(present, hunk.old, hunk.new)
    if isinstance(result, Replaced):
        return result.content
    if result.why is Why.SAME:
        return present  # beside others that change something it does no harm
    raise ValueError(f"{hunk.path}: {result.render()}")
