"""The typed questions of a step, in our own words; must not read any answer."""

from collections.abc import Mapping, Sequence

from agent.domain.action import Action
from agent.domain.answers import Choice, Noul, Question, Score

NONE = "none"
_ACTIONS: Mapping[str, str] = {
    Action.READ_CODE: "read the next page of a file, because its text is needed before anything can be decided",
    Action.SEARCH_CODE: "search the tracked files for a literal string, because the right file is not known yet",
    Action.PLAN: "list the places that have to change, each with its file, because the directive takes several changes",
    Action.REPRODUCE: "write one new test that fails for the reported reason, because no test fails for it yet",
    Action.APPLY_EDIT: "replace lines of a file that was read: the cause is understood and can be corrected now",
    Action.RUN_SUITE: "run the whole test suite to see the present state",
    Action.GENERATE_ANSWER: "answer in prose, because the directive asks a question and not for a change",
    Action.TASK_COMPLETE: "finish: the directive is fulfilled and the suite has confirmed it",
}


def step_questions(actions: Sequence[Action], read: Mapping[str, str], edit: Mapping[str, str]) -> dict[str, Question]:
    """Everything asked in the one call of a step; a pick of files is asked when there are files to pick from."""
    offered = {action.value: _ACTIONS[action] for action in actions}
    asked: dict[str, Question] = {
        "action": Choice(
            instructions="Which single action brings the directive forward most, given the facts and observations?",
            options={**offered, NONE: "no listed action fits"},
        ),
        "is_blocked": Noul(instructions="Is the task blocked by an error, or by a failing `facts.verification`?"),
        "repeats": Noul(instructions="Would that action repeat something the observations already show failing?"),
        "needs_code_change": Noul(instructions="Does the directive ask for a change of files in this repository?"),
        "risk": Score(
            instructions="How much could that action destroy or expose?",
            levels=(
                "nothing, it only reads",
                "little, it runs a command or writes text and can be undone",
                "much, it writes files or can break the build",
            ),
        ),
        "progress_score": Score(
            instructions="How close are the observations to a verified result?",
            levels=("just begun", "the cause is understood", "corrected and verified"),
        ),
    }
    if read:
        none = {NONE: "no listed file is worth reading next"}
        asked["file_to_read"] = Choice(instructions="Which file should be read next?", options={**read, **none})
    if edit:
        asked["file_to_edit"] = Choice(
            instructions="Which file has to change?", options={**edit, NONE: "no listed file has to change"}
        )
    return asked


def window_question(spans: Sequence[tuple[int, int]]) -> dict[str, Question]:
    """Which part of a long file holds the lines to change; labels are first lines."""
    options = {str(begin): f"lines {begin} to {end}" for begin, end in spans[:254]}
    return {
        "edit_window": Choice(
            instructions="Which part of the file holds the lines that have to change?",
            options={**options, NONE: "none of these parts"},
        )
    }


def anchor_questions(first: int, lines: Sequence[str], part: str = "") -> dict[str, Question]:
    """First and last line to replace, and whether they are there; labels are line numbers, descriptions the text.

    `part` tells the questions about several parts of a file apart, as `@201`.
    """
    options = {str(first + place): text for place, text in enumerate(lines)}
    if len(options) == 1:
        options[NONE] = "not this line"
    return {
        f"edit_anchor{part}": Choice(
            instructions="Which line is the first one that has to be replaced?", options=options
        ),
        f"edit_end{part}": Choice(instructions="Which line is the last one that has to be replaced?", options=options),
        f"edit_present{part}": Noul(instructions="Do these lines hold the code that has to change?"),
    }
