"""Which changed paths are tests, which are judges, and what shadows a module: names only, no disk. No IO."""

import re
import sys
from collections.abc import Iterable
from pathlib import PurePosixPath

from agent.domain.edit import Change

_TEST_FOLDERS = frozenset({"test", "tests", "testing"})
_JUDGES = frozenset(
    {
        "conftest.py", "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "pyproject.toml", "setup.cfg",
        "setup.py", "tox.ini", "noxfile.py", ".coveragerc", "sitecustomize.py", "usercustomize.py", "Makefile",
        "makefile", "GNUmakefile", "justfile", "package.json", ".npmrc", "tsconfig.json", "Cargo.toml", "build.rs",
        "rust-toolchain", "rust-toolchain.toml", "go.mod", "go.work", ".noserc", "nose.cfg",
        "runtests.py", "run_tests.py", "runtests.sh", "run_tests.sh", "test.sh", "tests.sh",
    }
)  # fmt: skip
_JUDGE_PATTERN = re.compile(
    r"^(?:(?:jest|vitest|vite|mocha|karma|babel)\.(?:config|setup)\.\w+|\.(?:mocha|babel)rc(?:\.\w+)?)$"
)
_HELPING = re.compile(
    r"(?:^|[_-])(?:(?:unit)?tests?|testing)(?:$|[_-])|^_?test(?:util|helper|tool|lib|case|suite|support|base)"
)
"""In the name of a Python file or of a folder: most likely what tests stand on, though none is collected from it."""
_IMPORTS = re.compile(rb"^[ \t]*(?:from|import)[ \t]+(?:_?pytest|unittest|nose|hypothesis|pluggy|mock)\b", re.MULTILINE)
_LOADED = frozenset({".pth", ".so", ".pyd", ".pyc", ".egg-link"})
"""Suffixes the interpreter loads by itself or in place of a source file."""
_PROSE = frozenset({".md", ".rst", ".adoc", ".markdown"})
_PROSE_NAMES = frozenset({"changes", "changelog", "history", "news", "authors", "contributors", "readme", "copying"})
_FRAMEWORKS = frozenset(
    {"pytest", "_pytest", "py", "pluggy", "iniconfig", "coverage", "pytest_cov", "xdist", "execnet", "hypothesis",
     "nose", "pytest_timeout", "pytest_randomly", "pytest_asyncio", "mock", "bendcoder_nodeid",
     "bendcoder_tracer", "bendcoder_lines", "bendcoder_unittest"}
)  # fmt: skip


def is_test_path(path: str, collected: frozenset[str]) -> bool:
    """A file the runner collects, or one under a folder named test, tests or testing; never a conftest."""
    pure = PurePosixPath(path)
    if pure.name == "conftest.py":
        return False
    if _TEST_FOLDERS & set(pure.parts[:-1]) or pure.name.endswith("_test.go"):
        return True
    # node ids are relative to the runner's root folder, which may lie below the tree
    return path in collected or any(path.endswith(f"/{one}") for one in collected)


def collected_files(test_ids: Iterable[str]) -> frozenset[str]:
    """Files tests were collected from; a source file with examples in its docstrings stays source."""
    files: set[str] = set()
    for test_id in test_ids:
        path, _, inner = test_id.partition("::")
        if PurePosixPath(path).suffix and not _is_docstring(path, inner):  # else a package or a program
            files.add(path)
    return frozenset(files)


def _is_docstring(path: str, inner: str) -> bool:
    stem = PurePosixPath(path).stem
    name = inner.split("[", 1)[0].split("::", 1)[0]
    if "." in name:
        return True
    return name == stem and not stem.startswith("test") and not stem.endswith("_test")


def is_prose(path: str) -> bool:
    """Text for people that nothing executes."""
    pure = PurePosixPath(path)
    plain = pure.suffix.lower() in ("", ".txt") and pure.name.split(".")[0].lower() in _PROSE_NAMES
    return plain or pure.suffix.lower() in _PROSE


def is_configuration(path: str) -> bool:
    """A judge file without code of its own: no line of it runs, and rule 6 sees to it."""
    name = PurePosixPath(path).name
    return not name.endswith((".py", ".rs")) and (name in _JUDGES or bool(_JUDGE_PATTERN.match(name)))


def serves_tests(change: Change, collected: frozenset[str]) -> bool:
    """A Python file of the base that is no test path, but by its name or its imports is there for tests."""
    pure = PurePosixPath(change.path)
    if pure.suffix != ".py" or change.before is None or is_test_path(change.path, collected):
        return False
    names = (*pure.parts[:-1], pure.stem)
    return any(_HELPING.search(name.lower()) for name in names) or bool(_IMPORTS.search(change.before))


_OWN_TESTS = re.compile(rb"#\[\s*(?:cfg\(\s*(?:\w+\(\s*)?test\b|(?:\w+::)*test\b)")


def holding_tests(changes: Iterable[Change]) -> tuple[str, ...]:
    """Changed files of Rust that held tests before: their author may have changed what judges them."""
    return tuple(
        change.path
        for change in changes
        if change.path.endswith(".rs")
        and "tests" not in PurePosixPath(change.path).parts[:-1]
        and _OWN_TESTS.search(change.before or b"")
    )


def only_tests(changes: Iterable[Change], collected: frozenset[str]) -> tuple[Change, ...]:
    """R: the changes that stay when every path that is not a test path is put back to the base's bytes."""
    return tuple(change for change in changes if is_test_path(change.path, collected))


def new_names(changes: Iterable[Change], tracked: frozenset[str]) -> frozenset[str]:
    """Import names that new Python files offer from folders that may stand on `sys.path`."""
    changes = tuple(changes)
    present = tracked | {change.path for change in changes if change.after is not None}
    return frozenset(
        name for change in changes if change.before is None and (name := _import_name(change.path, present))
    )


def judge_files(
    changes: Iterable[Change],
    tracked: frozenset[str],
    named: frozenset[str],
    installed: frozenset[str] = frozenset(),
    collected: frozenset[str] = frozenset(),
) -> tuple[str, ...]:
    """Changed files that could alter the judgement rather than the program.

    `named`: by the test command; `installed`: of `new_names`, those the base can import already; `collected`: files
    tests are collected from.
    """
    changes = tuple(changes)
    present = tracked | {change.path for change in changes if change.after is not None}
    return tuple(
        sorted(
            change.path
            for change in changes
            if _is_judge(change.path)
            or change.path in named
            or serves_tests(change, collected)
            or (change.before is None and shadows(change.path, present))
            or (change.before is None and _import_name(change.path, present) in installed)
        )
    )


def _is_judge(path: str) -> bool:
    pure = PurePosixPath(path)
    if pure.parent.name == ".cargo":
        return True
    return pure.name in _JUDGES or pure.suffix in _LOADED or bool(_JUDGE_PATTERN.match(pure.name))


def shadows(path: str, present: frozenset[str]) -> bool:
    """True when a new Python file can be imported in place of a module that is there already.

    A folder without `__init__.py` may stand on `sys.path`; there a name of the standard library, of a test framework or
    of another tracked module is taken away from its owner. `name/__init__.py` also takes `name.py` of the same folder.
    """
    pure = PurePosixPath(path)
    if pure.suffix != ".py":
        return False
    package = pure.name == "__init__.py"
    name, folder = (pure.parent.name, pure.parent.parent) if package else (pure.stem, pure.parent)
    if package and str(folder / f"{name}.py") in present:
        return True
    if not package and str(folder / name / "__init__.py") in present:
        return True
    if not _import_name(path, present):
        return False
    if name in ("sitecustomize", "usercustomize"):
        return True
    return name in sys.stdlib_module_names or name in _FRAMEWORKS or name in _top_level(present - {path}, folder)


def _import_name(path: str, present: frozenset[str]) -> str:
    """What a Python file is imported as when its folder, or that of its package, stands on `sys.path`; else empty."""
    pure = PurePosixPath(path)
    package = pure.name == "__init__.py"
    folder = pure.parent.parent if package else pure.parent
    if pure.suffix != ".py" or str(folder / "__init__.py") in present:
        return ""
    return pure.parent.name if package else pure.stem


def _top_level(present: frozenset[str], besides: PurePosixPath) -> frozenset[str]:
    """Import names that other folders offer: modules and packages whose own folder is no package."""
    names: set[str] = set()
    for path in present:
        pure = PurePosixPath(path)
        if pure.suffix != ".py":
            continue
        package = pure.name == "__init__.py"
        folder = pure.parent.parent if package else pure.parent
        if folder != besides and str(folder / "__init__.py") not in present:
            names.add(pure.parent.name if package else pure.stem)
    return frozenset(names) - {"__init__", "__main__", "conftest", "setup", ""}
