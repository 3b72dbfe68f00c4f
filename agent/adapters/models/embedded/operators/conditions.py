"""Repairs of conditions: negated, joined otherwise, parts dropped, guards and further parts added."""

import ast
import re
from collections.abc import Iterator
from itertools import pairwise

from agent.adapters.models.embedded.kinds import Kind, Kinds, outermost
from agent.adapters.models.embedded.scope import Edit, Scope

WORD = re.compile(rb"\b(?:and|or)\b")
PAIRS = 7  # variables compared pairwise when a condition is extended


def propose(scope: Scope) -> Iterator[Edit]:
    """Every test of the anchor, and boolean expressions elsewhere."""
    for node in scope.all(ast.BoolOp):
        yield from _joined(scope, node)
    for denied in scope.all(ast.UnaryOp):
        if isinstance(denied.op, ast.Not):
            yield scope.replace(denied, scope.text(denied.operand), 1.8, "negation dropped")
    tests = list(_tests(scope))
    texts = list(dict.fromkeys(scope.text(test) for test in tests))
    for test in tests:
        yield from _test(scope, test, texts)
    for either in scope.all(ast.IfExp):
        yield scope.replace(either, scope.text(either.body), 2.6, "choice dropped")
        yield scope.replace(either, scope.atom(either.orelse), 2.6, "choice dropped")


def _tests(scope: Scope) -> Iterator[ast.expr]:
    inside = set(scope.nodes)
    for node in scope.nodes:
        match node:
            case ast.While(test=test) | ast.IfExp(test=test) | ast.If(test=test) | ast.Assert(test=test):
                yield test
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                for generator in node.generators:
                    yield from generator.ifs
            case ast.Return(value=ast.Compare() | ast.BoolOp() | ast.UnaryOp(op=ast.Not()) as value):
                yield value
            case ast.Assign(value=ast.Compare() | ast.BoolOp() | ast.UnaryOp(op=ast.Not()) as value):
                yield value
            case _:
                pass
    for node in _headers(scope, inside):
        yield node


def _headers(scope: Scope, inside: set[ast.AST]) -> Iterator[ast.expr]:
    """Tests of statements that reach out of the anchor: the statement is not whole in it, its test is."""
    for node in ast.walk(scope.tree) if scope.tree is not None else ():
        if isinstance(node, ast.If | ast.While) and node not in inside and node.test in inside:
            yield node.test


def _joined(scope: Scope, node: ast.BoolOp) -> Iterator[Edit]:
    other = b"or" if isinstance(node.op, ast.And) else b"and"
    spans = [scope.span(value) for value in node.values]
    for (_, begin), (end, _) in pairwise(spans):
        found = WORD.search(scope.source, begin, end)
        if found:
            yield scope.between(found.start(), found.end(), other, 1.6, "and for or", node.lineno)
    for number in range(len(node.values)):
        kept = [scope.atom(value) for place, value in enumerate(node.values) if place != number]
        own = b" and " if isinstance(node.op, ast.And) else b" or "
        text = own.join(kept)
        yield scope.replace(node, text if len(kept) == 1 else b"(" + text + b")", 2.0, "part dropped")
    for value in node.values:
        if not isinstance(value, ast.UnaryOp):
            yield scope.replace(value, b"not " + scope.atom(value), 1.9, "part negated")


def _test(scope: Scope, test: ast.expr, texts: list[bytes]) -> Iterator[Edit]:
    text, atom = scope.text(test), scope.atom(test)
    if not (isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)):
        yield scope.replace(test, b"not " + atom, 1.8, "negated")
    for value in (b"True", b"False"):
        yield scope.replace(test, value, 2.6, "constant condition")
    yield from _guards(scope, test, atom)
    names = [name.encode() for name in scope.atoms_at(test)]
    for number, name in enumerate(names):
        late = 0.03 * number
        for new, prior in (
            (text + b" or not " + name, 2.7),
            (name + b" and " + atom, 2.7),
            (atom + b" and not " + name, 2.8),
            (text + b" or " + name, 2.8),
            (name, 2.9),
            (b"not " + name, 2.9),
        ):
            yield scope.replace(test, _safe(scope, test, new), prior + late, "condition extended")
    for other in texts:
        if other != text:
            yield scope.replace(test, other, 3.0, "another condition")
            yield scope.replace(test, _safe(scope, test, atom + b" and " + other), 3.3, "condition joined")
            yield scope.replace(test, _safe(scope, test, text + b" or " + other), 3.3, "condition joined")
    yield from _compared(scope, test, text, atom)


def _guards(scope: Scope, test: ast.expr, atom: bytes) -> Iterator[Edit]:
    """None and emptiness checked before the condition touches the value."""
    touched = [node.value for node in ast.walk(test) if isinstance(node, ast.Attribute | ast.Subscript)]
    values = dict.fromkeys(scope.text(node) for node in touched)
    for name in scope.names_at(test):
        values.setdefault(name.encode(), None)
    for number, value in enumerate(values):
        prior = (2.3 if number < len(touched) else 2.9) + 0.02 * number
        for new in (value + b" is None or " + atom, value + b" is not None and " + atom):
            yield scope.replace(test, _safe(scope, test, new), prior, "guard")
        if number < len(touched):
            for new in (value + b" and " + atom, b"not " + value + b" or " + atom):
                yield scope.replace(test, _safe(scope, test, new), prior + 0.3, "guard")


def _compared(scope: Scope, test: ast.expr, text: bytes, atom: bytes) -> Iterator[Edit]:
    kinds = Kinds(outermost(scope.parents, test))
    names = scope.names_at(test)[:PAIRS]
    for place, first in enumerate(names):
        for second in ("0", "1", "None", *names[place + 1 :]):
            boxed = Kind.BOX in (kinds.kind(first), kinds.kind(second))
            for operator in ("in", "not in", "==", "!=") if boxed else ("==", "!=", "<", ">", "<=", ">="):
                if second == "None" and operator not in ("==", "!="):
                    continue
                if boxed and second in ("0", "1"):
                    continue
                for one, two in ((first, second), (second, first)) if "in" in operator else ((first, second),):
                    extra = f"{one} {operator} {two}".encode()
                    yield scope.replace(test, _safe(scope, test, atom + b" and " + extra), 3.5, "comparison added")
                    yield scope.replace(test, _safe(scope, test, text + b" or " + extra), 3.5, "comparison added")
                    yield scope.replace(test, extra, 3.4, "another comparison")


def _safe(scope: Scope, test: ast.expr, text: bytes) -> bytes:
    parent = scope.parents.get(test)
    return b"(" + text + b")" if isinstance(parent, ast.BoolOp | ast.UnaryOp | ast.IfExp | ast.comprehension) else text
