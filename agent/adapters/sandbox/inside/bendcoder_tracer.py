"""pytest plugin of the separate coverage run: which lines of the tree each test executes. Never in a judged run.

Standard library and pytest alone. Writes JSON lines `{"id", "files": {path: [lines]}}` to `BENDCODER_TRACE_OUT`, one
per test, flushed at once, so that a run which is killed keeps what was seen; id "" is what ran outside of tests
(imports). Paths are relative to the folder the run started in. `BENDCODER_TRACE_ONLY` names a JSON list of paths to
restrict it to.

Tracing of one test stops after `BENDCODER_TRACE_EVENTS` events, or when it has made many events and lasted longer than
`BENDCODER_TRACE_SECONDS`: a test that loops for ever must not become slower still.
"""

import json
import os
import sys
import threading
import time

import pytest

_ROOT = os.path.realpath(os.getcwd()) + os.sep
_OUT = os.environ.get("BENDCODER_TRACE_OUT", "")
_EVENTS = int(os.environ.get("BENDCODER_TRACE_EVENTS", "200000"))
_SECONDS = float(os.environ.get("BENDCODER_TRACE_SECONDS", "0.3"))
_FREE = 20000
"""Events a test may make before the clock is looked at: about 10 ms of tracing."""
_SIZE = 48 * 1024 * 1024
"""Bytes written at most; what comes later is not recorded."""
_SKIPPED = (os.sep + "site-packages" + os.sep, os.sep + ".git" + os.sep)


def _only():
    path = os.environ.get("BENDCODER_TRACE_ONLY")
    if not path:
        return None
    with open(path, encoding="utf-8") as file:
        return frozenset(json.load(file))


class _Tracer:
    def __init__(self):
        self.only = _only()
        self.paths = {}
        self.written = 0
        self.key = None
        self.imports = set()
        self.enter("")

    def enter(self, key):
        """Begin to record for a test; "" adds to what was seen outside of tests."""
        self.key = key
        self.hits = self.imports if key == "" else set()
        self.left = _EVENTS
        self.begun = time.perf_counter()
        self.stopped = False
        self.install()

    def install(self):
        if not self.stopped:
            threading.settrace(self.calls)
            sys.settrace(self.calls)

    def leave(self):
        sys.settrace(None)
        threading.settrace(None)
        if not self.stopped or self.key == "":
            self.write()
        self.stopped = True

    def path_of(self, filename):
        """Relative path of a code object's file, None when it is not ours to trace."""
        try:
            return self.paths[filename]
        except KeyError:
            pass
        found = None
        if not filename.startswith("<"):
            full = os.path.realpath(filename)
            if full.startswith(_ROOT) and not any(part in full for part in _SKIPPED):
                found = full[len(_ROOT) :].replace(os.sep, "/")
                if self.only is not None and found not in self.only:
                    found = None
        self.paths[filename] = found
        return found

    def calls(self, frame, _event, _arg):
        if self.stopped or self.path_of(frame.f_code.co_filename) is None:
            return None
        return self.lines

    def lines(self, frame, event, _arg):
        if event == "line":
            self.hits.add((frame.f_code.co_filename, frame.f_lineno))
            self.left -= 1
            if self.left <= 0 or (self.left % 1024 == 0 and self.too_long()):
                self.give_up()
                return None
        return None if self.stopped else self.lines

    def too_long(self):
        return _EVENTS - self.left > _FREE and time.perf_counter() - self.begun > _SECONDS

    def give_up(self):
        """Write down what was seen so far: the test may never end."""
        if self.key != "" and not self.stopped:
            self.stopped = True
            self.write()
            sys.settrace(None)

    def write(self):
        files = {}
        for filename, line in sorted(self.hits):
            files.setdefault(self.path_of(filename), []).append(line)
        files.pop(None, None)
        text = json.dumps({"id": self.key, "files": files}, separators=(",", ":")) + "\n"
        if not _OUT or self.written + len(text) > _SIZE:
            return
        self.written += len(text)
        with open(_OUT, "a", encoding="ascii") as file:
            file.write(text)


_TRACER = _Tracer()


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config):
    """Keep pytest-cov from taking the one trace function for itself; this run is not its business."""
    for options in (early_config.known_args_namespace, early_config.option):
        if hasattr(options, "cov_source"):
            options.no_cov = True


@pytest.hookimpl(hookwrapper=True)
def pytest_cmdline_main(config):
    """One process: lines are recorded where they run."""
    for name, value in (("numprocesses", None), ("dist", "no"), ("tx", [])):
        if hasattr(config.option, name):
            setattr(config.option, name, value)
    yield


def pytest_collectstart():
    """Whoever replaced the trace function meanwhile (a coverage tool) gives it back."""
    _TRACER.install()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtestloop():
    """Import time ends here."""
    _TRACER.leave()
    yield


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_protocol(item):
    """Set-up and tear-down belong to the test they are made for."""
    _TRACER.enter(item.nodeid)
    yield
    _TRACER.leave()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call():
    """A fixture may have left its own trace function behind."""
    _TRACER.install()
    yield


def pytest_unconfigure():
    """Leave the interpreter as it was found."""
    sys.settrace(None)
    threading.settrace(None)
