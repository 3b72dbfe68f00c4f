"""Repairs of exceptions: another type caught or raised, several caught at once, a handler that goes on."""

import ast
from collections.abc import Iterator

from agent.adapters.models.embedded.scope import BUILTINS, Edit, Scope

COMMON = ("ValueError", "TypeError", "KeyError", "IndexError", "AttributeError", "ZeroDivisionError", "StopIteration")
WIDER = {"KeyError": "LookupError", "IndexError": "LookupError", "ZeroDivisionError": "ArithmeticError"}


def propose(scope: Scope) -> Iterator[Edit]:
    """`except` clauses and `raise` statements that lie in the anchor."""
    known = _exceptions(scope)
    for node in ast.walk(scope.tree) if scope.tree is not None else ():
        if isinstance(node, ast.ExceptHandler) and node.type is not None and _inside(scope, node.type):
            yield from _caught(scope, node.type, known)
        elif isinstance(node, ast.Raise) and node.exc is not None and _inside(scope, node.exc):
            raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            if isinstance(raised, ast.Name):
                for name in known:
                    if name != raised.id:
                        yield scope.replace(raised, name.encode(), 1.9, "exception raised")


def _inside(scope: Scope, node: ast.expr) -> bool:
    return scope.begin <= node.lineno and (node.end_lineno or node.lineno) <= scope.end


def _caught(scope: Scope, node: ast.expr, known: tuple[str, ...]) -> Iterator[Edit]:
    text = scope.text(node)
    single = isinstance(node, ast.Name | ast.Attribute)
    for name in known:
        if name.encode() != text:
            yield scope.replace(node, name.encode(), 1.9, "exception caught")
            if single:
                yield scope.replace(node, b"(" + text + b", " + name.encode() + b")", 2.1, "exception caught too")
    yield scope.replace(node, b"Exception", 2.4, "exception caught")


def _exceptions(scope: Scope) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for node in ast.walk(scope.tree) if scope.tree is not None else ():
        if isinstance(node, ast.Name) and node.id.endswith(("Error", "Exception")) and node.id in BUILTINS:
            found[node.id] = None
        elif isinstance(node, ast.ClassDef) and node.name.endswith(("Error", "Exception")):
            found[node.name] = None
    wider = [WIDER[name] for name in found if name in WIDER]
    return tuple(dict.fromkeys([*found, *COMMON, *wider]))
