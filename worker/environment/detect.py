"""Guesses a repository's test command from its files, for repositories that configure none. No IO, runs nothing."""

import json
import re
import tomllib
from collections.abc import Callable, Collection

Reader = Callable[[str], bytes | None]
"""Bytes of a tracked file, or None when it cannot be read."""

_TEST_FILE = re.compile(r"(?:^|/)(?:test_[^/]*|[^/]*_test)\.py$")
_UNITTEST_FILE = re.compile(r"(?:^|/)test[^/]*\.py$")
_NODE_TEST_FILE = re.compile(r"(?:^|/)(?:test/.+|test|test-[^/]+|[^/]+[._-]test)\.[cm]?js$")
_NODE_TEST = re.compile(rb"""["']node:test["']""")
_MAKE_TEST = re.compile(rb"^test[ \t]*:(?!=)", re.MULTILINE)
_NPM_PLACEHOLDER = "no test specified"
_SOURCE = re.compile(r"src/(?:[A-Za-z_]\w*/__init__|[A-Za-z_]\w*)\.py$")
_PYTEST_WORD = re.compile(rb"^[^#\n]*\bpy\.?test\b", re.MULTILINE)
_RECIPES = re.compile(
    r"(?:tox\.ini|setup\.(?:cfg|py)|pyproject\.toml|noxfile\.py|Pipfile|Makefile"
    r"|(?:requirements/)?[\w.-]*(?:requirements|dev|test)[\w.-]*\.(?:txt|in))"
)
"""Files that say what tests are run with, when they name pytest in a line that is no comment."""
_FILES_READ = 40
"""Test files looked into before it is settled which framework they use."""


def detect_verify(paths: Collection[str], read: Reader) -> tuple[str, ...] | None:
    """The test command of a repository with these tracked paths; None when nothing is recognised.

    In order: pytest, unittest, tox, nox, npm test, cargo test, go test, node --test, make test. `python` stands for
    the Environment's interpreter. Which of them tell of each test, `agent.verify.frameworks` knows. Where packages
    lie under `src`, that is put on PYTHONPATH, so that the tree is tested and not what happens to be installed.
    """
    for rule in (_pytest, _unittest):
        command = rule(paths, read)
        if command:
            return ("PYTHONPATH=src", *command) if any(_SOURCE.match(path) for path in paths) else command
    for other in (_tox_or_nox, _npm, _cargo_or_go, _node, _make):
        command = other(paths, read)
        if command:
            return command
    return None


def _pytest(paths: Collection[str], read: Reader) -> tuple[str, ...] | None:
    configured = (
        ("pytest.ini" in paths or ".pytest.ini" in paths)
        or any(path.rpartition("/")[2] == "conftest.py" for path in paths)
        or b"[tool:pytest]" in _text(paths, read, "setup.cfg")
        or b"[pytest]" in _text(paths, read, "tox.ini")
        or "pytest" in _tools(paths, read)
    )
    tests = [path for path in paths if _TEST_FILE.search(path)]
    named = any(_PYTEST_WORD.search(_text(paths, read, path)) for path in paths if _RECIPES.fullmatch(path))
    if (
        configured
        or (named and tests)
        or any(b"pytest" in _text(paths, read, path) for path in sorted(tests)[:_FILES_READ])
    ):
        return ("python", "-m", "pytest")
    # plain functions named test_… are pytest's; unittest would find nothing in such a file
    if tests and not any(b"unittest" in _text(paths, read, path) for path in sorted(tests)[:_FILES_READ]):
        return ("python", "-m", "pytest")
    return None


def _unittest(paths: Collection[str], read: Reader) -> tuple[str, ...] | None:
    tests = sorted(path for path in paths if _UNITTEST_FILE.search(path))
    using = [path for path in tests[:_FILES_READ] if b"unittest" in _text(paths, read, path)]
    if not using:
        return None
    folders = {path.rpartition("/")[0] for path in using}
    if len(folders) == 1:
        folder = folders.pop()
        # discovery enters packages alone: a folder of tests without __init__.py has to be named
        if folder and f"{folder}/__init__.py" not in paths:
            return ("python", "-m", "unittest", "discover", "-s", folder, "-t", folder)
    return ("python", "-m", "unittest", "discover")


def _tox_or_nox(paths: Collection[str], read: Reader) -> tuple[str, ...] | None:
    if "tox.ini" in paths or "tox" in _tools(paths, read):
        return ("tox",)
    return ("nox",) if "noxfile.py" in paths else None


def _npm(paths: Collection[str], read: Reader) -> tuple[str, ...] | None:
    try:
        package = json.loads(_text(paths, read, "package.json") or b"{}")
    except (ValueError, RecursionError):
        return None
    scripts = package.get("scripts") if isinstance(package, dict) else None
    script = scripts.get("test") if isinstance(scripts, dict) else None
    return ("npm", "test") if isinstance(script, str) and _NPM_PLACEHOLDER not in script else None


def _node(paths: Collection[str], read: Reader) -> tuple[str, ...] | None:
    """node's own runner finds such files by itself; a package whose test script is a placeholder has none."""
    tests = sorted(path for path in paths if _NODE_TEST_FILE.search(path) and "node_modules/" not in path)
    using = any(_NODE_TEST.search(_text(paths, read, path)) for path in tests[:_FILES_READ])
    return ("node", "--test") if using else None


def _cargo_or_go(paths: Collection[str], read: Reader) -> tuple[str, ...] | None:  # noqa: ARG001 - one shape of rule
    if "Cargo.toml" in paths:
        return ("cargo", "test")
    return ("go", "test", "./...") if "go.mod" in paths else None


def _make(paths: Collection[str], read: Reader) -> tuple[str, ...] | None:
    for name in ("GNUmakefile", "makefile", "Makefile"):  # the order make itself looks in
        if name in paths:
            return ("make", "test") if _MAKE_TEST.search(_text(paths, read, name)) else None
    return None


def _text(paths: Collection[str], read: Reader, path: str) -> bytes:
    return (read(path) or b"") if path in paths else b""


def _tools(paths: Collection[str], read: Reader) -> Collection[str]:
    """Names under [tool] in pyproject.toml; a broken file names none."""
    try:
        tools = tomllib.loads(_text(paths, read, "pyproject.toml").decode()).get("tool")
    except (ValueError, RecursionError):
        return ()
    return tools.keys() if isinstance(tools, dict) else ()
