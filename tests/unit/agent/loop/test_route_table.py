"""What becomes of each kind of answer, row by row: a route table whose rows are guards.

A row's script plays through the real proposal and the real guards; its last answer is the one that is looked at. Three
things differ from a table of which the first fitting row wins, and the ids of their rows begin with `instead`: what
could not happen whatever its arguments is not offered in the first place; every guard that refuses is heard, in no
order; and whoever is excused from the floor is excused from nothing else.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from agent.domain.answers import Answer, Classified, Nouled, Question, Scored
from agent.domain.result import Outcome
from tests.support.agent_runs import Run, options, run_agent, write_tree
from tests.support.scripted_models import Say, ScriptedClassifier, ScriptedGenerator
from tests.support.toy_suite import IMPOSSIBLE, ToySandbox, Watch, digest_of, same

ALPHA = b'"""Alpha."""\n\n\ndef alpha():\n    return 1\n'
FILES = {
    "alpha.py": ALPHA,
    "free.py": b"X = 1\nY = 2\n",
    "more.py": b"Z = 1\n",
    "tests/test_toy.py": same("alpha", "alpha.py", IMPOSSIBLE) + same("beta", "free.py", digest_of(b"X = 1\nY = 2\n")),
}
READ = Say(action="read_code", read="alpha.py")
SEARCH = Say(action="search_code")
EDIT = Say(action="apply_edit", edit="alpha.py", lines=(5, 5))
OTHER = Say(action="apply_edit", edit="more.py", lines=(1, 1))
SUITE = Say(action="run_suite")
ANSWER = Say(action="generate_answer", needs=0.1)
DONE = Say(action="task_complete", needs=0.1)
PLAN = Say(action="plan", needs=0.1)
NONE = Say(action="none")
LOOK = replace(READ, needs=0.1)
OPEN = b"1. say two in alpha.py\n"
CLEAR = b"1. tell everybody\n"
WRONG = b"    return 3\n"


def weak(say: Say, confidence: float = 0.3) -> Say:
    return replace(say, confidence=confidence)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A script, and what the decision on its last answer is."""

    says: tuple[Say, ...]
    chosen: str
    """The action, or `stop`; empty when Classify gave no decision that guards could look at."""
    by: str
    guards: tuple[str, ...] = ()
    """All that refuse the answer's own action."""
    reason: str = ""
    """A piece of what is said about it."""
    writes: tuple[bytes, ...] = ()
    prose: bool = False
    goal: str = "alpha is wrong: zebra_one, zebra_two, zebra_three"


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


def play(tmp_path: Path, row: Row) -> tuple[Run, ScriptedClassifier]:
    classifier = ScriptedClassifier([*row.says, NONE])
    generator = ScriptedGenerator(*([text] for text in row.writes), prose=row.prose)
    run = run_agent(
        write_tree(tmp_path / "repo", FILES),
        classifier,
        generator,
        goal=row.goal,
        chosen=options(verify=("pytest",)),
        sandbox=ToySandbox(Watch()),
    )
    return run, classifier


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


MASKED: Mapping[str, tuple[Row, str]] = {
    "an edit before anything was read": (Row(says=(EDIT,), chosen="", by="loop"), "no file has been read yet"),
    "an answer before anything was read": (
        Row(says=(replace(SEARCH, needs=0.1, progress=0.9), ANSWER), chosen="", by="loop"),
        "nothing has been read, an answer would be a guess",
    ),
    "an answer where a change is asked": (
        Row(says=(READ, replace(ANSWER, needs=0.9)), chosen="", by="loop"),
        "the goal asks for a change",
    ),
    "a search after two that missed": (
        Row(says=(SEARCH, SEARCH, SEARCH), chosen="", by="loop"),
        "the last 2 searches found nothing",
    ),
    "an end while the plan has an open item": (
        Row(says=(LOOK, PLAN, DONE), chosen="", by="loop", writes=(OPEN,), prose=True),
        "the plan is not done: say two in alpha.py",
    ),
    "an end without a kept edit where a change is asked": (
        Row(says=(READ, replace(DONE, needs=0.9)), chosen="", by="loop"),
        "no edit has been kept",
    ),
    "an end while a failed draft stands": (
        Row(says=(READ, EDIT, replace(DONE, needs=0.9)), chosen="", by="loop", writes=(WRONG,)),
        "the suite is red",
    ),
    "a plan while one stands": (
        Row(says=(LOOK, PLAN, PLAN), chosen="", by="loop", writes=(OPEN,), prose=True),
        "a plan stands already",
    ),
}


@pytest.mark.parametrize(("row", "why"), [pytest.param(*one, id=name) for name, one in MASKED.items()])
def test_instead_it_is_not_even_offered(tmp_path: Path, row: Row, why: str) -> None:
    """Rather than reroute what was chosen, Classify is not given the option, and is told why in the state."""
    run, classifier = play(tmp_path, row)
    action = row.says[-1].action
    mask = run.of("mask")[len(row.says) - 1]["unavailable"]
    assert isinstance(mask, dict)
    assert why in mask[action]
    state, questions = [one for one in classifier.asked if "action" in one[1]][len(row.says) - 1]
    assert action not in questions["action"].options  # type: ignore[union-attr]
    assert why in state["facts"]["unavailable"][action]  # type: ignore[index]
    assert "gave no decision" in run.result.outcome_reason  # it was chosen all the same, and that is no decision


class Mistyped(ScriptedClassifier):
    """Answers `action` with an answer of another kind."""

    def __init__(self, answer: Answer) -> None:
        super().__init__([READ])
        self._other = answer

    def ask(self, state: Mapping[str, object], questions: Mapping[str, Question]) -> Classified:
        answered = super().ask(state, questions)
        return replace(answered, answers={**answered.answers, "action": self._other})


@pytest.mark.parametrize(
    ("answer", "kind"),
    [(Scored(score=1.0, probabilities={}, confidence=1.0), "Scored"), (Nouled(probability=1.0), "Nouled")],
)
def test_an_action_answered_as_something_else_stops(tmp_path: Path, answer: Answer, kind: str) -> None:
    folder = write_tree(tmp_path / "repo", FILES)
    chosen = options(verify=("pytest",))
    run = run_agent(folder, Mistyped(answer), ScriptedGenerator(), chosen=chosen, sandbox=ToySandbox(Watch()))
    assert run.result.outcome is Outcome.STALLED
    assert f"`action` was answered as {kind}" in run.result.outcome_reason
