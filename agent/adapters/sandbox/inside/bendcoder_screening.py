"""The screener's bench: run chosen tests in forked children under time limits. Stdlib only; loaded beside the screener.

Knows nothing of drafts or files; it must not report a pass that a child did not live to write.
"""

import gc
import heapq
import json
import os
import resource
import select
import signal
import time

FIRST, SECOND, LAST = 0.04, 0.3, 5.0  # seconds per test; the first two grow with the slowest passing test
HANGING = 0.5  # seconds a failing test of the base may take while being measured
HEAP_BYTES = 1024**3  # address space a child may add
FILE_BYTES = 64 * 1024**2
SHARE, PROMISING = 0.3, 0.6  # of the time for drafts that ran out of it once


class OutOfTime(BaseException):
    """Raised by the alarm; not an Exception, so that a draft's `except Exception` lets it pass."""


class Outcome:
    """How one child ended: `pass`, `fail` or `time`, and how many tests passed before."""

    def __init__(self, status, passed):
        self.status, self.passed = status, passed


class Report:
    """JSON lines as results come, so that a killed run still gives what it saw."""

    def __init__(self, path):
        self.path, self.passes = path, 0
        self.file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)

    def raw(self, data):
        os.write(self.file, json.dumps(data, separators=(",", ":")).encode() + b"\n")

    def line(self, number, status, passed):
        self.passes += status == "pass"
        self.raw({"i": number, "s": status, "t": passed, "at": round(time.monotonic(), 3)})

    def read(self):
        """What the fast server left behind."""
        self.ready, self.left, self.first_pass = False, [], 0.0
        with open(self.path, "rb") as file:
            for text in file:
                data = json.loads(text)
                self.ready |= "ready" in data
                if data.get("s") == "slow":
                    self.left.append(data["i"])
                if data.get("s") == "pass" and not self.first_pass:
                    self.first_pass = data["at"]
                    self.passes = 0
                self.passes += data.get("s") == "pass"
        return self


class Patience:
    """Time limits in stages, and the heap of drafts that ran out of one."""

    def __init__(self, bench, last):
        first = max(FIRST, 6 * bench.slowest)
        self.stages = [first, max(SECOND, 4 * first), max(last, 2 * first)]
        self.heap, self.used = [], 0.0

    def limits(self, stage):
        return self.stages[stage]

    def waiting(self):
        return bool(self.heap)

    def pop(self):
        _, stage, number, _, plan = heapq.heappop(self.heap)
        return number, plan, stage

    def again(self, elapsed):
        """A waiting draft, when its kind has had less than its share of the time; else (None, None, 0)."""
        if self.heap and self.used < (PROMISING if self.heap[0][0] == 0 else SHARE) * elapsed:
            return self.pop()
        return None, None, 0

    def spent(self, stage, seconds):
        if stage:
            self.used += seconds

    def later(self, number, plan, stage, passed):
        if stage + 1 >= len(self.stages):
            return False
        heapq.heappush(self.heap, (0 if passed else 1, stage + 1, number, id(plan), plan))
        return True


def wait_for(child, deadline):
    """Wait for a child until `deadline`, then kill it."""
    while os.waitpid(child, os.WNOHANG)[0] == 0:
        if time.monotonic() > deadline:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return
        time.sleep(0.01)


class Watch:
    """The parent's side of one child: reads its progress and ends its whole group."""

    def __init__(self, child, reader):
        self.child, self.reader = child, reader

    def until(self, first, later):
        """Read until the child ends or is silent for `first`, then `later` seconds; kill what is left of it."""
        said, silent = b"", False
        while True:
            ready, _, _ = select.select([self.reader], [], [], later if said else first)
            if not ready:
                silent = True
                break
            more = os.read(self.reader, 4096)
            if not more:
                break
            said += more
            if said[-1:] in b"PFT":
                break
        os.close(self.reader)
        for kill in (os.killpg, os.kill):
            try:
                kill(self.child, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                pass
        os.waitpid(self.child, 0)
        status = {b"P": "pass", b"T": "time"}.get(said[-1:], "time" if silent else "fail")
        return Outcome(status, said.count(b"p"))


class Bench:
    """The tests, in the order that tells most soonest."""

    def __init__(self, failing, passing):
        self.failing, self.passing, self.slowest = failing, passing, 0.0
        self.expired = False

    def measure(self, deadline):
        """Time every test on the base: quickest first from then on; a test that does not pass here cannot judge."""
        took = {}
        for item in self.failing:
            begin = time.monotonic()
            self.fork(None, HANGING, [item])
            took[item] = time.monotonic() - begin
        self.failing = sorted(self.failing, key=took.get)
        good, rest = [], list(self.passing)
        while rest and time.monotonic() < deadline:
            begin = time.monotonic()
            batch = rest[:1] if not good else rest[:8]
            outcome = self.fork(None, LAST, batch)
            each = (time.monotonic() - begin) / max(1, outcome.passed)
            good += [(each, item) for item in batch[: outcome.passed]]
            rest = rest[outcome.passed + (outcome.status != "pass") :]
        good.sort(key=lambda pair: pair[0])
        self.passing = [item for _, item in good]
        self.slowest = max([each for each, _ in good], default=0.0)

    def freeze(self):
        gc.collect()
        gc.freeze()

    def fork(self, change, limit, items=None):
        """Run the tests in a child after `change()`; stops at the first that does not pass."""
        chosen = self.failing + self.passing if items is None else items
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.setpgid(0, 0)
                os.close(reader)
                self._limit()
                if change is not None:
                    change()
                self.play(chosen, limit, writer)
            except BaseException:
                pass
            os._exit(0)
        os.close(writer)
        return Watch(child, reader).until(first=limit + 0.5, later=limit + 0.5)

    def _limit(self):
        with open("/proc/self/statm", "rb") as file:
            size = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        for what, bound in ((resource.RLIMIT_AS, size + HEAP_BYTES), (resource.RLIMIT_FSIZE, FILE_BYTES)):
            hard = resource.getrlimit(what)[1]
            bound = bound if hard == resource.RLIM_INFINITY else min(bound, hard)
            resource.setrlimit(what, (bound, bound))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    def play(self, items, limit, writer):
        """Child's side: one `p` per passed test, then P (all passed), F or T (out of time)."""
        signal.signal(signal.SIGALRM, self._alarm)
        for number, item in enumerate(items):
            following = items[number + 1] if number + 1 < len(items) else None
            try:
                signal.setitimer(signal.ITIMER_REAL, limit, 0.05)
                good = _passes(item, following)
                signal.setitimer(signal.ITIMER_REAL, 0)
            except BaseException:
                signal.setitimer(signal.ITIMER_REAL, 0)
                good = False
            if self.expired or not good:
                os.write(writer, b"T" if self.expired else b"F")
                return
            os.write(writer, b"p")
        os.write(writer, b"P")

    def _alarm(self, number, frame):
        self.expired = True
        raise OutOfTime


def _passes(item, following):
    """Set up, run and tear down one test through pytest's hooks, without the protocol that a time-out plugin wraps."""
    hooks = item.ihook
    hooks.pytest_runtest_setup(item=item)
    hooks.pytest_runtest_call(item=item)
    if getattr(item, "_excinfo", None):  # unittest cases keep their failures instead of raising them
        return False
    hooks.pytest_runtest_teardown(item=item, nextitem=following)
    return True
