"""What the screener keeps between drafts: its report, and drafts that ran out of time. Stdlib only; runs no test."""

import heapq
import json
import os
import signal
import time

HEAD, LIKELIER = 50, 3  # places added so that the first few drafts do not take everything; weight of a test passed
SHARE, PROMISING = 0.3, 0.6  # of the time for drafts that ran out of it once; more when a red test already passes


class Report:
    """JSON lines as results come, so that a killed run still gives what it saw."""

    def __init__(self, path, probes):
        self.path, self.passes, self.judged = path, 0, 0
        self.probes = frozenset(probes)
        self.ready, self.left, self.first_pass = False, [], 0.0
        self.file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)

    def raw(self, data):
        """Append one line."""
        os.write(self.file, json.dumps(data, separators=(",", ":")).encode() + b"\n")

    def line(self, number, status, passed=0, extra=0):
        """Append how one draft went; a later line about it replaces this one."""
        data = {"i": number, "s": status, "t": passed, "x": extra, "at": round(time.monotonic(), 3)}
        self._count(data)
        self.raw(data)

    def _count(self, data):
        if data["s"] == "pass" and data["i"] not in self.probes:
            self.first_pass = self.first_pass or data["at"]
            self.passes += 1
        self.judged += bool(self.first_pass)

    def read(self):
        """Take in what the fast server left behind."""
        with open(self.path, "rb") as file:
            for text in file:
                data = json.loads(text)
                self.ready |= "ready" in data
                if data.get("s") == "slow":
                    self.left.append(data["i"])
                if "s" in data:
                    self._count(data)


class Patience:
    """The heap of drafts that ran out of time in one of the `stages`."""

    def __init__(self, stages):
        self.stages, self.heap, self.used = stages, [], 0.0
        self.promising = False

    def waiting(self):
        """Is there a draft that may come back?"""
        return bool(self.heap)

    def pop(self):
        """The most promising waiting draft: its number, plan and stage."""
        _, number, stage, _, plan = heapq.heappop(self.heap)
        return number, plan, stage

    def due(self, elapsed):
        """Is it the turn of a waiting draft: has their kind had less than its share of the time?"""
        return bool(self.heap) and self.used < (PROMISING if self.promising else SHARE) * elapsed

    def later(self, number, plan, stage, passed):
        """Keep a draft that ran out of time for the next stage.

        Who comes first is Levin's universal search: the time a stage allows, times the draft's place; a draft that got
        past red tests counts as so many times likelier.
        """
        if stage + 1 < len(self.stages):
            self.promising |= passed > 0
            price = self.stages[stage + 1] * (number + HEAD) / (1 + LIKELIER * passed)
            heapq.heappush(self.heap, (price, number, stage + 1, id(plan), plan))


def wait_for(child, deadline):
    """Wait for a child until `deadline`, then kill it."""
    while os.waitpid(child, os.WNOHANG)[0] == 0:
        if time.monotonic() > deadline:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return
        time.sleep(0.01)
