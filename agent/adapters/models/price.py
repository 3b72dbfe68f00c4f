"""What a served model costs; must not know who asks it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """Money per million tokens, in and out."""

    per_million_in: float
    per_million_out: float = 0.0

    def of(self, tokens_in: int, tokens_out: int) -> float:
        """Cost of one call."""
        return (tokens_in * self.per_million_in + tokens_out * self.per_million_out) / 1_000_000
