"""Typed questions to Classify and its typed answers; limits of the wire are checked here, before any backend."""

from collections.abc import Mapping
from dataclasses import dataclass, field

MAX_OPTIONS = 255  # documented cap of one Choice on the System One wire
MAX_LEVELS = 10  # documented cap of one Score


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Pick one label; `options` maps label -> description, in order of preference for ties."""

    instructions: str
    options: Mapping[str, str]

    def __post_init__(self) -> None:
        """Refuse what the wire leaves undefined."""
        if not 2 <= len(self.options) <= MAX_OPTIONS:
            raise ValueError(f"a Choice takes 2 to {MAX_OPTIONS} options, not {len(self.options)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """Place on an ordered scale; `levels` from low to high."""

    instructions: str
    levels: tuple[str, ...]

    def __post_init__(self) -> None:
        """Refuse what the wire leaves undefined."""
        if not 2 <= len(self.levels) <= MAX_LEVELS:
            raise ValueError(f"a Score takes 2 to {MAX_LEVELS} levels, not {len(self.levels)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Noul:
    """How likely is it that this holds: one probability."""

    instructions: str


Question = Choice | Score | Noul


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """A Choice answered: the full map, its argmax and the confidence recomputed by our one formula."""

    choice: str
    probabilities: Mapping[str, float]
    confidence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """A Score answered: the expectation over level numbers 0..n-1, and the map."""

    score: float
    probabilities: Mapping[str, float]
    confidence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Nouled:
    """A Noul answered."""

    probability: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """No usable answer to this one question; never read as a decision."""

    reason: str


Answer = Chosen | Scored | Nouled | Missing


@dataclass(frozen=True, slots=True, kw_only=True)
class Classified:
    """One Classify call's return."""

    answers: Mapping[str, Answer]
    model: str
    """Which model answered, as `backend/model`; thresholds belong to it."""
    tokens: int = 0
    money: float | None = None
    """None: no price known."""
    seconds: float = 0.0
    request_id: str = ""
    notes: Mapping[str, str] = field(default_factory=dict)


def choice_confidence(probabilities: Mapping[str, float]) -> float:
    """Return (m - 1/n) / (1 - 1/n) for top probability m of n options; 1.0 for one option.

    TypeSafe's published formula, recomputed here so that every backend is measured alike.
    """
    count = len(probabilities)
    if count <= 1:
        return 1.0
    return max(0.0, (max(probabilities.values()) - 1 / count) / (1 - 1 / count))
