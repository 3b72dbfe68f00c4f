"""Which lines of the tree run while a test runs, for the separate coverage run. Never in a judged run.

Standard library alone. Writes JSON lines `{"id", "files": {path: [lines]}}` to `BENDCODER_TRACE_OUT`, one
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


class Tracer:
    """Records lines for one test at a time."""

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
        """Trace from here on, whoever traced before."""
        if not self.stopped:
            threading.settrace(self._calls)
            sys.settrace(self._calls)

    def leave(self):
        """The test has ended: write down what it ran."""
        sys.settrace(None)
        threading.settrace(None)
        if not self.stopped or self.key == "":
            self._write()
        self.stopped = True

    def _path_of(self, filename):
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

    def _calls(self, frame, _event, _arg):
        if self.stopped or self._path_of(frame.f_code.co_filename) is None:
            return None
        return self._lines

    def _lines(self, frame, event, _arg):
        if event == "line":
            self.hits.add((frame.f_code.co_filename, frame.f_lineno))
            self.left -= 1
            if self.left <= 0 or (self.left % 1024 == 0 and self._too_long()):
                self._give_up()
                return None
        return None if self.stopped else self._lines

    def _too_long(self):
        return _EVENTS - self.left > _FREE and time.perf_counter() - self.begun > _SECONDS

    def _give_up(self):
        """Write down what was seen so far: the test may never end."""
        if self.key != "" and not self.stopped:
            self.stopped = True
            self._write()
            sys.settrace(None)

    def _write(self):
        files = {}
        for filename, line in sorted(self.hits):
            files.setdefault(self._path_of(filename), []).append(line)
        files.pop(None, None)
        text = json.dumps({"id": self.key, "files": files}, separators=(",", ":")) + "\n"
        if not _OUT or self.written + len(text) > _SIZE:
            return
        self.written += len(text)
        with open(_OUT, "a", encoding="ascii") as file:
            file.write(text)
