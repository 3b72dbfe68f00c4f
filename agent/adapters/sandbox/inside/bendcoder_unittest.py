"""`python -m unittest` for judged runs: the same program with a record of every test, sealed by one line of output.

Runs inside a repository's own interpreter in the place of `-m unittest`, so it uses the standard library alone, and
must not change what a test does or which tests are found. It
- writes one JSON line per test to the file `BENDCODER_REPORT`: id, status, seconds, message; ids look like pytest's,
  `path/of/test_file.py::Class::test_method`, with the path relative to the folder the run started in;
- narrows the run to the ids in the file `BENDCODER_SELECT` names; modules that hold none of them are only imported when
  some id is not found without them (tests may be imported from, or made by, other modules than their own);
- reads no bytecode in the tree, only sources: bytecode beside a test may be of another test;
- goes on after a failure whatever the command says;
- prints `bendcoder-seal COUNT DIGEST` to the real standard output once all tests have ended: a record that is rewritten
  afterwards no longer fits its seal, and what went down that pipe cannot be taken back;
- with `BENDCODER_TRACE_OUT` set, records the lines each test executes. Never in a judged run.
"""

# ruff: noqa: N802 - the names of the methods are unittest's

import hashlib
import json
import os
import sys
import time
import unittest
from unittest.main import TestProgram

__unittest = True  # tracebacks of failures leave our frames out
_STDOUT = os.dup(1)
# kept from here on: the repository's code, which runs later, may put others in their place
_WRITE, _JSON, _CLOCK = os.write, json.dumps, time.perf_counter
_ROOT, _MESSAGE = os.path.realpath(os.getcwd()) + os.sep, 2000
_WORST_FIRST = ("error", "failed", "xfailed", "skipped", "passed")


def _relative(path):
    """Path below the folder the run started in, None for anything outside."""
    full = os.path.realpath(path) if path else ""
    return full[len(_ROOT) :].replace(os.sep, "/") if full.startswith(_ROOT) else None


def _read_no_bytecode_of_the_tree():
    """A clean checkout has none of its own: what lies there was put there by the code that is tested."""
    import importlib._bootstrap_external as external

    original = external.cache_from_source

    def cache_from_source(path, *args, **kwargs):
        if _relative(path) is not None:
            raise NotImplementedError("bytecode in the tree is not read")  # how importlib is told: there is none
        return original(path, *args, **kwargs)

    external.cache_from_source = cache_from_source


def _file_of(module):
    """Relative path of a module by its dotted name, loaded or (when it could not be) where it would be found."""
    found = _relative(getattr(sys.modules.get(module), "__file__", None))
    if found is not None:
        return found
    parts = module.split(".")
    for folder in sys.path:
        for end in (".py", os.sep + "__init__.py"):
            path = os.path.join(folder, *parts) + end
            if os.path.isfile(path) and _relative(path) is not None:
                return _relative(path)
    return None


def node_id(test):
    """A test as `file::Class::method`; a module or class that could not be set up under its own name."""
    kind = type(test)
    name = getattr(test, "_testMethodName", "")
    if kind.__module__ == "unittest.loader" and name:  # a module that could not be imported, or skipped itself
        return _file_of(name) or name
    if kind.__name__ == "_ErrorHolder":
        return _holder_id(str(getattr(test, "description", test.id())))
    if kind.__module__ == "doctest":
        return "::".join([_doctest_file(test), test.id()])
    if not name:
        return test.id()
    return "::".join([_file_of(kind.__module__) or kind.__module__, *kind.__qualname__.split("."), name])


def _holder_id(description):
    """`setUpClass (pkg.test_x.Case)` and the like: the class, or the module, that could not be set up or torn down."""
    dotted = description.partition("(")[2].rstrip(")") or description
    parts = dotted.split(".")
    for size in range(len(parts), 0, -1):
        module = ".".join(parts[:size])
        if module in sys.modules:
            return "::".join([_file_of(module) or module, *parts[size:]])
    return dotted


def _doctest_file(test):
    example = getattr(test, "_dt_test", None)
    return _relative(getattr(example, "filename", None)) or "doctest"


class _Record:
    """The file with one line per test, and what was written to it."""

    def __init__(self, path):
        self.file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644) if path else None
        self.digest = hashlib.sha256()
        self.count = 0
        self.pid = os.getpid()

    def add(self, name, status, seconds, message):
        """Write one test down."""
        if self.file is None or os.getpid() != self.pid:  # a process a test has forked tells nothing
            return
        entry = {"id": name, "status": status, "seconds": round(seconds, 4), "message": message[:_MESSAGE]}
        line = (_JSON(entry) + "\n").encode("ascii")
        self.digest.update(line)
        self.count += 1
        rest = line
        while rest:
            rest = rest[_WRITE(self.file, rest) :]

    def seal(self):
        """Close the record."""
        if self.file is not None and os.getpid() == self.pid:
            os.close(self.file)
            _WRITE(_STDOUT, f"\nbendcoder-seal {self.count} {self.digest.hexdigest()}\n".encode("ascii"))


_read_no_bytecode_of_the_tree()
_RECORD = _Record(os.environ.get("BENDCODER_REPORT"))


def _lines_of_tests():
    if not os.environ.get("BENDCODER_TRACE_OUT"):
        return None
    from bendcoder_lines import Tracer

    return Tracer()


_TRACER = _lines_of_tests()


class Result(unittest.TextTestResult):
    """What unittest prints, and the record beside it."""

    def startTest(self, test):
        """Begin a test: whatever is said of it until it ends counts, the worst first."""
        super().startTest(test)
        self._bendcoder = {"test": test, "status": None, "message": "", "begun": _CLOCK()}
        if _TRACER is not None:
            _TRACER.enter(node_id(test))

    def stopTest(self, test):
        """End it. A test that ended without saying how is no pass."""
        if _TRACER is not None:
            _TRACER.leave()
        now, self._bendcoder = self._bendcoder, None
        if now is not None:
            told = now["status"] or "error"
            message = now["message"] if now["status"] else "the test ended without a result"
            _RECORD.add(node_id(test), told, _CLOCK() - now["begun"], message)
        super().stopTest(test)

    def _say(self, test, status, message=""):
        now = getattr(self, "_bendcoder", None)
        if now is None:  # a module or a class that was set up or torn down
            _RECORD.add(node_id(test), status, 0.0, message)
        elif now["status"] is None or _WORST_FIRST.index(status) < _WORST_FIRST.index(now["status"]):
            now["status"], now["message"] = status, message

    def addSuccess(self, test):
        """Passed."""
        super().addSuccess(test)
        self._say(test, "passed")

    def addError(self, test, err):
        """An exception that is no failed assertion, in the test or around it."""
        super().addError(test, err)
        around = getattr(self, "_bendcoder", None) is None or type(test).__module__ == "unittest.loader"
        self._say(test, "error" if around else "failed", self._told(err))

    def addFailure(self, test, err):
        """A failed assertion."""
        super().addFailure(test, err)
        self._say(test, "failed", self._told(err))

    def addSubTest(self, test, subtest, err):
        """One part of a test: the test fails with it."""
        super().addSubTest(test, subtest, err)
        if err is not None:
            self._say(test, "failed", self._told(err))

    def addSkip(self, test, reason):
        """Skipped, a part of it as well."""
        super().addSkip(test, reason)
        self._say(test, "skipped", str(reason))

    def addExpectedFailure(self, test, err):
        """Failed as marked."""
        super().addExpectedFailure(test, err)
        self._say(test, "xfailed")

    def addUnexpectedSuccess(self, test):
        """Marked as failing and passed: unittest calls that a failed run."""
        super().addUnexpectedSuccess(test)
        self._say(test, "failed", "unexpected success")

    def _told(self, err):
        kind, value, _ = err
        name = kind.__name__ if kind.__module__ in ("builtins", "__main__") else kind.__module__ + "." + kind.__name__
        try:
            said = str(value)
        except Exception:
            said = ""
        return name + (": " + said if said else "")


def _selection():
    path = os.environ.get("BENDCODER_SELECT")
    if not path:
        return None
    with open(path, encoding="utf-8") as file:
        return frozenset(json.load(file))


_SELECTED = _selection()


def _wanted(test):
    name = node_id(test)
    if name in _SELECTED:
        return True
    if type(test).__module__ == "unittest.loader":  # the module of a wanted test could not be imported
        return any(one.startswith(name + "::") for one in _SELECTED)
    parts = name.split("::")
    return any("::".join(parts[:size]) in _SELECTED for size in range(1, len(parts)))


def _narrow(suite, found):
    """Take what was not asked for out of a suite, in place: suites may be of the repository's own kind."""
    inner = getattr(suite, "_tests", None)
    if inner is None:
        return
    kept = []
    for test in inner:
        if isinstance(test, unittest.BaseTestSuite):
            _narrow(test, found)
            kept.append(test)
        elif _wanted(test):
            found.add(node_id(test))
            kept.append(test)
    inner[:] = kept


class Loader(unittest.TestLoader):
    """Finds what unittest finds; for a narrowed run first in the files of the wanted tests alone."""

    _bendcoder_files = None

    def _match_path(self, path, full_path, pattern):
        if self._bendcoder_files is not None and _relative(full_path) not in self._bendcoder_files:
            return False
        return super()._match_path(path, full_path, pattern)

    def discover(self, *args, **kwargs):
        """Look for tests below a folder."""
        if _SELECTED is None:
            return super().discover(*args, **kwargs)
        self._bendcoder_files = frozenset(name.split("::", 1)[0] for name in _SELECTED)
        suite, found = super().discover(*args, **kwargs), set()
        self._bendcoder_files = None
        _narrow(suite, found)
        if all(any(one == name or one.startswith(name + "::") for one in found) for name in _SELECTED):
            return suite
        return super().discover(*args, **kwargs)


class Runner(unittest.TextTestRunner):
    """unittest's own runner with our result; seals the record once all tests have ended."""

    resultclass = Result

    def __init__(self, *args, **kwargs):
        kwargs.pop("resultclass", None)
        super().__init__(*args, **kwargs)
        self.failfast = False

    def run(self, test):
        """Run the tests, or those of them that were asked for."""
        if _SELECTED is not None:
            _narrow(test, set())
        if _TRACER is not None:
            _TRACER.leave()
        ended = super().run(test)
        _RECORD.seal()  # not after an exception: a run that broke off has not told everything
        return ended


if __name__ == "__main__":
    sys.argv[0] = "python -m unittest"
    TestProgram(module=None, testRunner=Runner, testLoader=Loader())
