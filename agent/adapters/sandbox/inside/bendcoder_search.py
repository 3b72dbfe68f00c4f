"""The screener's fast server: goes through drafts in their order and reports each. Stdlib only; starts no pytest."""

import os
import time

from bendcoder_patience import Patience
from bendcoder_swap import restore, swap

BATCH = 12  # drafts per child while only the first red test is asked
PROCESSORS = min(2, len(os.sched_getaffinity(0)))  # batches side by side; more would crowd out other jobs
SLOW_SHARE = 0.7  # of the time, at most, goes to swapped drafts while others wait for a fresh import
VAIN_SHARE = 0.1  # of the time, at most, goes to compiling drafts when none so far could be swapped
KILLERS, CHEAP = 8, 0.05  # tests asked first because they ruled drafts out; seconds below which no order matters


class Search:
    """Drafts in order, in batches; those out of time come back later, those of a used child at the very end."""

    def __init__(self, target, bench, role, recorder):
        self.target, self.bench, self.role, self.recorder = target, bench, role, recorder
        self.patience = Patience(bench.stages)
        self.coming = iter(range(len(role.job["edits"])))
        self.again, self.doubtful = [], []
        self.seen, self.scouted, self.left = set(), set(), 0
        self.swappable, self.recorded = 0, False
        self.killers, self.leaning = 0, set()
        self.begin = time.monotonic()

    def run(self):
        """Until enough passed, time is over or nothing is left."""
        while not self.role.over() and self._time_left():
            if not self.role.report.first_pass and self.patience.due(time.monotonic() - self.begin):
                self._late()
                continue
            together = self.bench.first is not None
            batch = self._batch(BATCH if together else 1)
            if batch and together:
                self._together(batch)
            elif batch:
                self._alone(*batch[0], stage=0)
            elif self.patience.waiting():
                self._late()
            elif self.doubtful:
                self._alone(*self.doubtful.pop(0), stage=0)
            else:
                return

    def _time_left(self):
        share = 1.0 if not self.left else SLOW_SHARE if self.swappable else VAIN_SHARE
        return time.monotonic() < self.begin + (self.role.deadline - self.begin) * share

    def _batch(self, size):
        """The next drafts that can be swapped, at most `size`."""
        self._fill(size)
        batch, self.again = self.again[:size], self.again[size:]
        return batch

    def _fill(self, size):
        while len(self.again) < size and self._time_left():  # compiling thousands in vain takes minutes
            number = next(self.coming, None)
            if number is None:
                return
            plan = self._plan(number)
            if plan is not None:
                self.again.append((number, plan))

    def _together(self, first):
        """Batches side by side, one per processor; the next drafts are compiled while they run."""
        batches = [first, *(self._batch(BATCH) for _ in range(PROCESSORS - 1))]
        running = [(batch, self.bench.batch(_changes(batch), 0)) for batch in batches if batch]
        self._fill(BATCH * PROCESSORS)
        for batch, finish in running:
            self._judge(batch, finish())

    def _judge(self, batch, words):
        for place, word in enumerate(words):
            number, plan = batch[place]
            if word == "M" and self.bench.scout is not None:
                self.scouted.add(number)
            if word == "M":
                self._alone(number, plan, stage=0)
            elif word == "T":
                self.role.report.line(number, "time", 0)
                if number not in self.role.report.probes:
                    self.patience.later(number, plan, 0, 0)
            else:
                if place or self.bench.scout is not None:
                    self.doubtful.append((number, plan))
                self.role.report.line(number, "fail", 0)
        self.again = batch[len(words) :] + self.again

    def _late(self):
        begin = time.monotonic()
        number, plan, stage = self.patience.pop()
        self._alone(number, plan, stage)
        self.patience.used += time.monotonic() - begin

    def _alone(self, number, plan, stage):
        outcome = self.bench.fork(lambda: swap(plan), stage)
        if outcome.status == "time":
            self.patience.later(number, plan, stage, outcome.passed + (number in self.scouted))
        self.role.report.line(number, outcome.status, outcome.passed, outcome.extra)
        if outcome.status == "pass":
            self._record(number, plan)
        if outcome.status == "fail":
            self._ask_first(outcome.passed - len(self.bench.failing))

    def _record(self, number, plan):
        """Note what a draft that passed does, so that it can be told from others; the first one twice.

        Where two records of one draft differ, what they note is chance and tells nothing.
        """
        for _ in range(1 if self.recorded else 2):
            self.recorded = True
            self.role.report.raw({"i": number, "d": self.bench.record(lambda: swap(plan), self.recorder)})

    def _ask_first(self, place):
        """Let the green test that ruled a draft out be asked before the others: drafts like it fall to the same one."""
        bench = self.bench
        if not self.killers <= place < len(bench.passing) or self.killers >= KILLERS:
            return
        item = bench.passing[place]
        if item not in self.leaning and sum(bench.took.values()) >= CHEAP:
            if bench.ask_first(item):
                self.killers += 1
            else:
                self.leaning.add(item)  # it, or one that follows, needs the suite's own order

    def _plan(self, number):
        start, stop, text = self.role.job["edits"][number]
        try:
            plan = self.target.plan(start, stop, text.encode("latin-1"))
        except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
            self.role.report.line(number, "bad", 0)
            return None
        if plan.key in self.seen:
            self.role.report.line(number, "same", 0)
            return None
        self.seen.add(plan.key)
        if plan.function is None:
            self.role.report.line(number, "slow", 0)
            self.left += 1
            return None
        self.swappable += 1
        return plan


def _changes(batch):
    """One swap per draft, each undoing the one before it in the same child."""
    previous = []

    def change(plan):
        for old in previous:
            restore(old)
        previous[:] = [plan]
        swap(plan)

    return [lambda plan=plan: change(plan) for _, plan in batch]
