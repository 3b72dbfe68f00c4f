"""What becomes of each kind of answer, row by row: a route table whose rows are guards.

A row's script plays through the real proposal and the real guards; its last answer is the one that is looked at. Three
things differ from a table of which the first fitting row wins, and the ids of their rows begin with `instead`: what
could not happen whatever its arguments is not offered in the first place; every guard that refuses is heard, in no
order; and whoever is excused from the floor is excused from nothing else.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.route_rows import (
    ANSWER,
    CLEAR,
    DONE,
    EDIT,
    FILES,
    LOOK,
    NONE,
    OPEN,
    OTHER,
    PLAN,
    READ,
    SEARCH,
    SUITE,
    WRONG,
    Row,
    play,
    weak,
)
from tests.support.scripted_models import Say

ROWS: Mapping[str, Row] = {
    # what is no decision
    "no answer to `action` stops": Row(
        says=(replace(READ, missing=frozenset({"action"})),), chosen="", by="loop", reason="gave no decision"
    ),
    "`none` stops": Row(says=(NONE,), chosen="stop", by="classify", reason="no fitting action"),
    "`none` stops whatever else is said": Row(
        says=(replace(NONE, confidence=0.01, repeats=1.0, risk=2.0, needs=0.0),), chosen="stop", by="classify"
    ),
    # the floor
    "a confident read acts": Row(says=(READ,), chosen="read_code", by="classify"),
    "a read at 0.50 acts": Row(says=(weak(READ, 0.5),), chosen="read_code", by="classify"),
    "a read at 0.45 acts": Row(says=(weak(READ, 0.45),), chosen="read_code", by="classify"),
    "a read at 0.44 is rerouted": Row(
        says=(weak(READ, 0.44),), chosen="read_code", by="fallback", guards=("floors",), reason="under the floor"
    ),
    "an edit at 0.50 is rerouted": Row(
        says=(READ, weak(EDIT, 0.5)), chosen="read_code", by="fallback", guards=("floors",)
    ),
    "an edit at 0.65 acts": Row(says=(READ, weak(EDIT, 0.65)), chosen="apply_edit", by="classify"),
    "an answer at 0.30 is rerouted": Row(
        says=(LOOK, weak(ANSWER)), chosen="read_code", by="fallback", guards=("floors",)
    ),
    "a second weak decision in a row is rerouted": Row(
        says=(weak(SEARCH), weak(SEARCH)), chosen="read_code", by="fallback", guards=("floors",)
    ),
    "the third acts: a search": Row(says=(weak(SEARCH),) * 3, chosen="search_code", by="classify"),
    "the third acts: a read": Row(
        says=(
            *(weak(replace(SEARCH, read=path)) for path in ("alpha.py", "free.py")),
            weak(replace(READ, read="more.py")),
        ),
        chosen="read_code",
        by="classify",
    ),
    "the third acts: an edit": Row(says=(READ, *(weak(EDIT),) * 3), chosen="apply_edit", by="classify"),
    "an edit at 0.50 is counted as weak": Row(
        says=(READ, weak(EDIT, 0.5), weak(EDIT, 0.5), weak(SEARCH)), chosen="search_code", by="classify"
    ),
    "acting begins the count again": Row(
        says=(*(weak(SEARCH),) * 3, weak(SEARCH)), chosen="read_code", by="fallback", guards=("floors",)
    ),
    "a weak end never acts, and the third reroute in a row ends the run": Row(
        says=(weak(LOOK), weak(LOOK), weak(DONE)),
        chosen="stop",
        by="fallback",
        guards=("floors",),
        reason="it would be reroute 3 in a row",
    ),
    "a confident end acts": Row(says=(LOOK, DONE), chosen="task_complete", by="classify"),
    # a failed verification, a named file that was read
    "a weak edit after a failed draft acts": Row(
        says=(READ, EDIT, weak(EDIT, 0.1)), chosen="apply_edit", by="classify", writes=(WRONG,)
    ),
    "and is not counted as weak": Row(
        says=(READ, EDIT, weak(EDIT, 0.1), weak(SEARCH)),
        chosen="read_code",
        by="fallback",
        guards=("floors",),
        writes=(WRONG,),
    ),
    "instead: after a failed draft as well it faces every other guard": Row(
        says=(READ, EDIT, replace(weak(EDIT), repeats=0.9)),
        chosen="read_code",
        by="fallback",
        guards=("recorded-failure",),
        writes=(WRONG,),
    ),
    "a weak search after a failed draft is rerouted": Row(
        says=(READ, EDIT, weak(SEARCH)), chosen="read_code", by="fallback", guards=("floors",), writes=(WRONG,)
    ),
    "a weak edit of the file a refusal named acts once it was read": Row(
        says=(READ, OTHER, weak(OTHER)), chosen="apply_edit", by="classify"
    ),
    "and only of that file": Row(says=(READ, OTHER, weak(EDIT)), chosen="read_code", by="fallback", guards=("floors",)),
    "instead: whoever is excused from the floor still faces every other guard": Row(
        says=(READ, OTHER, replace(weak(OTHER), repeats=0.9)),
        chosen="read_code",
        by="fallback",
        guards=("recorded-failure",),
    ),
    "instead: a spent floor excuses from the floor alone": Row(
        says=(weak(SEARCH), weak(SEARCH), replace(weak(SEARCH), repeats=0.9)),
        chosen="stop",  # the third reroute in a row
        by="fallback",
        guards=("recorded-failure",),
    ),
    # recorded failures
    "repeats at 0.90 is rerouted": Row(
        says=(replace(SUITE, repeats=0.9),), chosen="read_code", by="fallback", guards=("recorded-failure",)
    ),
    "repeats at 0.61 is rerouted": Row(
        says=(replace(SUITE, repeats=0.61),), chosen="read_code", by="fallback", guards=("recorded-failure",)
    ),
    "repeats at 0.60 acts": Row(says=(replace(SUITE, repeats=0.6),), chosen="run_suite", by="classify"),
    "repeats without an answer is no repetition": Row(
        says=(replace(SUITE, repeats=0.9, missing=frozenset({"repeats"})),), chosen="run_suite", by="classify"
    ),
    # risk
    "risk 1.8 unasked wants a person": Row(
        says=(replace(SUITE, risk=1.8, needs=0.1),),
        chosen="read_code",
        by="fallback",
        guards=("risk",),
        reason="a person should confirm",
    ),
    "risk 1.5 unasked wants a person": Row(
        says=(replace(SUITE, risk=1.5, needs=0.49),), chosen="read_code", by="fallback", guards=("risk",)
    ),
    "risk 1.8 asked for acts": Row(says=(replace(SUITE, risk=1.8, needs=0.9),), chosen="run_suite", by="classify"),
    "risk 1.8 with no word of what was asked wants a person": Row(
        says=(replace(SUITE, risk=1.8, missing=frozenset({"needs_code_change"})),),
        chosen="read_code",
        by="fallback",
        guards=("risk",),
    ),
    "risk without an answer is none": Row(
        says=(replace(SUITE, risk=2.0, needs=0.1, missing=frozenset({"risk"})),), chosen="run_suite", by="classify"
    ),
    "instead: what only reads or ends cannot be risky": Row(
        says=(replace(READ, risk=2.0, needs=0.1),), chosen="read_code", by="classify"
    ),
    "instead: every guard that refuses is heard, whatever the order": Row(
        says=(replace(weak(SUITE), repeats=0.9, risk=1.8, needs=0.1),),
        chosen="read_code",
        by="fallback",
        guards=("recorded-failure", "risk", "floors"),
    ),
    # what has to come first
    "an edit of an unread file is rerouted into reading it": Row(
        says=(READ, OTHER),
        chosen="read_code",
        by="fallback",
        guards=("read-before-edit", "picked"),
        reason="more.py has not been read",
    ),
    "an edit with an open plan acts": Row(
        says=(LOOK, PLAN, EDIT), chosen="apply_edit", by="classify", writes=(OPEN,), prose=True
    ),
    "an end with a plan that names no file acts": Row(
        says=(LOOK, PLAN, DONE), chosen="task_complete", by="classify", writes=(CLEAR,), prose=True
    ),
    "an edit when there is nothing left to read acts": Row(
        says=(*(replace(READ, read=path) for path in FILES), EDIT), chosen="apply_edit", by="classify"
    ),
    "a read when there is nothing left to read is rerouted into searching": Row(
        says=(*(replace(READ, read=path) for path in FILES), Say(action="read_code")),
        chosen="search_code",
        by="fallback",
        guards=("picked",),
    ),
}


@pytest.mark.parametrize("row", [pytest.param(row, id=name) for name, row in ROWS.items()])
def test_row(tmp_path: Path, row: Row) -> None:
    run, _ = play(tmp_path, row)
    decision = run.of("decision")[len(row.says) - 1]
    selected, blocked = decision["selected"], decision["blocked"] if row.by != "loop" else []
    assert isinstance(blocked, list)
    assert ((selected or {"action": ""})["action"], decision["by"]) == (row.chosen, row.by)  # type: ignore[index]
    refused = [one for one in blocked if one.get("top") and one["action"] == row.says[-1].action]
    assert sorted(one["by"] for one in refused) == sorted(row.guards)
    told = [str(one["why"]) for one in blocked] + [run.result.outcome_reason]
    assert any(row.reason in one for one in told), told
