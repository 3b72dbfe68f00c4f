"""Which of several survivors to hand over first: the search's order, corrected by what the edit mixes. Pure."""

from collections.abc import Sequence

from agent.adapters.models.embedded.scope import Edit
from agent.ports import WriteRequest


def order(request: WriteRequest, edits: Sequence[Edit], survivors: Sequence[int]) -> list[int]:
    """Survivors' places, best first."""
    return list(survivors)
