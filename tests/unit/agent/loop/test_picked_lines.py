"""Lines are picked by labels that were offered and by numbers that are some, and by nothing that merely looks so."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from agent.domain.answers import Answer, Chosen, Classified, Nouled, Question
from tests.support.agent_runs import Run, options, run_agent, write_tree
from tests.support.scripted_models import Say, ScriptedClassifier, ScriptedGenerator
from tests.support.toy_suite import IMPOSSIBLE, ToySandbox, Watch, same

FILES = {"alpha.py": b"a = 1\nb = 2\nc = 3\n", "test_alpha.py": same("alpha", "alpha.py", IMPOSSIBLE)}


class Odd(ScriptedClassifier):
    """Answers some questions about an edit as a test says."""

    def __init__(self, **answers: Answer) -> None:
        read, edit = Say(action="read_code", read="alpha.py"), Say(action="apply_edit", edit="alpha.py")
        super().__init__([read, edit, Say(action="none")])
        self._odd = answers

    def ask(self, state: Mapping[str, object], questions: Mapping[str, Question]) -> Classified:
        answered = super().ask(state, questions)
        odd = {name: answer for name, answer in self._odd.items() if name in questions}
        return replace(answered, answers={**answered.answers, **odd})


def play(tmp_path: Path, classifier: Odd) -> tuple[Run, ScriptedGenerator]:
    folder, generator = write_tree(tmp_path / "repo", FILES), ScriptedGenerator([b"b = 3\n"])
    chosen = options(verify=("pytest",))
    return run_agent(folder, classifier, generator, chosen=chosen, sandbox=ToySandbox(Watch())), generator


@pytest.mark.parametrize("label", ["002", "٢", "²", "4", "0", "-1", "9" * 5000, "none", ""])
def test_a_line_nobody_offered_is_none(tmp_path: Path, label: str) -> None:
    pick = Chosen(choice=label, probabilities={}, confidence=1.0)
    run, generator = play(tmp_path, Odd(edit_anchor=pick, edit_end=pick))
    assert generator.requests == []
    assert "none of the shown lines was picked" in str(run.result.refusals)


NAN = float("nan")


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("file_to_edit", Chosen(choice="alpha.py", probabilities={}, confidence=NAN)),
        ("edit_anchor", Chosen(choice="2", probabilities={}, confidence=NAN)),
        ("edit_end", Chosen(choice="2", probabilities={}, confidence=NAN)),
        ("edit_present", Nouled(probability=NAN)),
    ],
)
def test_what_is_no_number_reaches_no_floor(tmp_path: Path, name: str, answer: Answer) -> None:
    run, generator = play(tmp_path, Odd(**{name: answer}))
    assert generator.requests == []
    assert run.result.refusals[0].guard == "picked"


def test_the_same_answers_with_numbers_are_an_edit(tmp_path: Path) -> None:
    pick = Chosen(choice="2", probabilities={}, confidence=1.0)
    assert play(tmp_path, Odd(edit_anchor=pick, edit_end=pick))[1].requests
