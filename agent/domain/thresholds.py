"""Every number a decision hangs on, with what it was measured on; must hold no logic.

Numbers marked `bendcoder` come from that project's live runs with jev-1.13.0; they belong to that model. For any other
backend they are a starting point, and what it returns is labelled as not calibrated wherever it is shown.
"""

ACTION_FLOOR = 0.45
"""Confidence of the chosen action. bendcoder: steps that advanced had at least 0.55, flailing ones 0.21 to 0.43."""
EDIT_FLOOR = 0.65
"""The same for an edit. Not measured."""
REPEATS = 0.60
"""Above it Classify itself says that the next action repeats a recorded failure. Not measured."""
TOP_RISK = 1.5
"""Risk score (0 to 2) from which a person should confirm what the goal did not ask for. Not measured."""
CHANGE_ASKED = 0.50
"""Probability from which the goal counts as asking for a change of files. Not measured."""
ANSWER_PROGRESS = 1.0
"""Progress score (0 to 2) below which an answer without any reading is a guess. The edge of the scale's band."""
PICK_FLOOR = 0.40
"""Confidence of a pick of file or window. Not measured."""
ANCHOR_FLOOR = 0.60
"""Confidence of a pick of first or last line. bendcoder: 218 lines in one request, present at 0.9 or more."""

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
SPECTRUM_SHARE = 0.25
"""Of the time left after the baseline, what finding suspects may take."""
