"""Functions of a Python source and the whole lines they take; never imports or runs what it reads."""

import ast
import warnings
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """One function or method: qualified name, first line (decorators included) to last, 1-based and inclusive."""

    name: str
    begin: int
    end: int


def functions(source: bytes) -> tuple[Function, ...]:
    """Every function in source order, nested ones after the one that holds them; none when it does not parse."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    found: list[Function] = []
    _collect(tree, "", found)
    return tuple(sorted(found, key=lambda one: (one.begin, -one.end)))


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
