"""Repairs of subscripts and slices: bounds, steps, swapped indexes, elements for wholes, safe look-ups."""

import ast
from collections.abc import Iterator

from agent.adapters.models.embedded.kinds import Kind, Kinds, outermost
from agent.adapters.models.embedded.scope import Edit, Scope

ENDS = ((b"[1:]", 2.4), (b"[:-1]", 2.5), (b"[::-1]", 2.6), (b"[:]", 2.9), (b"[0]", 2.6), (b"[-1]", 2.6), (b"[1]", 2.7))


def propose(scope: Scope) -> Iterator[Edit]:
    """Subscripts that are there, then subscripts that may be missing."""
    for node in scope.all(ast.Subscript):
        if isinstance(node.slice, ast.Slice):
            yield from _slice(scope, node, node.slice)
        else:
            yield from _index(scope, node)
    for expression in scope.expressions:
        yield from _taken(scope, expression)


def _slice(scope: Scope, node: ast.Subscript, bounds: ast.Slice) -> Iterator[Edit]:
    lower = scope.text(bounds.lower) if bounds.lower else b""
    upper = scope.text(bounds.upper) if bounds.upper else b""
    step = scope.text(bounds.step) if bounds.step else b""
    yield scope.replace(node, scope.text(node.value), 2.4, "slice taken off")
    forms: list[tuple[bytes, bytes, bytes, float]] = [
        (b"", upper, step, 2.0),
        (lower, b"", step, 2.0),
        (upper, lower, step, 1.8),
        (lower, upper, b"", 2.2),
        (lower, upper, b"-1", 2.6),
        (lower, upper, b"2", 2.9),
    ]
    if not lower:
        forms += [
            (b"1", upper, step, 1.9),
            (b"-1", upper, step, 2.6),
            (b"0", upper, step, 2.8),
            (b"2", upper, step, 2.7),
        ]
        forms += [(name.encode(), upper, step, 2.5) for name in scope.atoms_at(node)]
    if not upper:
        forms += [(lower, b"-1", step, 1.9), (lower, b"1", step, 2.4), (lower, b"-2", step, 2.7)]
        forms += [(lower, name.encode(), step, 2.5) for name in scope.atoms_at(node)]
        forms += [(lower, name.encode() + b" + 1", step, 2.7) for name in scope.atoms_at(node)]
    for first, second, third, prior in forms:
        text = first + b":" + second + (b":" + third if third else b"")
        yield scope.replace(bounds, text, prior, "slice")


def _index(scope: Scope, node: ast.Subscript) -> Iterator[Edit]:
    index, value = scope.text(node.slice), scope.text(node.value)
    inner = node.value
    if isinstance(inner, ast.Subscript) and not isinstance(inner.slice, ast.Slice):
        text = scope.text(inner.value) + b"[" + index + b"][" + scope.text(inner.slice) + b"]"
        yield scope.replace(node, text, 1.8, "indexes swapped")
    if isinstance(node.ctx, ast.Load):
        yield scope.replace(node, value, 2.5, "index taken off")
        yield scope.replace(node, index, 2.7, "index for element")
        for default in (b"", b", 0", b", []", b', ""'):
            yield scope.replace(node, value + b".get(" + index + default + b")", 2.6, "safe look-up")
    for text, prior in ((b"0", 2.1), (b"-1", 1.9), (b"1", 2.2), (b":" + index, 2.6), (index + b":", 2.6)):
        yield scope.replace(node.slice, text, prior, "index")
    if not isinstance(node.slice, ast.Constant | ast.UnaryOp):
        yield scope.replace(node.slice, b"-" + scope.atom(node.slice), 2.6, "index")
        yield scope.replace(node.slice, b"-" + scope.atom(node.slice) + b" - 1", 2.7, "index")
    elif isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, int) and node.slice.value:
        yield scope.replace(node.slice, b"-" + index, 2.2, "index")


def _taken(scope: Scope, node: ast.expr) -> Iterator[Edit]:
    if not isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.Subscript | ast.ListComp):
        return
    parent = scope.parents.get(node)
    if isinstance(parent, ast.Attribute | ast.Expr) or (isinstance(parent, ast.Call) and parent.func is node):
        return
    text = scope.text(node)
    for suffix, prior in ENDS:
        yield scope.replace(node, text + suffix, prior, "slice added")
    kinds = Kinds(outermost(scope.parents, node))
    for name in scope.names_at(node):
        other = name.encode()
        if other != text and kinds.kind(name) is not Kind.BOX:
            yield scope.replace(node, text + b"[" + other + b"]", 3.0, "index added")
            yield scope.replace(node, text + b"[" + other + b":]", 3.2, "slice added")
            yield scope.replace(node, text + b"[:" + other + b"]", 3.2, "slice added")
        if other != text and kinds.kind(name) is Kind.BOX and isinstance(node, ast.Name):
            yield scope.replace(node, other + b"[" + text + b"]", 2.9, "index for element")
