"""Repairs of what a function gives back: missing, wrapped, combined, negated, another value altogether."""

import ast
from collections.abc import Iterator

from agent.adapters.models.embedded.kinds import Kind, Kinds, outermost
from agent.adapters.models.embedded.scope import FUNCTIONS, Edit, Scope


def propose(scope: Scope) -> Iterator[Edit]:
    """Return, yield, and expressions that were meant to be returned."""
    for node in scope.all(ast.Return):
        if node.value is None:
            yield from _bare(scope, node)
        else:
            yield from _value(scope, node.value)
    for given in scope.all(ast.Yield):
        if given.value is not None:
            begin, _ = scope.span(given)
            yield scope.between(begin, begin + 5, b"yield from", 1.9, "yield from", given.lineno)
            yield from _value(scope, given.value)
    for source in scope.all(ast.YieldFrom):
        begin, _ = scope.span(source)
        yield scope.between(begin, scope.span(source.value)[0], b"yield ", 1.9, "yield", source.lineno)
    for bare in scope.all(ast.Expr):
        begin, _ = scope.span(bare)
        if scope.function(bare) is not None:
            yield scope.between(begin, begin, b"return ", 2.0, "return missing", bare.lineno)


def _bare(scope: Scope, node: ast.Return) -> Iterator[Edit]:
    _, end = scope.span(node)
    for name in (*scope.atoms_at(node), "[]", "0", "False", "True", '""', "{}"):
        yield scope.between(end, end, b" " + name.encode(), 2.2, "value missing", node.lineno)


def _value(scope: Scope, value: ast.expr) -> Iterator[Edit]:
    text, atom = scope.text(value), scope.atom(value)
    names = [name.encode() for name in scope.atoms_at(value)]
    for form, prior in _forms(text, atom):
        yield scope.replace(value, form, prior, "returned otherwise")
    kinds = Kinds(outermost(scope.parents, value))
    empty = isinstance(value, ast.List | ast.Tuple | ast.Dict | ast.Constant)
    for number, name in enumerate(names):
        late = 0.03 * number
        yield scope.replace(value, name, (2.3 if empty else 2.6) + late, "another value returned")
        for form, prior in _joined(text, atom, name, kinds.kind(name.decode())):
            yield scope.replace(value, form, prior + late, "returned otherwise")
    if isinstance(value, ast.Constant):
        yield from _truths(scope, value, names)
    yield from _recursive(scope, value)


def _forms(text: bytes, atom: bytes) -> list[tuple[bytes, float]]:
    return [
        (b"not " + atom, 2.0),
        (b"[" + text + b"]", 2.3),
        (b"[" + text + b"][0]", 4.0),
        (atom + b" or []", 3.0),
        (b"list(" + text + b")", 2.7),
        (b"None", 2.6),
        (b"True", 2.4),
        (b"False", 2.4),
        (b"[]", 2.6),
        (b"0", 2.6),
        (b"1", 2.8),
        (b'""', 2.8),
        (b"[[]]", 2.8),
    ]


def _joined(text: bytes, atom: bytes, name: bytes, kind: Kind | None) -> list[tuple[bytes, float]]:
    forms = [
        (b"[" + name + b"]", 2.3),
        (atom + b" + [" + name + b"]", 2.4),
        (b"[" + name + b"] + " + atom, 2.4),
        (atom + b" + " + name, 2.4),
        (text + b", " + name, 3.2),
        (atom + b" or " + name, 3.0),
        (atom + b" and " + name, 3.0),
    ]
    if kind is Kind.BOX or kind is None:
        forms += [(name + b" + " + atom, 2.5), (b"len(" + name + b")", 2.7)]
    return forms


def _truths(scope: Scope, value: ast.Constant, names: list[bytes]) -> Iterator[Edit]:
    """A constant that should have been a test."""
    if not isinstance(value.value, bool) and value.value is not None:
        return
    for number, name in enumerate(names):
        late = 0.03 * number
        for form, prior in (
            (b"not " + name, 2.3),
            (b"bool(" + name + b")", 2.5),
            (name + b" == 0", 2.3),
            (name + b" != 0", 2.6),
            (name + b" > 0", 2.6),
            (b"len(" + name + b") == 0", 2.4),
            (b"len(" + name + b") == 1", 2.8),
            (name + b" is None", 2.5),
            (name + b" is not None", 2.5),
        ):
            yield scope.replace(value, form, prior + late, "constant to comparison")
        for other in names[number + 1 : number + 6]:
            for sign in (b" == ", b" != ", b" < ", b" > ", b" <= ", b" >= ", b" in "):
                yield scope.replace(value, name + sign + other, 2.8 + late, "constant to comparison")


def _recursive(scope: Scope, value: ast.expr) -> Iterator[Edit]:
    """The function's own call as the answer, one argument nearer to its end."""
    function = scope.function(value)
    if not isinstance(function, FUNCTIONS) or not isinstance(value, ast.Constant | ast.List | ast.Name):
        return
    calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
    for call in calls:
        if isinstance(call.func, ast.Name) and call.func.id == function.name:
            yield scope.replace(value, scope.text(call), 2.9, "own call returned")
