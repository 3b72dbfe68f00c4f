"""Which files no edit may touch, and why; a pure table, used by the guard and once more by the effect itself."""

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from agent.domain.action import Action
from agent.guards.events import Bid, Event, Thread

_LOCKS = frozenset(
    {
        "uv.lock", "poetry.lock", "pdm.lock", "pipfile.lock", "package-lock.json", "npm-shrinkwrap.json", "yarn.lock",
        "pnpm-lock.yaml", "bun.lockb", "cargo.lock", "go.sum", "gemfile.lock", "composer.lock", "flake.lock",
    }
)  # fmt: skip
_JUDGES = frozenset(
    {
        "conftest.py", "pytest.ini", ".pytest.ini", "tox.ini", "noxfile.py", ".coveragerc", "sitecustomize.py",
        "usercustomize.py",
    }
)  # fmt: skip
_TEST_FOLDERS = frozenset({"test", "tests", "testing", "__tests__"})
_TEST_NAME = re.compile(r"(test_.*|.*_test|tests?)\.\w+|.*\.(test|spec)\.\w+")
_TESTS_ASKED = re.compile(
    r"\b(updat|chang|edit|rewrit|remov|delet|adjust|correct|skip|rename)\w*\s+(?:\S+\s+){0,3}?tests?\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PathRules:
    """What is protected in one run besides the built-in table."""

    extra: tuple[str, ...] = ()
    """Globs from the repository's configuration."""
    verify: tuple[str, ...] = ()
    """Words of the verify and check commands: those that name a file of the tree are protected."""
    tests_asked: bool = False
    """The goal itself asks for a change of tests."""
    submodules: frozenset[str] = frozenset()


def asks_for_tests(goal: str) -> bool:
    """Whether the goal asks for existing tests to be changed; naming a failing test is not asking."""
    return _TESTS_ASKED.search(goal) is not None


def is_test(path: str) -> bool:
    """Whether a path is a test by name or folder."""
    parts = PurePosixPath(path.lower()).parts
    return bool(parts) and (not _TEST_FOLDERS.isdisjoint(parts[:-1]) or _TEST_NAME.fullmatch(parts[-1]) is not None)


def protected(path: str, rules: PathRules, *, exists: bool = True) -> str | None:
    """Why `path` may not be edited; None when it may. A new test file is allowed, a changed one must be asked for."""
    pure = PurePosixPath(path)
    if pure.is_absolute() or not pure.parts or ".." in pure.parts or ".git" in (part.lower() for part in pure.parts):
        return "it lies outside the tree"
    return _fixed(pure) or _configured(pure, rules) or _tests(pure, rules, exists)


def _fixed(pure: PurePosixPath) -> str | None:
    name, first = pure.name.lower(), pure.parts[0].lower()
    if first == ".github":
        return "workflows and the settings under .github are the maintainer's"
    if name in _LOCKS:
        return "lock files are made by tools"
    if name == ".gitmodules":
        return "submodules are not edited"
    if name in _JUDGES or name.endswith(".pth"):
        return "it takes part in judging the change"
    return None


def _configured(pure: PurePosixPath, rules: PathRules) -> str | None:
    path = pure.as_posix()
    if any(path == one or path.startswith(f"{one}/") for one in rules.submodules):
        return "submodules are not edited"
    if any(path == PurePosixPath(word.split("::")[0]).as_posix() for word in rules.verify if word):
        return "the verify command names it"
    matched = next(
        (glob for glob in rules.extra if fnmatchcase(path, glob) or path.startswith(glob.rstrip("/") + "/")), None
    )
    return f"the repository protects {matched}" if matched else None


def _tests(pure: PurePosixPath, rules: PathRules, exists: bool) -> str | None:
    if exists and not rules.tests_asked and is_test(pure.as_posix()):
        return "existing tests judge the change, and the goal does not ask to change them"
    return None


def protected_paths(rules: PathRules) -> Thread:
    """Block an edit of a protected file, naming the rule."""

    def forbidden(event: Event) -> str | None:
        if event.type != Action.APPLY_EDIT or not event.text("path"):
            return None
        why = protected(event.text("path"), rules, exists=not event.detail.get("new"))
        return f"{event.text('path')} is protected: {why}" if why else None

    while True:
        yield Bid(block=(forbidden,))
