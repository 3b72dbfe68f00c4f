"""Details of events as guards read them: what is not there, or is no number, is the default and decides nothing."""

import pytest

from agent.guards.asking import risk
from agent.guards.confidence import floors
from agent.guards.engine import Program
from agent.guards.events import PROPOSED, Event
from agent.guards.verifying import green_before_done

NONE = (float("nan"), float("inf"), float("-inf"))


@pytest.mark.parametrize("value", [*NONE, None, "0.9", [1.0]])
def test_what_is_no_number_is_the_default(value: object) -> None:
    assert Event("x", {"a": value}).number("a", 0.25) == 0.25
    assert Event("x").number("a", 0.25) == 0.25


@pytest.mark.parametrize("value", NONE)
def test_no_guard_is_talked_round_by_it(value: float) -> None:
    program = Program()
    for name, thread in (("risk", risk()), ("floors", floors()), ("green", green_before_done())):
        program.add(name, thread, 0)
    program.ingress(Event(PROPOSED, {"needs": value, "risk": 2.0, "confidence": value}))
    program.step()

    def by(action: str, **detail: object) -> set[str]:
        return {one.by for one in program.probe(Event(action, detail))}

    assert by("run_suite", p=value, confidence=value, top=True) == {"risk", "floors"}
    assert by("task_complete") == {"green"}
