"""Tries a call again after a passing failure: full jitter, the server's own wish, one deadline for all tries.

Clock, sleep and jitter are handed in. It must not know what a call does, nor try again what would fail again.
"""

import math
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import TypeVar

T = TypeVar("T")

RETRY_STATUSES = frozenset({408, 425, 429, 500, 502, 503, 504, 529})
"""Timeouts, rate limits, overload and gateways' own failures; every other 4xx would come back the same."""
TRIES = 4
BASE_SECONDS = 0.5
CLASSIFY_CAP, GENERATE_CAP = 8.0, 30.0
"""Longest wait between two tries, in seconds, whatever a server asks for."""


class TryAgainError(Exception):
    """A failure worth another try; `wait` in seconds when the server named one."""

    def __init__(self, reason: str, wait: float | None = None) -> None:
        super().__init__(reason, wait)
        self.reason, self.wait = reason, wait


class GaveUpError(Exception):
    """The last try failed, or the next would come too late: `reason` of the last, `tries` made."""

    def __init__(self, reason: str, tries: int) -> None:
        super().__init__(reason, tries)
        self.reason, self.tries = reason, tries


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How to wait. `cap` in seconds; `now` is wall time, for servers that name a date."""

    cap: float
    tries: int = TRIES
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    uniform: Callable[[float, float], float] = random.uniform
    now: Callable[[], float] = time.time


@dataclass(slots=True)
class Tried:
    """What went wrong on the way to an answer, one reason per failed try."""

    reasons: list[str] = field(default_factory=list)

    @property
    def note(self) -> str:
        """One clause for the trace; empty when the first try was answered."""
        many = "try" if len(self.reasons) == 1 else "tries"
        return f"{len(self.reasons)} failed {many} before it: {', '.join(self.reasons)}" if self.reasons else ""


def insist(once: Callable[[float], T], pace: Pace, seconds: float, tried: Tried) -> T:
    """Call `once` with the seconds left until it answers; GaveUpError when tries or time are used up."""
    end = pace.clock() + seconds
    for number in range(1, pace.tries + 1):
        try:
            return once(max(0.0, end - pace.clock()))
        except TryAgainError as error:
            failure = error
        tried.reasons.append(failure.reason)
        wait = _wait(failure, number, pace)
        if number == pace.tries or pace.clock() + wait >= end:
            raise GaveUpError(failure.reason, number)
        pace.sleep(wait)
    raise GaveUpError("no try was allowed", 0)


def wished_wait(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds a server asks for: `retry-after-ms`, else `retry-after` as seconds or as a date; None for neither.

    Header names in lower case. A negative, endless or unreadable wish is none.
    """
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        raw = headers.get(name, "").strip()
        if not raw:
            continue
        wish = _number(raw)
        seconds = wish * unit if wish is not None else _date(raw, now) if name == "retry-after" else None
        if seconds is not None and math.isfinite(seconds) and seconds >= 0:
            return seconds
    return None


def _wait(failure: TryAgainError, number: int, pace: Pace) -> float:
    if failure.wait is not None:
        return min(pace.cap, failure.wait)
    return pace.uniform(0.0, min(pace.cap, BASE_SECONDS * 2.0**number))


def _number(raw: str) -> float | None:
    try:
        return float(raw)
    except ValueError:
        return None


def _date(raw: str, now: float) -> float | None:
    try:
        return max(0.0, parsedate_to_datetime(raw).timestamp() - now)
    except (ValueError, TypeError, OverflowError):
        return None
