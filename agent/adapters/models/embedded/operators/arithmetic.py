"""Repairs of arithmetic: operators, operands dropped or swapped, off by one, signs, squares, grouping."""

import ast
import re
from collections.abc import Iterator

from agent.adapters.models.embedded.kinds import Kind, kind_of
from agent.adapters.models.embedded.scope import Edit, Scope

OPERATOR = re.compile(rb"\*\*|//|<<|>>|[-+*/%@&|^]")
INSTEAD: dict[type[ast.operator], tuple[tuple[str, float], ...]] = {
    ast.Add: (("-", 1.5), ("*", 2.0), ("|", 2.8), ("//", 3.0), ("%", 3.0)),
    ast.Sub: (("+", 1.5), ("*", 2.4), ("%", 2.4), ("//", 2.8), ("/", 2.8)),
    ast.Mult: (("/", 1.6), ("+", 1.6), ("//", 1.8), ("**", 1.9), ("-", 2.2), ("%", 2.6)),
    ast.Div: (("//", 1.4), ("*", 1.6), ("%", 2.2), ("-", 2.4), ("+", 2.6)),
    ast.FloorDiv: (("/", 1.4), ("%", 1.6), ("*", 1.8), ("-", 2.2), ("+", 2.6)),
    ast.Mod: (("//", 1.6), ("/", 2.0), ("-", 2.2), ("*", 2.4), ("+", 2.4)),
    ast.Pow: (("*", 1.6), ("+", 2.4), ("-", 2.6)),
    ast.LShift: ((">>", 1.5), ("*", 2.4)),
    ast.RShift: (("<<", 1.5), ("//", 2.4)),
    ast.BitAnd: (("|", 1.5), ("^", 1.6), ("-", 2.4)),
    ast.BitOr: (("&", 1.5), ("^", 1.6), ("+", 2.4)),
    ast.BitXor: (("&", 1.5), ("|", 1.5), ("**", 2.0)),
    ast.MatMult: (("*", 1.8),),
}


def propose(scope: Scope) -> Iterator[Edit]:
    """Operators first, then whatever looks like a number."""
    for node in scope.all(ast.BinOp):
        yield from _operation(scope, node)
    for step in scope.all(ast.AugAssign):
        yield from _augmented(scope, step)
    for value in scope.expressions:
        if isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.USub | ast.Invert):
            yield scope.replace(value, scope.text(value.operand), 2.0, "sign dropped")
        elif _countable(scope, value):
            yield from _shifted(scope, value)


def _operation(scope: Scope, node: ast.BinOp) -> Iterator[Edit]:
    left, right = scope.atom(node.left), scope.atom(node.right)
    begin, end = scope.span(node.left)[1], scope.span(node.right)[0]
    found = OPERATOR.search(scope.source, begin, end)
    if found is None:
        return
    symbol = found.group()
    for text, prior in INSTEAD[type(node.op)]:
        yield scope.between(found.start(), found.end(), text.encode(), prior, "operator", node.lineno)
    yield scope.replace(node, left, 2.0, "operand dropped")
    yield scope.replace(node, right, 2.0, "operand dropped")
    if not isinstance(node.op, ast.Mult | ast.BitAnd | ast.BitOr | ast.BitXor):
        yield scope.replace(node, right + b" " + symbol + b" " + left, 1.8, "operands swapped")
    yield from _regrouped(scope, node, symbol)


def _regrouped(scope: Scope, node: ast.BinOp, symbol: bytes) -> Iterator[Edit]:
    """`a * b + c` as `a * (b + c)` and the like: the same leaves under the other bracket."""
    for inner, inner_first in ((node.left, True), (node.right, False)):
        if not isinstance(inner, ast.BinOp):
            continue
        gap = OPERATOR.search(scope.source, scope.span(inner.left)[1], scope.span(inner.right)[0])
        if gap is None:
            continue
        one, two, sign = scope.atom(inner.left), scope.atom(inner.right), gap.group()
        if inner_first:
            other = scope.atom(node.right)
            text = one + b" " + sign + b" (" + two + b" " + symbol + b" " + other + b")"
        else:
            other = scope.atom(node.left)
            text = b"(" + other + b" " + symbol + b" " + one + b") " + sign + b" " + two
        yield scope.replace(node, text, 2.6, "regrouped")


def _augmented(scope: Scope, node: ast.AugAssign) -> Iterator[Edit]:
    begin, end = scope.span(node.target)[1], scope.span(node.value)[0]
    found = OPERATOR.search(scope.source, begin, end)
    if found is None:
        return
    for text, prior in INSTEAD[type(node.op)]:
        yield scope.between(found.start(), found.end(), text.encode(), prior, "operator", node.lineno)
    yield scope.between(found.start(), found.end(), b"", 2.0, "assigned instead of added", node.lineno)


def _countable(scope: Scope, node: ast.expr) -> bool:
    """Could this be a number in a place where being off by one makes sense?"""
    if isinstance(node, ast.Constant | ast.Compare | ast.BoolOp | ast.JoinedStr | ast.Lambda | ast.Slice | ast.Starred):
        return False
    if kind_of(node) in (Kind.BOX, Kind.FLAG):
        return False
    parent = scope.parents.get(node)
    if isinstance(parent, ast.Call):
        return node is not parent.func
    if isinstance(parent, ast.Subscript):
        return node is parent.slice
    kinds = ast.Slice | ast.Compare | ast.Return | ast.Assign | ast.AugAssign | ast.BinOp | ast.Tuple | ast.List
    return isinstance(parent, kinds | ast.IfExp | ast.Yield | ast.keyword | ast.Dict | ast.UnaryOp)


def _shifted(scope: Scope, node: ast.expr) -> Iterator[Edit]:
    text, whole = scope.atom(node), scope.text(node)
    safe = whole if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub) else text
    wrapped = isinstance(scope.parents.get(node), ast.BinOp | ast.UnaryOp)
    for sign in (b" + 1", b" - 1"):
        new = safe + sign
        yield scope.replace(node, b"(" + new + b")" if wrapped else new, 1.9, "off by one")
    square = text + b" ** 2"
    yield scope.replace(node, b"(" + square + b")" if wrapped else square, 2.9, "square")
    if not wrapped:
        yield scope.replace(node, b"-" + text, 2.4, "sign")
        for suffix, prior in ((b" * 2", 2.9), (b" // 2", 2.9), (b" / 2", 3.0), (b" % 2", 3.3), (b" / 100", 3.2)):
            yield scope.replace(node, text + suffix, prior, "scaled")
    yield from _with_variable(scope, node, safe, text, wrapped)


def _with_variable(scope: Scope, node: ast.expr, safe: bytes, text: bytes, wrapped: bool) -> Iterator[Edit]:
    for number, name in enumerate(scope.atoms_at(node)):
        other = name.encode()
        if other == text:
            continue
        for new, prior in (
            (safe + b" - " + other, 2.5),
            (safe + b" + " + other, 2.5),
            (text + b" * " + other, 2.9),
            (text + b" // " + other, 3.2),
            (text + b" % " + other, 3.2),
        ):
            late = prior + 0.05 * number
            yield scope.replace(node, b"(" + new + b")" if wrapped else new, late, "with a variable")
