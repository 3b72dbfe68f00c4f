"""Functions of a source and the whole lines they take, Python's exactly; never imports or runs what it reads."""

import ast
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

from agent.index.grammars import definitions, language_of

_DEFINITIONS = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.Pass)
_TOLD = re.compile(r"__\w+__")


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """One function or method: qualified name, first line (decorators included) to last, 1-based and inclusive."""

    name: str
    begin: int
    end: int


def functions(source: bytes, path: str = "") -> tuple[Function, ...]:
    """Every function in source order, nested ones after the one that holds them; none when it does not parse.

    The path's suffix tells the language, Python when there is none; none for a language we have no grammar of.
    """
    language = language_of(path) if path else "python"
    if language != "python":
        found = (one for one in definitions(source, language) if one.function)
        return tuple(Function(name=one.name, begin=one.begin, end=one.end) for one in found)
    tree = _parsed(source)
    if tree is None:
        return ()
    return tuple(sorted(_collected(tree), key=lambda one: (one.begin, -one.end)))


def loose_statements(source: bytes) -> tuple[tuple[int, int], ...]:
    """First and last line of each statement of a module or class body that could hold a fault, in source order.

    Imports, docstrings, definitions and a module's `__all__` and the like hold none by themselves; a function's own
    body is `functions`' business.
    """
    tree = _parsed(source)
    return tuple(sorted(_loose(tree))) if tree is not None else ()


def _loose(node: ast.Module | ast.ClassDef) -> Iterator[tuple[int, int]]:
    for child in node.body:
        if isinstance(child, ast.ClassDef):
            yield from _loose(child)
        elif not isinstance(child, _DEFINITIONS) and not _is_docstring(child) and not _is_told(node, child):
            yield child.lineno, child.end_lineno or child.lineno


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _is_told(node: ast.Module | ast.ClassDef, statement: ast.stmt) -> bool:
    """`__all__`, `__version__` and the like of a module: what it says of itself to others. Those of a class do work."""
    if not isinstance(node, ast.Module) or not isinstance(statement, ast.Assign):
        return False
    return all(isinstance(one, ast.Name) and _TOLD.fullmatch(one.id) for one in statement.targets)


def _collected(tree: ast.Module) -> Iterator[Function]:
    """Functions of a tree, in no order. Only statements are looked at: functions stand nowhere else, and expressions
    nest deeper than Python recurses."""
    waiting: list[tuple[ast.AST, str]] = [(tree, "")]
    while waiting:
        node, prefix = waiting.pop()
        for child in _statements(node):
            inner = prefix
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                begin = min([child.lineno, *(decorator.lineno for decorator in child.decorator_list)])
                yield Function(name=f"{prefix}{child.name}", begin=begin, end=child.end_lineno or begin)
                inner = f"{prefix}{child.name}."
            elif isinstance(child, ast.ClassDef):
                inner = f"{prefix}{child.name}."
            waiting.append((child, inner))


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    for field in ("body", "orelse", "finalbody", "handlers", "cases"):
        held = getattr(node, field, None)
        if isinstance(held, list):  # a lambda's body is an expression
            yield from held


def outermost(source: bytes, path: str = "") -> tuple[Function, ...]:
    """Functions that no other function holds: the unit an edit replaces."""
    kept: list[Function] = []
    for one in functions(source, path):
        if not kept or one.end > kept[-1].end:  # they come in order, so the last one kept is the only one around it
            kept.append(one)
    return tuple(kept)


def _parsed(source: bytes) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
