"""What every step of one verdict shares: the question, the way to run suites, and the time that is left."""

from collections.abc import Sequence
from dataclasses import dataclass

from agent.domain.suite import SuiteRun
from agent.ports import Clock
from agent.verify.suites import LEAST_SECONDS, Changes, Suites


class OutOfTime(Exception):
    """The time for this verdict is used up; caught where the facts are put together, never seen outside."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is to be judged."""

    baseline: SuiteRun
    changes: Changes
    goal: str
    written: tuple[str, ...]
    """Ids or files of tests this run wrote before its first edit."""
    undecided: int = 0
    """Candidates for one edit that the tests do not tell apart though they behave differently."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """One verdict's surroundings."""

    suites: Suites
    clock: Clock
    question: Question
    deadline: float
    collected: frozenset[str] = frozenset()
    """Files tests are collected from, on the base or on the final tree."""

    def left(self) -> float:
        """Seconds left; OutOfTime when there is no sense in starting another run."""
        left = self.deadline - self.clock()
        if left < LEAST_SECONDS:
            raise OutOfTime
        return left

    def some(self, changes: Changes, ids: Sequence[str], what: str, turn: int = 0) -> SuiteRun:
        """These tests alone; OutOfTime when it was our own deadline that ended them, not the suite's limit.

        `turn`: 0 for the seed of every other run, more for another one.
        """
        run = self.suites.some(changes, ids, self.left(), f"{what}, hashed otherwise" if turn else what, turn)
        if run.timed_out:
            self.left()
        return run
