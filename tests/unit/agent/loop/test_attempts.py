"""What model calls may cost: a search goes on, but not for ever and not on credit, and no bill raises a budget."""

from itertools import count
from pathlib import Path

import pytest

from agent.domain.edit import Draft
from agent.domain.task import Budget
from agent.loop.meter import Meter
from agent.ports import WriteRequest, Written
from tests.support.agent_runs import SCRIPT, SCRIPTED, Run, options, run_agent, write_tree
from tests.support.scripted_models import Say, ScriptedClassifier

SAYS = [
    Say(action="read_code", read="adder.py"),
    Say(action="apply_edit", edit="adder.py", lines=(6, 6)),
    Say(action="none"),
]


class Search:
    """A scripted search that never finds anything: the same draft each time, or another one each time."""

    label, repairs, prose, room = "scripted search", False, False, 0

    def __init__(self, *, fresh: bool) -> None:
        self._fresh, self._number, self.calls = fresh, count(), 0

    def write(self, request: WriteRequest, n: int) -> Written:
        self.calls += 1
        number = next(self._number) if self._fresh else 0
        return Written(drafts=(Draft(text=b"    return a +\n" + b"#" * number),), tokens=100, model="scripted/1")


def run(tmp_path: Path, search: Search, tokens: int | None) -> Run:
    chosen = options(verify=SCRIPT, check=("/bin/false",), seconds=20.0, tokens=tokens)
    return run_agent(write_tree(tmp_path / "repo", SCRIPTED), ScriptedClassifier(SAYS), search, chosen=chosen)


def test_a_search_that_brings_the_same_draft_again_is_over(tmp_path: Path) -> None:
    search = Search(fresh=False)
    done = run(tmp_path, search, tokens=None)
    assert search.calls == 2
    assert len(done.of("draft")) == 1


def test_no_search_goes_on_when_its_tokens_are_used_up(tmp_path: Path) -> None:
    search = Search(fresh=True)
    run(tmp_path, search, tokens=450)
    assert search.calls == 5


@pytest.mark.parametrize("odd", [-5.0, float("nan"), float("inf"), float("-inf")])
def test_no_bill_raises_what_is_left(odd: float) -> None:
    meter = Meter(budget=Budget(tokens=100, money=1.0), clock=lambda: 0.0)
    meter.pay(60, 0.5)
    meter.pay(-50, odd)
    assert (meter.left()["tokens"], meter.left()["money"]) == (40, 0.5)
    assert meter.can_pay
    meter.pay(40, 0.5)
    assert not meter.can_pay
