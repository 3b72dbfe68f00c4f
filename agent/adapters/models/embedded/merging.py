"""Several edits as one. Pure."""

from collections.abc import Sequence
from itertools import pairwise

from agent.adapters.models.embedded.scope import Edit


def apart(edits: Sequence[Edit]) -> bool:
    """Can these be made together: does none touch another?"""
    ordered = sorted(edits, key=lambda edit: (edit.begin, edit.end))
    return all(one.end <= two.begin and one.begin < two.begin for one, two in pairwise(ordered))


def merged(source: bytes, edits: Sequence[Edit], prior: float, family: str) -> Edit:
    """One edit from the first to the last of these, which must lie apart; its line is the first one's."""
    ordered = sorted(edits, key=lambda edit: edit.begin)
    begin, end, text = ordered[0].begin, ordered[0].begin, b""
    for edit in ordered:
        text += source[end : edit.begin] + edit.text
        end = edit.end
    return Edit(begin, end, text, prior, family, ordered[0].line)
