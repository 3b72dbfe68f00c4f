"""Functions of a Python source and the whole lines they take; never imports or runs what it reads."""

import ast
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

_DEFINITIONS = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.Pass)


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """One function or method: qualified name, first line (decorators included) to last, 1-based and inclusive."""

    name: str
    begin: int
    end: int


def functions(source: bytes) -> tuple[Function, ...]:
    """Every function in source order, nested ones after the one that holds them; none when it does not parse."""
    tree = _parsed(source)
    if tree is None:
        return ()
    found: list[Function] = []
    _collect(tree, "", found)
    return tuple(sorted(found, key=lambda one: (one.begin, -one.end)))


def loose_statements(source: bytes) -> tuple[tuple[int, int], ...]:
    """First and last line of each statement of a module or class body that could hold a fault, in source order.

    Imports, docstrings and definitions hold none by themselves; a function's own body is `functions`' business.
    """
    tree = _parsed(source)
    return tuple(sorted(_loose(tree))) if tree is not None else ()


def _loose(node: ast.Module | ast.ClassDef) -> Iterator[tuple[int, int]]:
    for child in node.body:
        if isinstance(child, ast.ClassDef):
            yield from _loose(child)
        elif not isinstance(child, _DEFINITIONS) and not _is_docstring(child):
            yield child.lineno, child.end_lineno or child.lineno


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _collect(node: ast.AST, prefix: str, found: list[Function]) -> None:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            begin = min([child.lineno, *(decorator.lineno for decorator in child.decorator_list)])
            name = f"{prefix}{child.name}"
            found.append(Function(name=name, begin=begin, end=child.end_lineno or begin))
            _collect(child, f"{name}.", found)
        elif isinstance(child, ast.ClassDef):
            _collect(child, f"{prefix}{child.name}.", found)
        else:
            _collect(child, prefix, found)


def outermost(source: bytes) -> tuple[Function, ...]:
    """Functions that no other function holds: the unit an edit replaces."""
    kept: list[Function] = []
    for one in functions(source):
        if not any(other.begin <= one.begin and one.end <= other.end for other in kept):
            kept.append(one)
    return tuple(kept)


def _parsed(source: bytes) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
