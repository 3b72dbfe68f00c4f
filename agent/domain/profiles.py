"""Which floors a Classify backend's answers are held against, by backend and model; must not read any answer.

`confidence` is no common currency: the same 0.6 is half-hearted from one server and certain from another. A profile
says for one pair what was measured, and warns where nothing was.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields

from agent.domain.thresholds import (
    ACTION_FLOOR,
    ANCHOR_FLOOR,
    ANSWER_PROGRESS,
    BLOCKED,
    CHANGE_ASKED,
    EDIT_FLOOR,
    PICK_FLOOR,
    PRESENT_FLOOR,
    REPEATS,
    TOP_RISK,
    Floor,
)

NOT_CALIBRATED = "not calibrated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """The floors of one (backend, model); each carries what it was measured on."""

    name: str
    """`backend/model`, or a backend alone when its floors hold for every model behind it."""
    calibrated: bool
    """The floors come from runs with exactly this backend and model."""
    known: bool = True
    """False: nobody has chosen floors for this pair, bendcoder's stand in."""
    action: Floor = ACTION_FLOOR
    edit: Floor = EDIT_FLOOR
    repeats: Floor = REPEATS
    top_risk: Floor = TOP_RISK
    change_asked: Floor = CHANGE_ASKED
    answer_progress: Floor = ANSWER_PROGRESS
    pick: Floor = PICK_FLOOR
    anchor: Floor = ANCHOR_FLOOR
    present: Floor = PRESENT_FLOOR
    blocked: Floor = BLOCKED

    @property
    def warning(self) -> str:
        """One sentence for the trace when these floors say little about the model; empty when they were measured."""
        if self.calibrated:
            return ""
        why = "its floors are a guess" if self.known else "nobody has measured this pair, bendcoder's floors stand in"
        return f"{self.name} is {NOT_CALIBRATED}: {why}"

    def floors(self) -> Mapping[str, Floor]:
        """Every floor by its name, in a fixed order: for the trace, the documentation and the tuner."""
        named = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: floor for name, floor in named.items() if isinstance(floor, Floor)}


BENDCODER = Profile(name="systemone/jev-1.13.0", calibrated=True)
"""What everything else is compared with."""

_VERBALISED = "not measured: a language model writes its probabilities down, and writes round ones"

_KNOWN = (
    BENDCODER,
    Profile(name="systemone/jev-1.13", calibrated=True),  # OpenRouter's name of the same model
    Profile(name="embedded", calibrated=False),
    Profile(
        name="llm",
        calibrated=False,
        action=Floor(0.50, _VERBALISED),
        edit=Floor(0.65, _VERBALISED),
        pick=Floor(0.40, _VERBALISED),
        anchor=Floor(0.40, f"{_VERBALISED}; a line is picked in up to three rounds, whose probabilities multiply"),
    ),
)


def profile_of(backend: str, model: str = "") -> Profile:
    """The profile of a pair, else of its backend, else bendcoder's floors under the pair's name, marked unknown."""
    pair = f"{backend}/{model}" if model else backend
    for name in (pair, backend):
        for one in _KNOWN:
            if one.name == name:
                return one
    return Profile(name=pair, calibrated=False, known=False)
