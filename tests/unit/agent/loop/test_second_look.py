"""A search that ran out of time, or found nothing for all red tests, is asked once more when every place was tried."""

from pathlib import Path

from agent.adapters.models.embedded import EmbeddedClassifier
from agent.domain.edit import Draft
from agent.domain.result import Outcome, Verdict
from agent.ports import OUT_OF_TIME, WriteRequest, Written
from tests.support.agent_runs import ADDER, run_agent, write_tree

FIXED = b'def add(a, b):\n    """The sum."""\n    return a + b\n'


class SlowSearch:
    """A scripted search: nothing for the first calls, each out of time, then the answer."""

    label, repairs, prose, room = "embedded search, scripted", False, False, 0

    def __init__(self, vain: int) -> None:
        self._vain = vain
        self.asked: list[tuple[int, int]] = []

    def write(self, request: WriteRequest, n: int) -> Written:
        assert request.anchor is not None
        self.asked.append((request.anchor.begin, request.anchor.end))
        if len(self.asked) <= self._vain or b"def add" not in request.anchor.old:
            return Written(drafts=(), stop=OUT_OF_TIME, note="ran out of time", model="scripted/1")
        return Written(drafts=(Draft(text=FIXED),), model="scripted/1")


def test_a_place_that_ran_out_of_time_gets_a_second_look(tmp_path: Path) -> None:
    search = SlowSearch(vain=1)

    run = run_agent(write_tree(tmp_path / "repo", ADDER), EmbeddedClassifier(), search)

    assert run.result.judgement is not None, run.result.outcome_reason
    assert run.result.judgement.verdict is Verdict.VERIFIED
    assert search.asked.count(search.asked[0]) == 2


def test_there_is_no_third_look(tmp_path: Path) -> None:
    search = SlowSearch(vain=99)

    run = run_agent(write_tree(tmp_path / "repo", ADDER), EmbeddedClassifier(), search)

    assert run.result.outcome in (Outcome.STALLED, Outcome.OUT_OF_BUDGET)
    assert run.result.judgement is None
    assert max(search.asked.count(place) for place in search.asked) == 2
