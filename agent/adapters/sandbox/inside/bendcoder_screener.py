"""Pytest plugin that tries many drafts of one file in one command: collect once, fork per draft, swap its code.

Stdlib only; runs as foreign code in the sandbox, and what it reports is a hint that the loop verifies afterwards.
It must not write anything but its report. The job is a JSON file named by BENDCODER_SCREEN_JOB:
`{path, source, lines, edits: [[start, stop, text]], probes, failing, passing, seconds, measuring, enough, window}`,
bytes as latin-1; timing red tests on the base may take `measuring` seconds, and green ones as many.

The process that imports this module stays behind as coordinator: one child goes on as the fast server; each draft that
cannot be swapped (module level, defaults, decorators) gets a child of its own that imports the changed file afresh.
"""

import contextlib
import importlib.machinery
import json
import os
import signal
import sys
import time
import warnings

from bendcoder_behaviour import Recorder
from bendcoder_lazy import load
from bendcoder_patience import Report, wait_for
from bendcoder_screening import LAST, Bench
from bendcoder_search import Search
from bendcoder_swap import Target
from bendcoder_watch import Watch

RECORDED = 200  # green tests, the quickest, in which what a draft does is noted
FRESH_LIMIT = 20.0  # seconds one fresh import with its collection may take at most


class Role:
    """What this process is: `fast` server of swapped drafts, or `single` for one draft imported afresh."""

    def __init__(self, job, report, deadline):
        self.job, self.report, self.deadline = job, report, deadline
        self.single = None
        self.pipe = None
        self.broken = set()
        self.limit = LAST

    def passes_left(self):
        """How many more drafts may pass before the search ends."""
        return self.job["enough"] - self.report.passes

    def over(self):
        """Is the search over: by time, by enough passes, or some time and drafts after the first of them?"""
        now, first = time.monotonic(), self.report.first_pass
        if self.passes_left() <= 0 or now >= self.deadline:
            return True
        least, more, longest = self.job["window"]
        since = now - first if first else 0.0
        return since >= longest or (since >= least and self.report.judged >= more)


def _spare_plugins():
    """Leave installed plugins their own bytecode: rewriting their asserts costs seconds where none can be written."""
    for finder in sys.meta_path:
        marked = getattr(finder, "_must_rewrite", None)
        if isinstance(marked, set):
            places = [(name.split(".")[0], folder) for name in marked for folder in ("", "src")]
            ours = {top for top, folder in places if os.path.exists(os.path.join(folder, top))}
            marked.intersection_update([name for name in marked if name.split(".")[0] in ours])
            getattr(finder, "_marked_for_rewrite_cache", {}).clear()


def _start():
    name = os.environ.pop("BENDCODER_SCREEN_JOB", None)
    if name is None:
        return None
    with open(name, "rb") as file:
        job = json.load(file)
    role = Role(
        job, Report(os.environ.pop("BENDCODER_SCREEN_REPORT"), job["probes"]), time.monotonic() + job["seconds"]
    )
    child = os.fork()
    if child == 0:
        return role
    wait_for(child, role.deadline + 1.0)
    return _fresh_imports(role)


def _fresh_imports(role):
    """Coordinator: try what the fast server left, one forked pytest each; returns only in the children."""
    state = role.report
    state.read()
    for number in state.left if state.ready else range(len(role.job["edits"])):
        if role.over():
            break
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            os.setpgid(0, 0)
            role.single, role.pipe = number, writer
            _import_changed(role.job, number)
            return role
        os.close(writer)
        limit = min(FRESH_LIMIT, max(1.0, role.deadline - time.monotonic()))
        seen = Watch(child, reader).until(limit)
        role.report.line(number, seen.status, seen.passed, seen.extra)
        if seen.words:
            role.report.raw({"i": number, "d": seen.words})
    os._exit(0)


def _import_changed(job, number):
    """Make every import of the file see the draft: on disk for child processes, in the loader for cached bytecode."""
    path = os.path.realpath(job["path"])
    start, stop, text = job["edits"][number]
    source = job["source"].encode("latin-1")
    whole = source[:start] + text.encode("latin-1") + source[stop:]
    try:
        with open(path, "wb") as file:
            file.write(whole)
    except OSError:
        pass  # a read-only tree: the loader alone has to do
    loader = importlib.machinery.SourceFileLoader
    original = loader.get_code

    def get_code(self, fullname):
        if os.path.realpath(self.get_filename(fullname)) == path:
            return compile(whole, path, "exec", dont_inherit=True)
        return original(self, fullname)

    loader.get_code = get_code


def pytest_cmdline_main(config):
    """Collect only the files of the wanted tests, in one process, whatever the command's own options say."""
    for option, value in (("numprocesses", None), ("dist", "no"), ("tx", [])):
        if hasattr(config.option, option):
            setattr(config.option, option, value)
    with contextlib.suppress(KeyError, TypeError, ValueError):
        ROLE.limit = min(LAST, float(config.getini("timeout")))  # pytest-timeout's, when the repository sets one
    root = str(config.rootdir) if hasattr(config, "rootdir") else os.getcwd()
    names = [test.split("::")[0] for test in ROLE.job["failing"] + ROLE.job["passing"]]
    files = [os.path.join(root, name) for name in dict.fromkeys(names)]
    files = [name for name in files if os.path.exists(name)]
    if files:
        config.args = files


def pytest_collectreport(report):
    """Remember what could not be collected."""
    if report.failed:
        ROLE.broken.add(report.nodeid)


def pytest_runtestloop(session):
    """Take over after collection; never returns."""
    items = {item.nodeid: item for item in session.items}
    os.dup2(os.open(os.devnull, os.O_RDWR), 0)
    for stream in (1, 2):
        os.dup2(0, stream)
    if ROLE.single is not None:
        _one(items, ROLE)
    else:
        _many(items, ROLE)
    os._exit(0)


def _wanted(items, role):
    """Failing and passing items; a failing id without `::` is a file that could not be collected: all of it."""
    failing, blind = [], False
    for test in role.job["failing"]:
        if test in items:
            failing.append(items[test])
        elif "::" not in test:
            blind = True
            failing += [item for name, item in items.items() if name.startswith(test + "::")]
    wanted = set(role.job["passing"])
    passing = [item for name, item in items.items() if name in wanted]
    others = [item for name, item in items.items() if name not in wanted and item not in failing]
    return failing, passing, others, blind


def _one(items, role):
    failing, passing, others, _ = _wanted(items, role)
    missing = [test for test in role.job["failing"] if test in role.broken]
    if missing or not failing:
        return
    bench = Bench(failing, passing, others, role.limit)
    outcome = bench.fork(lambda: None, len(bench.stages) - 1)
    for line in outcome.said:
        os.write(role.pipe, line.encode() + b"\n")
    if outcome.status == "pass":
        once, twice = (bench.record(None, _recorder(role)) for _ in range(2))
        for number, word in once.items():
            if twice.get(number) == word:
                os.write(role.pipe, f"d {number} {word}\n".encode())


def _recorder(role):
    """Notes what the anchored lines do; where no function stands in them, what the whole file does."""
    path = os.path.realpath(role.job["path"])
    begin, end = role.job["lines"]
    functions = Target(path, role.job["source"].encode("latin-1")).functions
    tests = role.job["failing"] + role.job["passing"][:RECORDED]
    numbers = {test: number for number, test in enumerate(tests)}
    return Recorder(path, begin, end, not any(begin <= one.line <= end for one in functions), numbers)


def _many(items, role):
    failing, passing, others, blind = _wanted(items, role)
    target = Target(os.path.realpath(role.job["path"]), role.job["source"].encode("latin-1"))
    if not blind and failing:
        load(target.path)
        target.find_live()
    bench = Bench(failing, passing, others, role.limit, target.path)
    role.report.raw({"ready": len(failing), "passing": len(passing)})
    if not failing and not blind:
        return
    room = role.job["measuring"]
    bench.measure(min(role.deadline, time.monotonic() + room), room)
    warnings.simplefilter("ignore")  # of compiling drafts; pytest sets its own filters around each test
    bench.prepare()
    Search(target, bench, role, _recorder(role)).run()


ROLE = _start()
if ROLE is None:  # loaded without a job: stay out of the way
    for hook in ("pytest_cmdline_main", "pytest_collectreport", "pytest_runtestloop"):
        del globals()[hook]
else:
    sys.dont_write_bytecode = True
    _spare_plugins()
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    import pytest

    pytest_cmdline_main = pytest.hookimpl(tryfirst=True)(pytest_cmdline_main)
    pytest_runtestloop = pytest.hookimpl(tryfirst=True)(pytest_runtestloop)
