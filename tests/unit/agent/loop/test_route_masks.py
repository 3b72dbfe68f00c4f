"""What cannot happen whatever its arguments is not offered, and an answer of another kind is no decision."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from agent.domain.answers import Answer, Classified, Nouled, Question, Scored
from agent.domain.result import Outcome
from tests.support.agent_runs import options, run_agent, write_tree
from tests.support.route_rows import (
    ANSWER,
    DONE,
    EDIT,
    FILES,
    LOOK,
    OPEN,
    PLAN,
    READ,
    SEARCH,
    WRONG,
    Row,
    play,
)
from tests.support.scripted_models import ScriptedClassifier, ScriptedGenerator
from tests.support.toy_suite import ToySandbox, Watch

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
