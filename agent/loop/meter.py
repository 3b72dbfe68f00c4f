"""Counts what a run costs and what is left of its budget; must not decide what happens when nothing is left."""

from dataclasses import dataclass, field
from math import isfinite

from agent.domain.result import Usage
from agent.domain.task import Budget
from agent.ports import Clock


@dataclass(slots=True, kw_only=True)
class Meter:
    """One run's counters; seconds come from the clock that is handed in."""

    budget: Budget
    clock: Clock
    started: float = field(init=False)
    steps: int = 0
    classify_calls: int = 0
    generate_calls: int = 0
    tokens: int = 0
    money: float | None = None

    def __post_init__(self) -> None:
        """Start the watch."""
        self.started = self.clock()

    @property
    def elapsed(self) -> float:
        """Seconds since the run began."""
        return self.clock() - self.started

    @property
    def total_left(self) -> float:
        """Seconds left with the verdict's share, never below zero."""
        return max(0.0, self.budget.seconds - self.elapsed)

    @property
    def loop_left(self) -> float:
        """Seconds left for the loop: the verdict's share is set aside."""
        return max(0.0, self.budget.seconds * (1 - self.budget.verdict_share) - self.elapsed)

    def steps_left(self) -> int:
        """Steps left, the one about to run included."""
        return self.budget.steps - self.steps

    def pay(self, tokens: int, money: float | None = None) -> None:
        """Add what one model call cost; a bill below nothing, or that is no number, counts as none."""
        self.tokens += max(0, tokens)
        if money is not None and isfinite(money) and money >= 0:
            self.money = (self.money or 0.0) + money

    def left(self, reserve: float = 0.0) -> dict[str, object]:
        """What is left of each capped kind, for the guards; of the seconds, less the `reserve`."""
        left: dict[str, object] = {"steps": self.steps_left(), "seconds": round(self.loop_left - reserve, 3)}
        if self.budget.tokens is not None:
            left["tokens"] = self.budget.tokens - self.tokens
        if self.budget.money is not None:
            left["money"] = self.budget.money - (self.money or 0.0)
        return left

    @property
    def can_pay(self) -> bool:
        """Whether tokens and money allow one more model call."""
        left = self.left()
        return all(value > 0 for kind in ("tokens", "money") if isinstance(value := left.get(kind, 1), int | float))

    def usage(self) -> Usage:
        """The counters as a value."""
        return Usage(
            steps=self.steps,
            classify_calls=self.classify_calls,
            generate_calls=self.generate_calls,
            tokens=self.tokens,
            money=self.money,
            seconds=round(self.elapsed, 3),
        )
