"""The screener's bench: run chosen tests in forked children under time limits. Stdlib only; loaded beside the screener.

Knows nothing of files; it must not report a pass that a child did not live to write. A child speaks in lines:
`p SECONDS` a test passed, then `P` all passed, `F SECONDS` one did not, `T` out of time; after `P` an `x` for each
further test that passes as well; in a batch `F`, `T` or `M` per draft; of a recording `d WORD` per test.
"""

import contextlib
import copy
import gc
import os
import resource
import signal
import sys
import time

from bendcoder_items import beside, forget, note_reports, plain
from bendcoder_steps import STEPS, OutOfTime, Steps
from bendcoder_watch import Outcome, Watch

STAGES = (0.006, 0.04, 0.3)  # processor seconds per test before the last stage; a test known to be slow gets more
PATIENCE, GROWTH = 6, 3  # times what a test took on the base in the first stage, and more of that in each further one
LONG, ROOM = 2, 0.1  # a long test gets twice its time and a tenth of a second instead
HANGING, HANGS = 0.1, 1.5  # processor seconds a red test may take while being measured: each, and the first to hang
SLOW, SCOUTS = 0.02, 12  # processor seconds from which a red test is slow; siblings tried to find a quicker one
LATE = 2  # the stage from which what a red test took on the base counts: a repair may be quicker by far
LAST = 5.0  # processor seconds per test when nothing shorter is known
EXTRA = 60  # further tests run on a draft that passed, at most
SILENCE = 1.0  # wall seconds added to a limit before the parent kills a child, which may be stuck outside of Python
HEAP_BYTES = 1024**3  # address space a child may add
FILE_BYTES = 64 * 1024**2


class Bench:
    """The tests, in the order that tells most soonest."""

    def __init__(self, failing, passing, others, last, path=""):
        self.failing, self.passing, self.others = failing, passing, others[:EXTRA]
        self.stages = (*STAGES, max(last, STAGES[-1]))
        self.took, self.red, self.scout = {}, {}, None
        self.prepared = self.first = self.beside = None
        self.arguments, self.room = {}, 0.0
        self.expired = False
        self.steps = Steps(path)

    def measure(self, deadline, room):
        """Time red tests on the base, quickest first from then on; green ones, for `room` seconds, when they matter."""
        hung = False
        for item in self.failing:
            limit = HANGING if hung else min(HANGS, self.stages[-1])
            outcome = self._run(None, [item], lambda _, limit=limit: limit)
            hung |= outcome.status == "time"
            self.red[item] = limit if outcome.red is None else outcome.red
            self.steps.counting |= outcome.status == "time"
        self.failing.sort(key=self.red.get)
        self._find_scout(deadline)
        self.room = room

    def _measure_green(self):
        """The first draft that passes all red tests needs the green ones; one that is red on the base cannot judge."""
        deadline, self.room = time.monotonic() + self.room, 0.0
        good, rest = [], list(self.passing)
        while rest and time.monotonic() < deadline:
            outcome = self._run(None, rest, lambda _: LAST)
            self.took.update(zip(rest, outcome.times))  # noqa: B905 (as many as passed; 3.9 knows no `strict`)
            good += rest[: outcome.passed]
            rest = rest[outcome.passed + 1 :] if outcome.status != "pass" else []
        self.passing = good  # in the suite's order, which some tests lean on

    def _find_scout(self, deadline):
        """A red sibling (same function, other parameters) that is quick, when those that must pass are slow.

        Not passing it puts a draft back, it does not rule it out: the sibling may be red for another reason.
        """
        if not self.failing or self.red[self.failing[0]] < SLOW or time.monotonic() > deadline:
            return
        names = {item.nodeid.split("[")[0] for item in self.failing}
        siblings = [item for item in self.others if item.nodeid.split("[")[0] in names]
        for item in siblings[:SCOUTS]:
            outcome = self._run(None, [item], lambda _: SLOW / 4)
            if outcome.red is not None and outcome.red < self.red.get(self.scout, SLOW / 4):
                self.scout, self.red[item] = item, outcome.red

    def prepare(self):
        """Set the first test up once for all children, when nothing of the repository runs in that; then freeze.

        Any other is set up and torn down for each draft; wider fixtures stay for the next draft of the same child.
        """
        first = self.first = self.scout or (self.failing[0] if self.failing else None)
        self.beside = beside(first, self.failing + self.passing + self.others)
        if first is not None and plain(first):
            try:
                first.ihook.pytest_runtest_setup(item=first)
                self.arguments = copy.deepcopy(getattr(first, "funcargs", {}))
                self.prepared = first
            except BaseException:
                self.failing = [item for item in self.failing if item is not first]
                self.first = None
        gc.collect()
        gc.freeze()

    def limit(self, item, stage):
        """Processor seconds of one test in one stage."""
        took, red = self.took.get(item, 0.0), self.red.get(item, 0.0)
        late = red + ROOM if stage >= LATE else LONG * red if red <= SLOW else 0.0
        return max(self.stages[stage], min(PATIENCE * took, LONG * took + ROOM) * GROWTH**stage, min(late, HANGS))

    def fork(self, change, stage):
        """Run red and green tests in a child after `change()`; stops at the first that does not pass."""
        if self.room:
            outcome = self._run(change, self.failing, lambda item: self.limit(item, stage))
            if outcome.status != "pass":
                return outcome
            self._measure_green()
        return self._run(change, self.failing + self.passing, lambda item: self.limit(item, stage), self.others)

    def ask_first(self, item):
        """Run this passing test before the others from now on; False, and nothing changed, when the base then fails."""
        order = [item, *(other for other in self.passing if other is not item)]
        good = self._run(None, order, lambda _: LAST).status == "pass"
        self.passing = order if good else self.passing
        return good

    def _run(self, change, items, limit, others=()):
        def child(writer):
            if change is not None:
                change()
            self.play(items, limit, writer, others)

        return self._child(child).until(_wall(max(limit(item) for item in items)) + SILENCE)

    def batch(self, changes, stage):
        """Start the first failing test for many drafts in one child; call the result for a word per draft that was run.

        `F` red, `T` out of time, `M` passed (to be run in a child of its own); fewer words when it ended early.
        """
        limit = self.limit(self.first, stage)
        trace = self.steps.enter if self.steps.counting else None

        def child(writer):
            for change in changes:
                change()
                self.steps.left = STEPS
                good = self._once_more(limit, trace)
                word = b"T" if self.expired or self.steps.left < 0 else b"M" if good else b"F"
                os.write(writer, word + b"\n")
                if word == b"M":
                    return
                self.expired = False

        watch = self._child(child)

        def finish():
            said, silent = watch.lines(_wall(limit) + SILENCE)
            if len(said) < len(changes) and (not said or said[-1] != "M"):
                said.append("T" if silent else "F")
            self.steps.learn(len(said), said.count("T"))
            return said

        return finish

    def _once_more(self, limit, trace):
        """Child's side: the first test as if it had never been run."""
        first = self.first
        if first is self.prepared:
            first.funcargs = copy.deepcopy(self.arguments)
            return self._timed(first, limit, None, trace=trace)
        forget(first)
        good = self._timed(first, limit, self.beside, tear_down=True, trace=trace)
        if not good:
            with contextlib.suppress(BaseException):
                first.ihook.pytest_runtest_teardown(item=first, nextitem=self.beside)
        return good

    def record(self, change, recorder):
        """What a draft does in red and green tests: a word by the test's number; none where it was not seen in time."""
        items = [item for item in self.failing + self.passing if item.nodeid in recorder.numbers]
        if not items:
            return {}

        def limit(item):
            return min(self.stages[-1], max(STAGES[-1], GROWTH * self.limit(item, LATE)))

        def child(writer):
            if change is not None:
                change()
            self._begin_with(items[0])
            for number, item in enumerate(items):
                following = items[number + 1] if number + 1 < len(items) else None
                recorder.start()
                if not self._timed(item, limit(item), following, tear_down=True, trace=recorder.calls):
                    with contextlib.suppress(BaseException):
                        item.ihook.pytest_runtest_teardown(item=item, nextitem=following)
                if not self.expired and recorder.events:
                    os.write(writer, b"d %d %b\n" % (recorder.numbers[item.nodeid], recorder.word().encode()))
                self.expired = False

        watch = self._child(child)
        return Outcome(*watch.lines(_wall(max(limit(item) for item in items)) + SILENCE)).words

    def _child(self, work):
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.setpgid(0, 0)
                os.close(reader)
                sys.settrace(None)
                self._limit()
                work(writer)
            except BaseException:
                pass
            os._exit(0)
        os.close(writer)
        return Watch(child, reader)

    def _limit(self):
        with open("/proc/self/statm", "rb") as file:
            size = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        for what, bound in ((resource.RLIMIT_AS, size + HEAP_BYTES), (resource.RLIMIT_FSIZE, FILE_BYTES)):
            hard = resource.getrlimit(what)[1]
            bound = bound if hard == resource.RLIM_INFINITY else min(bound, hard)
            resource.setrlimit(what, (bound, bound))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    def play(self, items, limit, writer, others=()):
        """Child's side: run tests until one does not pass; when all did, see how far beyond them the draft goes."""
        self._begin_with(items[0])
        for number, item in enumerate(items):
            following = items[number + 1] if number + 1 < len(items) else None
            begin = time.process_time()
            good = self._timed(item, limit(item), following, tear_down=True)
            took = time.process_time() - begin
            if self.expired or not good:
                os.write(writer, b"T\n" if self.expired else b"F %.5f\n" % took)
                return
            os.write(writer, b"p %.5f\n" % took)
        os.write(writer, b"P\n")
        for item in others:
            if self._timed(item, STAGES[-1], None, tear_down=True) and not self.expired:
                os.write(writer, b"x\n")
            self.expired = False

    def _begin_with(self, first):
        """Child's side: let go of the test that was set up before the fork, unless it is the first to be run."""
        if self.prepared is not None and first is not self.prepared:
            self.prepared.ihook.pytest_runtest_teardown(item=self.prepared, nextitem=first)
            self.prepared = None

    def _timed(self, item, limit, following, tear_down=False, trace=None):
        signal.signal(signal.SIGALRM, self._alarm)
        signal.signal(signal.SIGPROF, self._alarm)
        try:
            signal.setitimer(signal.ITIMER_PROF, limit, 0.05)
            signal.setitimer(signal.ITIMER_REAL, _wall(limit), 0.05)
            sys.settrace(trace)
            good = self._passes(item, following, tear_down)
            self._quiet()
        except BaseException:
            self._quiet()
            good = False
        return good

    def _quiet(self):
        sys.settrace(None)
        for timer in (signal.ITIMER_PROF, signal.ITIMER_REAL):
            signal.setitimer(timer, 0)

    def _alarm(self, _number, _frame):
        self.expired = True
        raise OutOfTime

    def _passes(self, item, following, tear_down):
        """One test through pytest's hooks, without the protocol that a time-out plugin wraps."""
        hooks = item.ihook
        if item is self.prepared:
            item.runtest()
        else:
            hooks.pytest_runtest_setup(item=item)
            hooks.pytest_runtest_call(item=item)
        note_reports(item)
        if getattr(item, "_excinfo", None):  # unittest cases keep their failures instead of raising them
            return False
        if tear_down:
            hooks.pytest_runtest_teardown(item=item, nextitem=following)
        return True


def _wall(limit):
    """Wall seconds for a limit of processor seconds: room for a busy machine, and for tests that wait."""
    return max(0.5, 4 * limit)
