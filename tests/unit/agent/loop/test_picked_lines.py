"""Lines are picked by the labels that were offered, and by nothing that merely reads like one."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from agent.domain.answers import Chosen, Classified, Question
from tests.support.agent_runs import options, run_agent, write_tree
from tests.support.scripted_models import Say, ScriptedClassifier, ScriptedGenerator
from tests.support.toy_suite import IMPOSSIBLE, ToySandbox, Watch, same

FILES = {"alpha.py": b"a = 1\nb = 2\nc = 3\n", "test_alpha.py": same("alpha", "alpha.py", IMPOSSIBLE)}


class Odd(ScriptedClassifier):
    """Picks a first and a last line nobody offered."""

    def __init__(self, label: str) -> None:
        read, edit = Say(action="read_code", read="alpha.py"), Say(action="apply_edit", edit="alpha.py")
        super().__init__([read, edit, Say(action="none")])
        self._label = label

    def ask(self, state: Mapping[str, object], questions: Mapping[str, Question]) -> Classified:
        answered = super().ask(state, questions)
        picks = dict.fromkeys(("edit_anchor", "edit_end"), Chosen(choice=self._label, probabilities={}, confidence=1.0))
        return replace(answered, answers={**answered.answers, **picks})


@pytest.mark.parametrize("label", ["002", "٢", "²", "4", "0", "-1", "9" * 5000, "none", ""])
def test_a_line_nobody_offered_is_none(tmp_path: Path, label: str) -> None:
    generator = ScriptedGenerator([b"b = 3\n"])
    run = run_agent(
        write_tree(tmp_path / "repo", FILES),
        Odd(label),
        generator,
        chosen=options(verify=("pytest",)),
        sandbox=ToySandbox(Watch()),
    )
    assert generator.requests == []
    assert "none of the shown lines was picked" in str(run.result.refusals)
