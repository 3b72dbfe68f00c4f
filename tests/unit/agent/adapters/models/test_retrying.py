"""Tries again with full jitter, as long as a server asks, within one deadline; no test here waits for real."""

import email.utils
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.adapters.models.retrying import (
    GENERATE_CAP,
    TRIES,
    GaveUpError,
    Pace,
    Tried,
    TryAgainError,
    insist,
    wished_wait,
)

NOW = 1_800_000_000.0


@dataclass
class Watch:
    """A clock that moves only when somebody sleeps on it, or a call takes its time."""

    time: float = 0.0
    slept: list[float] = field(default_factory=list)

    def now(self) -> float:
        return self.time

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time += seconds

    def pace(self, *, share: float = 1.0, cap: float = GENERATE_CAP) -> Pace:
        return Pace(
            cap=cap,
            clock=self.now,
            sleep=self.sleep,
            uniform=lambda least, most: least + share * (most - least),
            now=lambda: NOW,
        )


class Failing:
    """A call that fails a few times, each taking some seconds of the watch."""

    def __init__(self, watch: Watch, failures: list[TryAgainError], takes: float = 0.0) -> None:
        self.watch, self.failures, self.takes = watch, failures, takes
        self.lefts: list[float] = []

    def __call__(self, left: float) -> str:
        self.lefts.append(left)
        self.watch.time += self.takes
        if self.failures:
            raise self.failures.pop(0)
        return "answer"


def test_waits_double_and_are_drawn_from_the_whole_span() -> None:
    watch, tried = Watch(), Tried()
    call = Failing(watch, [TryAgainError("status 503") for _ in range(3)])

    assert insist(call, watch.pace(), 100, tried) == "answer"

    assert watch.slept == [1.0, 2.0, 4.0]
    assert call.lefts == [100, 99, 97, 93]
    assert tried.note == "3 failed tries before it: status 503, status 503, status 503"


def test_full_jitter_may_wait_for_nothing() -> None:
    watch = Watch()

    insist(Failing(watch, [TryAgainError("reset")]), watch.pace(share=0.0), 100, Tried())

    assert watch.slept == [0.0]


def test_the_servers_wish_goes_before_jitter_and_is_capped() -> None:
    watch = Watch()

    insist(Failing(watch, [TryAgainError("429", 7.0), TryAgainError("429", 500.0)]), watch.pace(), 100, Tried())

    assert watch.slept == [7.0, 30.0]


def test_after_four_tries_the_last_reason_stands() -> None:
    watch = Watch()
    call = Failing(watch, [TryAgainError(f"reason {number}") for number in range(9)])

    with pytest.raises(GaveUpError) as caught:
        insist(call, watch.pace(), 1000, Tried())

    assert (caught.value.reason, caught.value.tries) == ("reason 3", TRIES)


def test_a_wait_that_does_not_fit_the_deadline_is_not_waited_for() -> None:
    watch = Watch()

    with pytest.raises(GaveUpError):
        insist(Failing(watch, [TryAgainError("429", 20.0)]), watch.pace(), 15, Tried())

    assert watch.slept == []


def test_the_deadline_holds_all_tries_together() -> None:
    watch = Watch()
    call = Failing(watch, [TryAgainError("slow") for _ in range(9)], takes=40.0)

    with pytest.raises(GaveUpError):
        insist(call, watch.pace(), 60, Tried())

    assert len(call.lefts) == 2
    assert watch.time < 60 + 40


@settings(max_examples=40)
@given(st.lists(st.floats(0, 1000) | st.none(), min_size=9, max_size=9), st.floats(0, 300), st.floats(0, 50))
def test_no_sequence_of_failures_outlives_tries_or_deadline(
    wishes: list[float | None], seconds: float, takes: float
) -> None:
    watch = Watch()
    call = Failing(watch, [TryAgainError("x", wish) for wish in wishes], takes)

    with pytest.raises(GaveUpError):
        insist(call, watch.pace(), seconds, Tried())

    assert 1 <= len(call.lefts) <= TRIES
    assert watch.time <= seconds + takes


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": " 1.5 "}, 1.5),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after-ms": "250"}, 0.25),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "9"}, 9.0),
        ({"retry-after": email.utils.formatdate(NOW + 12, usegmt=True)}, 12.0),
        ({"retry-after": email.utils.formatdate(NOW - 12, usegmt=True)}, 0.0),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "later"}, None),
        ({"retry-after": "99999999999999999999 GMT"}, None),
        ({"retry-after": ""}, None),
    ],
)
def test_what_a_server_asks_for(headers: dict[str, str], seconds: float | None) -> None:
    assert wished_wait(headers, NOW) == seconds


@settings(max_examples=50)
@given(st.dictionaries(st.sampled_from(["retry-after", "retry-after-ms"]), st.text(max_size=30)))
def test_no_header_breaks_the_reading(headers: dict[str, str]) -> None:
    wish = wished_wait(headers, NOW)

    assert wish is None or 0 <= wish < float("inf")
