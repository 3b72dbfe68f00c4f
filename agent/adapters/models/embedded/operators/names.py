"""Repairs of names: another variable, another attribute, another function, an attribute taken or left off."""

import ast
from collections.abc import Iterator

from agent.adapters.models.embedded.kinds import Kinds, label, outermost
from agent.adapters.models.embedded.scope import BUILTINS, FUNCTIONS, Edit, Scope


def propose(scope: Scope) -> Iterator[Edit]:
    """Every name and attribute of the anchor."""
    kinds: dict[ast.AST, Kinds] = {}
    values, calls = _attributes(scope)
    callables = _callables(scope)
    for node in scope.all(ast.Name, ast.Attribute):
        if label(node) in ("self", "cls", "super"):
            continue
        parent = scope.parents.get(node)
        called = isinstance(parent, ast.Call) and parent.func is node
        if isinstance(node, ast.Attribute):
            yield from _attribute(scope, node, calls if called else values)
        if called:
            yield from _called(scope, node, callables)
        elif label(node) is not None and not isinstance(getattr(node, "ctx", None), ast.Del):
            root = outermost(scope.parents, node)
            yield from _variable(scope, node, kinds.setdefault(root, Kinds(root)), values)


def _variable(scope: Scope, node: ast.AST, kinds: Kinds, values: tuple[str, ...]) -> Iterator[Edit]:
    old = label(node) or ""
    stored = isinstance(getattr(node, "ctx", None), ast.Store)
    if old in BUILTINS or old in scope.module_functions:
        return
    for number, name in enumerate(scope.atoms_at(node)):
        if name != old:
            prior = kinds.prior(old, name) + 0.02 * number + (0.9 if stored else 0.0)
            yield scope.replace(node, name.encode(), prior, "variable")
    parent = scope.parents.get(node)
    if not stored and not isinstance(parent, ast.Attribute):
        for name in values:
            yield scope.replace(node, f"{old}.{name}".encode(), 2.8, "attribute taken")


def _attribute(scope: Scope, node: ast.Attribute, others: tuple[str, ...]) -> Iterator[Edit]:
    begin, end = scope.span(node.value)[1], scope.span(node)[1]
    name = node.attr.encode()
    if scope.source[end - len(name) : end] != name:
        return
    for other in others:
        if other != node.attr:
            prior = 2.0 if _related(node.attr, other) else 2.2
            yield scope.between(end - len(name), end, other.encode(), prior, "attribute", node.lineno)
    if isinstance(node.ctx, ast.Load):
        yield scope.between(begin, end, b"", 2.7, "attribute left off", node.lineno)


def _called(scope: Scope, node: ast.AST, callables: tuple[str, ...]) -> Iterator[Edit]:
    old = label(node)
    if isinstance(node, ast.Name):
        for name in callables:
            if name != old:
                yield scope.replace(node, name.encode(), 2.4, "function")


def _callables(scope: Scope) -> tuple[str, ...]:
    """Functions of the module, functions nested around the anchor, imported names, builtins the anchor calls."""
    found = dict.fromkeys(scope.module_functions)
    for node in ast.walk(scope.tree) if scope.tree is not None else ():
        if isinstance(node, ast.ImportFrom):
            found.update(dict.fromkeys(alias.asname or alias.name for alias in node.names if alias.name != "*"))
        elif isinstance(node, FUNCTIONS) and isinstance(scope.parents.get(node), FUNCTIONS):
            found[node.name] = None
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            found[node.func.id] = None
    return tuple(found)[:24]


def _attributes(scope: Scope) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Attributes of the file used as values, and those called, each most frequent first."""
    values: dict[str, int] = {}
    calls: dict[str, int] = {}
    for node in ast.walk(scope.tree) if scope.tree is not None else ():
        if isinstance(node, ast.Attribute):
            parent = scope.parents.get(node)
            table = calls if isinstance(parent, ast.Call) and parent.func is node else values
            table[node.attr] = table.get(node.attr, 0) + 1
    ranked = [sorted(table, key=lambda name: -table[name])[:16] for table in (values, calls)]
    return tuple(ranked[0]), tuple(ranked[1])


def _related(first: str, second: str) -> bool:
    return bool(set(first.split("_")) & set(second.split("_")))
