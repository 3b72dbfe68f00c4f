"""The embedded Generator over a screener that judges by a rule: order, memory, budgets, and what it refuses to do."""

from collections.abc import Callable, Sequence

import pytest

from agent.adapters.models.embedded.generate import EmbeddedGenerator, compared
from agent.domain.edit import Anchor, Draft
from agent.ports import Screened, WriteRequest

SOURCE = b"LIMIT = 2\n\n\ndef f(a, b):\n    if a < b:\n        return a\n    return b\n"
OLD = SOURCE[SOURCE.index(b"def") :]


class Bench:
    """Passes the drafts a rule likes; notes what it was asked."""

    def __init__(self, likes: Callable[[bytes], bool], tries: int = 10**6) -> None:
        self.likes, self.tries = likes, tries
        self.calls: list[tuple[int, float, int]] = []

    def try_all(
        self, request: WriteRequest, drafts: Sequence[Draft], seconds: float, enough: int
    ) -> tuple[Screened, ...]:
        self.calls.append((len(drafts), seconds, enough))
        return tuple(
            Screened(passed=self.likes(draft.text), tried=True)
            if place < self.tries
            else Screened(passed=False, tried=False)
            for place, draft in enumerate(drafts)
        )


def request(**more: object) -> WriteRequest:
    values: dict[str, object] = {
        "anchor": Anchor(path="m.py", begin=4, end=7, old=OLD),
        "source": SOURCE,
        "failing": ("t::red",),
        "seconds": 20.0,
        **more,
    }
    return WriteRequest(**values)  # type: ignore[arg-type]


def generator(bench: Bench) -> EmbeddedGenerator:
    return EmbeddedGenerator(bench, lambda: 0.0)


def test_a_draft_is_the_whole_anchor_and_says_what_it_does() -> None:
    written = generator(Bench(lambda text: b"a <= b" in text)).write(request(), 3)
    assert written.drafts[0].text == OLD.replace(b"a < b", b"a <= b")
    assert written.drafts[0].note == "comparison, line 5"
    assert "passed screening" in written.note
    assert written.model == "embedded/search"
    assert "not calibrated" in EmbeddedGenerator.label


def test_nothing_is_returned_that_did_not_pass() -> None:
    written = generator(Bench(lambda text: False)).write(request(), 3)
    assert written.drafts == ()
    assert "0 passed screening" in written.note


def test_without_a_failing_test_or_an_anchor_there_is_nothing_to_search_by() -> None:
    bench = Bench(lambda text: True)
    assert generator(bench).write(request(failing=()), 3).drafts == ()
    assert generator(bench).write(WriteRequest(anchor=None), 3).drafts == ()
    moved = Anchor(path="m.py", begin=1, end=4, old=OLD)
    assert generator(bench).write(request(anchor=moved), 3).drafts == ()
    assert bench.calls == []


def test_survivors_left_over_come_with_the_next_call_without_another_search() -> None:
    bench = Bench(lambda text: b"a <= b" in text or b"a > b" in text or b"a >= b" in text)
    author = generator(bench)
    first = author.write(request(), 1)
    second = author.write(request(), 1)
    assert len(bench.calls) == 1
    assert len(first.drafts) == len(second.drafts) == 1
    assert first.drafts != second.drafts


def test_a_second_search_goes_on_behind_the_first() -> None:
    bench = Bench(lambda text: False, tries=50)
    author = generator(bench)
    author.write(request(), 3)
    author.write(request(), 3)
    (first, _, _), (second, _, _) = bench.calls
    assert first - 60 < second <= first - 50  # a probe may be an ordinary candidate as well


def test_a_changed_anchor_starts_afresh() -> None:
    bench = Bench(lambda text: False)
    author = generator(bench)
    author.write(request(), 3)
    new = OLD.replace(b"a < b", b"a <= b")
    source = SOURCE.replace(OLD, new)
    author.write(request(anchor=Anchor(path="m.py", begin=4, end=7, old=new), source=source), 3)
    assert len(bench.calls) == 2
    assert bench.calls[1][0] > 100


def test_time_is_kept_for_opening_the_box_and_at_least_n_survivors_are_asked_for() -> None:
    bench = Bench(lambda text: False)
    generator(bench).write(request(), 30)
    ((_, seconds, enough),) = bench.calls
    assert seconds == 19.0
    assert enough == 30


def test_a_condition_made_constant_is_the_last_of_the_survivors() -> None:
    bench = Bench(lambda text: b"if False" in text or b"if a >= b" in text)
    written = generator(bench).write(request(), 5)
    assert [draft.note.split(",")[0] for draft in written.drafts][-1] == "probe"
    assert written.drafts[-1].text == OLD.replace(b"a < b", b"False")


def test_a_family_can_be_left_out_for_measuring() -> None:
    bench = Bench(lambda text: b"a <= b" in text)
    other = EmbeddedGenerator(bench, lambda: 0.0, ["comparison"]).write(request(), 3)
    assert other.drafts
    assert not any(draft.note.startswith("comparison,") for draft in other.drafts)  # other kinds reach it as well
    with pytest.raises(ValueError, match="no such family of repairs: comparision; known are adapted"):
        EmbeddedGenerator(bench, lambda: 0.0, ["comparision"])


def test_survivors_know_how_many_others_passed_and_how_many_do_something_else() -> None:
    def seen(behaviour: str, extra: int = 0) -> Screened:
        return Screened(passed=True, behaviour=behaviour, extra=extra)

    found = [seen("a", 2), seen("a", 2), seen("b", 2), seen("c", 2), seen("d", 1), seen("", 2)]
    drafts = compared([(Draft(text=b"%d" % place), one) for place, one in enumerate(found)])
    assert [draft.rivals for draft in drafts] == [4, 4, 4, 4, 5, 4]  # one that passes fewer tests is no rival
    assert [draft.differ for draft in drafts] == [2, 2, 2, 2, 3, 0]
    assert [draft.differ for draft in compared([(Draft(text=b"x"), seen("a")), (Draft(text=b"y"), seen("a"))])] == [
        0,
        0,
    ]


def test_the_note_says_when_survivors_do_different_things() -> None:
    class Telling(Bench):
        def try_all(
            self, request: WriteRequest, drafts: Sequence[Draft], seconds: float, enough: int
        ) -> tuple[Screened, ...]:
            return tuple(Screened(passed=True, behaviour=str(place % 3)) for place in range(len(drafts)))

    written = generator(Telling(lambda text: True)).write(request(), 2)
    assert written.note.endswith("passed screening and behave in 3 ways")
    assert [draft.differ for draft in written.drafts] == [2, 2]


class Twice(Bench):
    """Passes everything in the search; what a second look at a few drafts with all tests says is given."""

    def __init__(self, again: Callable[[int], Screened]) -> None:
        super().__init__(lambda text: True)
        self.again = again

    def try_all(
        self, request: WriteRequest, drafts: Sequence[Draft], seconds: float, enough: int
    ) -> tuple[Screened, ...]:
        self.calls.append((len(drafts), seconds, enough))
        if len(self.calls) > 1:
            return tuple(self.again(place) for place in range(len(drafts)))
        return tuple(Screened(passed=True, behaviour="a" if place < 20 else "b") for place in range(len(drafts)))


MANY = tuple(f"t::green{number}" for number in range(201))


def test_survivors_are_held_against_the_tests_a_search_had_no_time_for() -> None:
    bench = Twice(lambda place: Screened(passed=place < 3, behaviour="c"))
    written = generator(bench).write(request(passing=MANY), 9)
    assert bench.calls[1] == (12, 19.0, 12)
    assert [(draft.rivals, draft.differ) for draft in written.drafts] == [(2, 0)] * 3
    assert "; further tests left 3" in written.note


def test_of_each_way_to_behave_one_survivor_is_held_against_further_tests() -> None:
    bench = Twice(lambda place: Screened(passed=True, behaviour=str(place == 11)))
    written = generator(bench).write(request(passing=MANY), 1)
    assert written.drafts[0].differ == 1
    assert bench.calls[1][0] == 12


def test_what_a_second_look_did_not_get_to_stays_and_what_it_refuted_goes() -> None:
    answers = {0: Screened(passed=False), 1: Screened(passed=False, timed_out=True)}
    bench = Twice(lambda place: answers.get(place, Screened(passed=False, tried=False)))
    alone = generator(Bench(lambda text: True)).write(request(), 1000)
    written = generator(bench).write(request(passing=MANY), 1000)
    assert len(written.drafts) == len(alone.drafts) - 1


def test_when_something_speaks_against_every_survivor_the_search_goes_on_for_a_while() -> None:
    class Slow(Bench):
        def try_all(
            self, request: WriteRequest, drafts: Sequence[Draft], seconds: float, enough: int
        ) -> tuple[Screened, ...]:
            self.probes = [draft.text for draft in drafts if draft.probe]
            self.tries = 10**6 if self.calls else self.tries
            return super().try_all(request, drafts, seconds, enough)

    source = b"def f(a, b, c):\n    if a < b:\n        return c\n    return b\n"
    here = request(anchor=Anchor(path="m.py", begin=1, end=4, old=source), source=source)
    mixed = b"if a < b - c:"  # what was compared with nothing is counted with what it had nothing to do with
    bench = Slow(lambda text: mixed in text, 400)
    written = generator(bench).write(here, 3)
    assert all(mixed in draft.text for draft in written.drafts)
    assert [seconds for _, seconds, _ in bench.calls] == [19.0, 4.0]
    assert written.drafts[0].text in bench.probes
    sound = Slow(lambda text: b"if a > b:" in text, 400)
    assert generator(sound).write(here, 3).drafts
    assert len(sound.calls) == 1
