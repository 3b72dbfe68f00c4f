"""What one bar is, and when it holds on a machine slower than the one the budgets were written for."""

import statistics
import subprocess
import sys
import time
from dataclasses import dataclass

SLACK = 2.0
NOMINAL = 0.03
"""Seconds in which the budgets' machine starts an interpreter."""
COUNTED = frozenset({"MB", "x", "calls", "tokens"})
"""Units that do not change with the speed of a machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """One bar: `budget` is the design's, `most` tells whether it is a ceiling or a floor."""

    what: str
    value: float
    unit: str
    budget: float
    most: bool = True
    stretch: float = 1.0
    """How much slower this machine is now than the budgets assume."""

    @property
    def good(self) -> bool:
        """Within the budget; times have slack for a slower or busier machine, what is counted has none."""
        slack = 1.0 if self.unit in COUNTED - {"MB"} else SLACK * self.stretch
        return self.value <= self.budget * slack if self.most else self.value >= self.budget / slack


def stretch() -> float:
    """How many times longer than nominal an interpreter takes to start now; at least 1."""
    times = []
    for _ in range(5):
        began = time.perf_counter()
        subprocess.run([sys.executable, "-I", "-c", "pass"], check=True)
        times.append(time.perf_counter() - began)
    return max(1.0, statistics.median(times) / NOMINAL)
