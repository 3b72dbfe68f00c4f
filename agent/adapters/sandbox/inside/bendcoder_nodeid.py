"""pytest plugin of every judged run: puts exact node ids into the JUnit report, and seals it with one line of output.

Runs inside a repository's own interpreter, so it uses the standard library and pytest alone (pytest 5.4 to 9 tried),
and must not change what a test does. It
- adds a property `bendcoder_nodeid` (JSON, so that no character is lost in XML) to each test case;
- narrows the run to the ids in the file `BENDCODER_SELECT` names, without changing the command or its collection rules;
- gives order-shuffling plugins the seed `BENDCODER_SEED`, unless the repository fixed one itself;
- spares plugins installed outside the tree pytest's assertion rewriting: without bytecode of it, which a read-only
  environment mostly lacks, each run would rewrite them anew (hypothesis alone: 2 s); the tests'
  own asserts are rewritten as ever, from their source: bytecode beside a test is not read;
- prints `bendcoder-seal COUNT DIGEST` to the real standard output at the end. What went down that pipe cannot be taken
  back, so a report that is rewritten afterwards no longer fits its seal.
"""

import hashlib
import json
import os
import sys

import pytest

_WORKER = bool(os.environ.get("PYTEST_XDIST_WORKER"))
_STDOUT = None if _WORKER else os.dup(1)
# kept from here on: the repository's code, which runs later, may put others in their place
_WRITE, _DIGEST, _JSON = os.write, hashlib.sha256, json.dumps
_MODERN = int(pytest.__version__.split(".")[0]) >= 7


def _spare_installed_plugins():
    for finder in sys.meta_path:
        marked = getattr(finder, "_must_rewrite", None)
        if isinstance(marked, set):
            marked.intersection_update([name for name in marked if _in_tree(name)])
            getattr(finder, "_marked_for_rewrite_cache", {}).clear()


def _in_tree(name):
    """A plugin the repository itself is: its asserts may be what is tested."""
    top = name.split(".")[0]
    places = [os.path.join(folder, top) for folder in ("", "src", "lib", "python")]
    return any(os.path.isdir(place) or os.path.isfile(place + ".py") for place in places)


_spare_installed_plugins()


def _read_no_rewritten_bytecode():
    """A clean checkout has none of its own: what lies there was put there by the code that is tested."""
    from _pytest.assertion import rewrite

    if hasattr(rewrite, "_read_pyc"):
        rewrite._read_pyc = lambda *_ignored, **_more: None


_read_no_rewritten_bytecode()


def _selection():
    path = os.environ.get("BENDCODER_SELECT")
    if not path:
        return None
    with open(path, encoding="utf-8") as file:
        return frozenset(json.load(file))


_SELECTED = _selection()
_FILES = None if _SELECTED is None else frozenset(entry.split("::", 1)[0] for entry in _SELECTED)


def _wanted(nodeid):
    if nodeid in _SELECTED:
        return True
    parts = nodeid.split("[", 1)[0].split("::")
    return any("::".join(parts[:size]) in _SELECTED for size in range(1, len(parts) + 1))


def _ignored(path, root):
    """True for a test module that holds none of the selected tests: it need not even be imported."""
    if _FILES is None or not path.endswith(".py") or path.endswith("__init__.py"):
        return None
    relative = os.path.relpath(path, root).replace(os.sep, "/")
    return None if relative in _FILES else True


if _MODERN:

    def pytest_ignore_collect(collection_path, config):
        """Skip modules without a selected test; everything else is left to the repository's own rules."""
        if _FILES is None or collection_path.is_dir():
            return None
        return _ignored(str(collection_path), str(config.rootpath))

else:

    def pytest_ignore_collect(path, config):
        """The same for old pytest, where paths are py.path objects."""
        if _FILES is None or path.isdir():
            return None
        return _ignored(str(path), str(config.rootdir))


@pytest.hookimpl(hookwrapper=True)
def pytest_cmdline_main(config):
    """Fix the seed of pytest-randomly and pytest-random-order before they draw one."""
    seed = os.environ.get("BENDCODER_SEED")
    if seed and not _WORKER:
        for name, absent in (("randomly_seed", "default"), ("random_order_seed", None)):
            present = getattr(config.option, name, Ellipsis)
            if present == absent:
                setattr(config.option, name, int(seed) if name == "randomly_seed" else seed)
    yield


@pytest.hookimpl(trylast=True)
def pytest_sessionstart(session):
    """A partial run cannot reach the coverage floor of the whole suite, so pytest-cov does not ask for it."""
    if _SELECTED is None:
        return
    plugin = session.config.pluginmanager.getplugin("_cov")
    options = getattr(plugin, "options", None)
    if options is not None:
        options.cov_fail_under = None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """Keep the selected tests, in the order the suite would run them."""
    if _SELECTED is None:
        return
    kept = [item for item in items if _wanted(item.nodeid)]
    dropped = [item for item in items if not _wanted(item.nodeid)]
    if dropped:
        config.hook.pytest_deselected(items=dropped)
        items[:] = kept


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item):
    """Name the test on its last report, which is the one the JUnit writer reads properties from."""
    outcome = yield
    report = outcome.get_result()
    if report.when == "call" and report.passed and hasattr(report, "wasxfail"):
        item._bendcoder_xpassed = True
    if report.when == "teardown":
        report.user_properties.append(("bendcoder_nodeid", _JSON(report.nodeid)))
        if getattr(item, "_bendcoder_xpassed", False):
            report.user_properties.append(("bendcoder_outcome", "xpassed"))


class _Seal:
    """What the controller saw: tests that were torn down: which of them failed in any phase, fell silent or passed."""

    def __init__(self):
        self.ended = set()
        self.red = set()
        self.quiet = set()

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.red.add(report.nodeid)
        elif report.skipped:
            self.quiet.add(report.nodeid)
        if report.when == "teardown":
            self.ended.add(report.nodeid)

    def line(self):
        red, quiet = self.red & self.ended, (self.quiet - self.red) & self.ended
        groups = (red, quiet, self.ended - red - quiet)
        text = "\n\n".join("\n".join(sorted(_JSON(nodeid) for nodeid in group)) for group in groups)
        digest = _DIGEST(text.encode("ascii")).hexdigest()
        return f"\nbendcoder-seal {len(self.ended)} {digest}\n"


_SEAL = _Seal()


def pytest_runtest_logreport(report):
    """Note every report for the seal."""
    _SEAL.pytest_runtest_logreport(report)


@pytest.hookimpl(hookwrapper=True)
def pytest_sessionfinish():
    """Seal the report once everybody else has finished."""
    yield
    if _STDOUT is not None:
        _WRITE(_STDOUT, _SEAL.line().encode("ascii"))
