"""Says which tests of a table of test ids do not exist: a table of what is covered must not outlive the tests."""

import ast
from collections.abc import Iterable
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]


def absent(ids: Iterable[str]) -> list[str]:
    """Those of these ids (`tests/…/test_x.py::test_y`, or with a case as `[…]`) that no file holds, sorted."""
    return sorted(one for one in set(ids) if not _exists(one))


def _exists(node: str) -> bool:
    file, _, rest = node.partition("::")
    name, _, case = rest.removesuffix("]").partition("[")
    text, functions = _read(file)
    return name in functions and case in text


@cache
def _read(file: str) -> tuple[str, frozenset[str]]:
    path = ROOT / file
    if not path.is_file():
        return "", frozenset()
    text = path.read_text(encoding="utf-8")
    found = (one.name for one in ast.parse(text).body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef))
    return text, frozenset(found)
