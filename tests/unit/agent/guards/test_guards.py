"""Each guard by itself: what it blocks, until when, and the words it gives."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from agent.domain.profiles import BENDCODER
from agent.domain.thresholds import Floor
from agent.guards.asking import answering, risk
from agent.guards.confidence import flail, floors, recorded_failure
from agent.guards.engine import Program
from agent.guards.events import (
    APPLIED,
    BUDGET,
    CANCEL,
    DECLINED,
    EVIDENCE,
    FAILED,
    PROPOSED,
    READ,
    RESTORED,
    SEARCH_HIT,
    SEARCH_MISS,
    SETTLED,
    STOP,
    SUITE_GREEN,
    SUITE_RED,
    Event,
    Thread,
)
from agent.guards.limits import budgets, cancel
from agent.guards.reading import picked, read_before_edit, reads
from agent.guards.repetition import repeat, searches
from agent.guards.steering import classify, fallback, one_effect
from agent.guards.verifying import green_before_done, repair_cap, verify_after_edit

EDIT = Event("apply_edit", {"path": "a", "spot": "1-2"})
DONE = Event("task_complete")


class Alone:
    """One guard in a program of its own."""

    def __init__(self, thread: Callable[[], Thread]) -> None:
        self.program = Program()
        self.program.add("guard", thread(), 0)

    def hears(self, *events: Event) -> "Alone":
        for event in events:
            self.program.ingress(event)
            assert self.program.step().selected == event
        return self

    def says(self, event: Event) -> str:
        return "; ".join(one.reason for one in self.program.probe(event))


def top(action: str, confidence: float, **detail: object) -> Event:
    return Event(action, {"p": confidence, "confidence": confidence, "top": True, **detail})


def test_read_before_edit() -> None:
    guard = Alone(read_before_edit)
    assert guard.says(Event("apply_edit")) == "no file has been read yet"
    guard.hears(Event(READ, {"path": "b"}))
    assert guard.says(Event("apply_edit")) == ""
    assert guard.says(EDIT) == "a has not been read in this run"
    assert guard.says(Event("apply_edit", {"path": "new", "new": True})) == ""
    assert guard.hears(Event(READ, {"path": "a"})).says(EDIT) == ""


def test_picked() -> None:
    guard = Alone(picked)
    assert guard.says(Event("apply_edit")) == ""
    assert guard.says(Event("apply_edit", {"path": "a", "unpicked": "too weak"})) == "too weak"
    assert guard.says(Event("read_code", {"path": ""})) == "no listed file was picked for reading"


def test_reads() -> None:
    guard = Alone(reads).hears(Event(READ, {"path": "a"}))
    read = Event("read_code", {"path": "a"})
    assert guard.says(read) == ""
    guard.hears(Event(READ, {"path": "a", "last": True}))
    assert guard.says(read) == "a was read to its end and has not changed since"
    assert guard.hears(Event(APPLIED, {"path": "a"})).says(read) == ""
    guard.hears(Event(DECLINED), Event(DECLINED))
    assert "last 2 picks" in guard.says(Event("read_code"))
    assert guard.says(Event("read_code", {"path": "b", "fallback": True})) == ""
    assert guard.hears(Event(READ, {"path": "b"})).says(Event("read_code")) == ""


def test_verify_after_edit() -> None:
    guard = Alone(verify_after_edit)
    assert guard.says(EDIT) == ""
    guard.hears(Event(APPLIED))
    assert guard.says(EDIT) == "the last edit has not been through the full suite"
    assert guard.says(Event("run_suite")) == ""
    assert guard.says(Event(STOP)) == ""
    stepped = guard.program.step()
    assert stepped.selected is not None
    assert stepped.selected.type == "run_suite"
    assert guard.says(DONE) != ""
    assert guard.hears(Event(SUITE_RED)).says(DONE) == ""


def test_green_before_done() -> None:
    guard = Alone(green_before_done)
    assert guard.says(DONE) == "the goal asks for a change and no edit has been kept"
    assert guard.hears(Event(PROPOSED, {"needs": 0.1})).says(DONE) == ""
    guard.hears(Event(PROPOSED, {"needs": 0.9}), Event(APPLIED))
    assert guard.says(DONE) == "nothing was verified since the last edit"
    assert guard.hears(Event(SUITE_GREEN)).says(DONE) == ""
    assert guard.hears(Event(APPLIED), Event(SUITE_RED)).says(DONE) == "the suite is red"
    assert guard.hears(Event(RESTORED)).says(DONE) == ""
    assert guard.hears(Event(FAILED, {"standing": True})).says(DONE) == "the suite is red"
    guard.hears(Event(RESTORED), Event(FAILED, {"standing": False}))
    assert guard.says(DONE) == ""


def test_a_green_suite_without_an_edit_is_no_kept_edit() -> None:
    assert Alone(green_before_done).hears(Event(SUITE_GREEN)).says(DONE) != ""


def test_repair_cap() -> None:
    guard = Alone(repair_cap).hears(Event(SUITE_RED))
    assert guard.says(EDIT) == guard.says(Event("apply_edit")) == ""
    guard.hears(Event(FAILED, {"path": "a", "spot": "1-2", "standing": False}))
    assert guard.says(EDIT) == "every draft for a:1-2 failed"
    assert guard.says(Event("apply_edit", {"path": "a", "spot": "3-4"})) == ""
    assert guard.hears(Event(SUITE_GREEN)).says(EDIT) == ""
    standing = Event(FAILED, {"path": "a", "spot": "1-2", "standing": True})
    assert guard.hears(standing, standing).says(EDIT) == ""
    assert guard.hears(standing).says(EDIT) != ""


def test_floors() -> None:
    guard = Alone(floors)
    assert guard.says(top("read_code", 0.44)) == "0.44 is under the floor of 0.45"
    assert guard.says(top("read_code", 0.45)) == ""
    assert guard.says(top("apply_edit", 0.64)) == "0.64 is under the floor of 0.65"
    assert guard.says(Event("apply_edit", {"p": 0.08})) != ""
    assert guard.says(Event("read_code", {"path": "a", "fallback": True})) == ""
    weak = Event(PROPOSED, {"top": "apply_edit", "confidence": 0.3})
    reroute = Event("read_code", {"fallback": True})
    guard.hears(weak, reroute, weak, reroute)
    assert guard.says(top("apply_edit", 0.3)) == ""
    assert guard.says(Event("apply_edit", {"p": 0.3})) != ""
    assert guard.says(top("task_complete", 0.3)) != ""
    guard.hears(weak, top("apply_edit", 0.3))
    assert guard.says(top("apply_edit", 0.3)) != ""


@pytest.mark.parametrize("event", [Event(SUITE_RED), Event(FAILED, {"standing": True})])
def test_a_red_suite_excuses_a_weak_edit_only(event: Event) -> None:
    guard = Alone(floors).hears(event)
    assert guard.says(top("apply_edit", 0.1)) == ""
    assert guard.says(top("search_code", 0.1)) != ""
    assert guard.hears(Event(SUITE_GREEN)).says(top("apply_edit", 0.1)) != ""


def test_a_landed_read_excuses_one_weak_edit_of_that_file() -> None:
    guard = Alone(floors).hears(Event(READ, {"path": "a", "wanted": True}))
    assert guard.says(top("apply_edit", 0.1, path="a")) == ""
    assert guard.says(top("apply_edit", 0.1, path="b")) != ""
    assert guard.hears(top("apply_edit", 0.1, path="a")).says(top("apply_edit", 0.1, path="a")) != ""


def test_flail() -> None:
    guard = Alone(flail)
    reroute = Event("read_code", {"fallback": True})
    assert guard.hears(reroute, reroute).says(reroute) == "it would be reroute 3 in a row"
    assert guard.says(Event(STOP, {"fallback": True})) == ""
    assert guard.says(EDIT) == ""
    assert guard.hears(EDIT).says(reroute) == ""


def test_recorded_failure() -> None:
    guard = Alone(recorded_failure).hears(Event(PROPOSED, {"repeats": 0.6}))
    assert guard.says(top("read_code", 0.9)) == ""
    guard.hears(Event(PROPOSED, {"repeats": 0.61}))
    assert "0.61 over 0.60" in guard.says(top("read_code", 0.9))
    assert guard.says(Event("read_code", {"p": 0.5})) == ""
    assert guard.hears(Event(PROPOSED, {"top": "read_code"})).says(top("read_code", 0.9)) == ""


def test_risk() -> None:
    guard = Alone(risk).hears(Event(PROPOSED, {"risk": 1.5, "needs": 0.4}))
    assert "a person should confirm" in guard.says(top("run_suite", 0.9))
    assert guard.says(top("read_code", 0.9)) == ""
    assert guard.hears(Event(PROPOSED, {"risk": 1.5, "needs": 0.5})).says(top("run_suite", 0.9)) == ""
    assert guard.hears(Event(PROPOSED, {"risk": 1.4, "needs": 0.0})).says(top("run_suite", 0.9)) == ""


def test_answering() -> None:
    guard = Alone(answering)
    answer = Event("generate_answer")
    assert guard.says(answer) == "the goal asks for a change, not for an answer"
    guard.hears(Event(PROPOSED, {"needs": 0.1, "progress": 0.9}))
    assert guard.says(answer) == "nothing has been read, an answer would be a guess"
    assert guard.hears(Event(PROPOSED, {"needs": 0.1, "progress": 1.0})).says(answer) == ""
    guard.hears(Event(PROPOSED, {"needs": 0.1}), Event(READ, {"path": "a"}))
    assert guard.says(answer) == ""


def test_repeat() -> None:
    guard = Alone(repeat).hears(EDIT)
    assert guard.says(EDIT) == "the same was done already and nothing new has come up since"
    assert guard.says(Event("apply_edit", {"path": "a", "spot": "3-4"})) == ""
    assert guard.says(Event("apply_edit", {**EDIT.detail, "p": 0.9})) != ""
    assert guard.hears(Event(EVIDENCE)).says(EDIT) == ""
    assert guard.hears(DONE).says(DONE) == ""


def test_searches() -> None:
    guard = Alone(searches).hears(Event(SEARCH_MISS))
    search = Event("search_code")
    assert guard.says(search) == ""
    assert guard.hears(Event(SEARCH_MISS)).says(search) == "the last 2 searches found nothing"
    assert guard.hears(Event(SEARCH_HIT)).says(search) == ""
    guard.hears(Event(SEARCH_MISS), Event(SEARCH_MISS), Event(EVIDENCE))
    assert guard.says(search) == ""


def test_budgets() -> None:
    guard = Alone(budgets).hears(Event(BUDGET, {"steps": 2, "seconds": 10.0}))
    assert guard.says(EDIT) == ""
    guard.hears(Event(BUDGET, {"steps": 1}))
    assert guard.says(EDIT) == "the last step is kept for the report"
    assert guard.says(DONE) == ""
    assert guard.says(Event("run_suite")) != ""
    assert guard.says(Event("run_suite", {"due": "an edit is provisional"})) == ""
    for kind in ("steps", "seconds", "tokens", "money"):
        guard.hears(Event(BUDGET, {kind: 0}))
        assert guard.says(DONE) == f"the budget of {kind} is used up"
        stepped = guard.program.step()
        assert stepped.selected is not None
        assert stepped.selected.text("why") == "out_of_budget"


def test_cancel() -> None:
    guard = Alone(cancel)
    assert guard.program.step().selected is None
    guard.hears(Event(CANCEL))
    assert guard.says(DONE) == "the run was cancelled"
    stepped = guard.program.step()
    assert stepped.selected is not None
    assert stepped.selected.text("why") == "cancelled"


def test_one_effect() -> None:
    guard = Alone(one_effect).hears(EDIT)
    assert guard.says(DONE) == "the last action is not over"
    assert guard.says(Event(STOP)) == ""
    assert guard.hears(Event(SETTLED)).says(DONE) == ""


def test_classify_asks_by_probability_and_leaves_on_cancel() -> None:
    guard = Alone(classify).hears(Event(PROPOSED, {"candidates": (Event("a", {"p": 0.2}), Event("b", {"p": 0.7}))}))
    stepped = guard.program.step()
    assert [event.type for event in stepped.requested] == ["b", "a"]
    guard.hears(Event(PROPOSED, {"candidates": (Event("a", {"p": 0.2}),)}), Event(CANCEL))
    assert guard.program.step().requested == ()


def test_fallback_reads_then_searches_then_stops() -> None:
    guard = Alone(fallback).hears(Event(PROPOSED, {"reads": ("a", "b"), "patterns": ("x",)}))
    wishes = [(one.type, one.text("path") or one.text("pattern")) for one in guard.program.step().requested]
    assert wishes == [("read_code", "a"), ("read_code", "b"), ("search_code", "x"), (STOP, "")]


def test_floors_come_from_the_profile_that_is_handed_in() -> None:
    strict = replace(BENDCODER, action=Floor(0.95, "a test"), edit=Floor(0.99, "a test"))
    sure = top("read_code", 0.9, path="a.py")

    assert Alone(lambda: floors(strict)).says(sure) == "0.90 is under the floor of 0.95"
    assert Alone(floors).says(sure) == ""
