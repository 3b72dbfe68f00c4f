"""What every tool says instead of doing what it was asked: a reason, after which nothing is different."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """Why a tool did nothing."""

    reason: str

    def render(self) -> str:
        """For a reader: what was wrong and what to do instead."""
        return self.reason
