"""Every number a decision hangs on, with what it was measured on; must hold no logic.

A `Floor` is held against what a Classify backend answered, so it belongs to that backend and its model: `profiles`
says which floors go with which. Those here are bendcoder's, from its live runs with jev-1.13.0; for any other backend
they are a starting point. The plain numbers below them belong to the loop and hold for every backend.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Floor:
    """A number an answer is held against, and what it was measured on in words a maintainer can check."""

    value: float
    basis: str


NOT_MEASURED = "not measured: bendcoder's choice"

ACTION_FLOOR = Floor(0.45, "bendcoder, live runs: steps that advanced had at least 0.55, flailing ones 0.21 to 0.43")
"""Confidence of the chosen action."""
EDIT_FLOOR = Floor(0.65, NOT_MEASURED)
"""The same for an edit."""
REPEATS = Floor(0.60, NOT_MEASURED)
"""Above it Classify itself says that the next action repeats a recorded failure."""
TOP_RISK = Floor(1.5, NOT_MEASURED)
"""Risk score (0 to 2) from which a person should confirm what the goal did not ask for."""
CHANGE_ASKED = Floor(0.50, NOT_MEASURED)
"""Probability from which the goal counts as asking for a change of files."""
ANSWER_PROGRESS = Floor(1.0, "the edge of the scale's lowest band")
"""Progress score (0 to 2) below which an answer without any reading is a guess."""
PICK_FLOOR = Floor(0.40, NOT_MEASURED)
"""Confidence of a pick of file, window or last line."""
ANCHOR_FLOOR = Floor(0.60, "bendcoder: 218 lines in one request, the right one present at 0.9 or more, absent at 0.05")
"""Confidence of a pick of the first line."""
PRESENT_FLOOR = Floor(0.50, "bendcoder: the code was there at 0.9 or more, and not there at 0.05 or less")
"""Probability that what is shown holds the code to change, below which no line of it is picked."""
BLOCKED = Floor(0.60, NOT_MEASURED)
"""Above it Classify itself says that the task is blocked, so it cannot be done without any change."""

SPENT_AFTER = 2
"""Reroutes below the floor after which the top proposal may act all the same. bendcoder: live runs."""
FLAIL_AFTER = 3
"""Reroutes in a row that end the run. bendcoder: live runs."""
DECLINED_LIMIT = 2
"""Declined file picks in a row after which reading is over until something changes. bendcoder: live runs."""
MISS_LIMIT = 2
"""Missed searches in a row after which searching is over until new evidence. bendcoder: live runs."""
REPAIR_LIMIT = 2
"""Failed repairs of a draft after which the last good bytes come back. A rule of a sibling agent; not measured."""

PAGE_LINES = 200
"""Lines one read serves."""
WINDOW_LINES = 200
"""Lines of one window of anchor options; widened up to `MAX_WINDOW` to hold a whole block."""
MAX_WINDOW = 255
"""What one Choice can hold."""
PATH_OPTIONS = 254
"""Files offered in one Choice: 255 less the way out."""
OBSERVATION_CHARS = 6_000
OBSERVATIONS_CHARS = 32_768
GOAL_CHARS = 16_384
"""Of the goal, in the state: issue text is untrusted and can be long."""
DRAFTS = 3
"""Drafts asked of one Generate call. One is usual for chat; the embedded search returns what passed screening."""
SUSPECTS = 12
"""Most suspected functions shown in the state."""
GENERATE_SECONDS = 120.0
"""Ceiling of one Generate call, when the run has that much left."""
SUITE_RESERVE = 1.2
"""Times the baseline's seconds, kept back for the suite an edit needs before it is kept."""
SPECTRUM_SHARE = 0.25
"""Of the time left after the baseline, what finding suspects may take."""
