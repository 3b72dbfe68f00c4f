"""The kernel: blocks win, order is fixed, names are kept, and whatever breaks stops everything."""

import pytest

from agent.errors import GuardError
from agent.guards.catalogue import guards, program
from agent.guards.engine import Program
from agent.guards.events import BUDGET, CANCEL, EVIDENCE, PROPOSED, READ, SETTLED, Bid, Event, Thread
from agent.guards.paths import PathRules


def asking(*wishes: tuple[float, str]) -> Thread:
    while True:
        yield Bid(request=tuple((score, Event(name)) for score, name in wishes))


def blocking(name: str, reason: str = "no") -> Thread:
    while True:
        yield Bid(block=(lambda event: reason if event.type == name else None,))


def listening(name: str, heard: list[str]) -> Thread:
    while True:
        event = yield Bid(wait=(name,))
        heard.append(event.type)


def build(*threads: tuple[str, Thread, int]) -> Program:
    made = Program()
    for name, thread, rank in threads:
        made.add(name, thread, rank)
    return made


def test_the_highest_score_of_the_lowest_rank_goes_first() -> None:
    made = build(("late", asking((9.0, "x")), 5), ("early", asking((0.1, "y"), (0.2, "z")), 1))
    stepped = made.step()
    assert stepped.selected == Event("z")
    assert stepped.by == "early"
    assert [event.type for event in stepped.requested] == ["z", "y", "x"]


def test_equal_wishes_go_by_order_of_registration() -> None:
    for names in (("a", "b"), ("b", "a")):
        made = build(*((name, asking((1.0, name)), 3) for name in names))
        assert made.step().selected == Event(names[0])


@pytest.mark.parametrize("rank", [0, 99])
def test_a_block_wins_at_any_rank_and_has_a_name(rank: int) -> None:
    made = build(("asker", asking((1.0, "x"), (0.5, "y")), 3), ("guard", blocking("x", "because"), rank))
    stepped = made.step()
    assert stepped.selected == Event("y")
    assert [(one.event.type, one.by, one.reason) for one in stepped.blocked] == [("x", "guard", "because")]


def test_events_from_outside_go_first_and_are_blocked_like_any_other() -> None:
    heard: list[str] = []
    made = build(("asker", asking((1.0, "x")), 0), ("ear", listening("out", heard), 1), ("guard", blocking("bad"), 2))
    made.ingress(Event("bad"))
    made.ingress(Event("out"))
    assert made.step().selected is None
    assert made.step().selected == Event("out")
    assert not made.waiting
    assert heard == ["out"]
    assert made.step().selected == Event("x")


def test_nothing_to_do_and_nothing_allowed_are_told_apart() -> None:
    assert build(("guard", blocking("x"), 0)).step().requested == ()
    stuck = build(("asker", asking((1.0, "x")), 0), ("guard", blocking("x"), 0)).step()
    assert stuck.selected is None
    assert stuck.requested == (Event("x"),)


def test_every_thread_that_asked_for_the_same_event_goes_on() -> None:
    reached: list[str] = []

    def once(name: str) -> Thread:
        yield Bid(request=((1.0, Event("x", {"n": 1})),))
        reached.append(name)
        while True:
            yield Bid()

    build(("a", once("a"), 0), ("b", once("b"), 1)).step()
    assert reached == ["a", "b"]


def test_an_interrupt_is_the_one_way_out() -> None:
    def leaving() -> Thread:
        yield Bid(request=((1.0, Event("x")),), interrupt=("go",))

    made = build(("leaver", leaving(), 0))
    made.ingress(Event("go"))
    assert made.step().selected == Event("go")
    assert made.step().requested == ()


def ends_early() -> Thread:
    yield Bid(wait=("x",))


def raises_at_once() -> Thread:
    raise KeyError("x")
    yield Bid()


def raises_later() -> Thread:
    yield Bid(wait=("x",))
    raise KeyError("late")


def raises_in_a_block() -> Thread:
    while True:
        yield Bid(block=(lambda event: str(event.detail["missing"]) if event.type == "x" else None,))


def raises_in_a_matcher() -> Thread:
    while True:
        yield Bid(wait=(lambda event: bool(event.detail["missing"]),))


@pytest.mark.parametrize("thread", [ends_early, raises_at_once, raises_later, raises_in_a_block, raises_in_a_matcher])
def test_a_broken_guard_stops_the_program_for_good(thread: object) -> None:
    made = Program()

    def work() -> None:
        made.add("broken", thread(), 0)  # type: ignore[operator]
        made.ingress(Event("x"))
        made.step()

    with pytest.raises(GuardError, match="`broken`"):
        work()
    made.add("asker", asking((1.0, "y")), 1)
    with pytest.raises(GuardError, match="`broken`"):
        made.step()


def test_nobody_may_block_cancel() -> None:
    with pytest.raises(GuardError, match="blocks `cancel`"):
        build(("tyrant", blocking(CANCEL), 0))
    assert build(("guard", blocking("x"), 0)).probe(Event(CANCEL)) == ()


def test_a_name_is_taken_once() -> None:
    with pytest.raises(GuardError, match="twice"):
        build(("a", asking(), 0), ("a", asking(), 0))


def test_probing_changes_nothing() -> None:
    made = build(("asker", asking((1.0, "x")), 0), ("guard", blocking("x"), 0))
    before = made.memory()
    assert [one.by for one in made.probe(Event("x"))] == ["guard"]
    assert made.memory() == before


def test_memory_shows_plain_values_alone() -> None:
    def counting() -> Thread:
        count, seen, hidden = 0, frozenset({"a"}), object()
        while True:
            yield Bid(wait=("x",))
            count += 1
            assert seen
            assert hidden

    made = build(("counter", counting(), 0))
    made.ingress(Event("x"))
    made.step()
    memory = made.memory()["counter"]
    assert {key: memory[key] for key in ("count", "seen")} == {"count": 1, "seen": frozenset({"a"})}
    assert "hidden" not in memory


def test_replaying_the_events_rebuilds_the_program() -> None:
    def play(events: list[Event]) -> dict[str, dict[str, object]]:
        made = program(guards(PathRules()))
        for event in events:
            made.ingress(event)
            made.step()
        return made.memory()

    events = [
        Event(BUDGET, {"steps": 4}), Event(PROPOSED, {"needs": 0.9, "repeats": 0.2}), Event("read_code", {"path": "a"}),
        Event(EVIDENCE), Event(READ, {"path": "a", "last": True}), Event(SETTLED),
    ]  # fmt: skip
    assert play(events) == play(events)
    assert play(events) != play(events[:-3])
