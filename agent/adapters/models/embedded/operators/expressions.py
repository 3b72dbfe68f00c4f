"""The wide net: any expression replaced by another of the function, by a part of itself, or added to it."""

import ast
from collections.abc import Iterator

from agent.adapters.models.embedded.kinds import kind_of
from agent.adapters.models.embedded.scope import COMPREHENSIONS, Edit, Scope

DONORS = 60  # distinct expressions of the anchor offered per place
SKIPPED = (ast.Starred, ast.Slice, ast.Lambda, ast.JoinedStr, ast.FormattedValue)


def propose(scope: Scope) -> Iterator[Edit]:
    """Places in source order; donors are the anchor's own expressions."""
    donors: dict[bytes, ast.expr] = {}
    for node in scope.expressions:
        text = scope.text(node)
        if not isinstance(node, (*SKIPPED, ast.Constant)) and len(text) < 80 and b"\n" not in text:
            donors.setdefault(text, node)
    chosen = dict(list(donors.items())[:DONORS])
    for place in scope.expressions:
        if isinstance(place, SKIPPED) or isinstance(scope.parents.get(place), ast.Expr):
            continue
        yield from _replaced(scope, place, chosen)
        yield from _parts(scope, place)
        if isinstance(place, ast.BinOp | ast.Name | ast.Constant | ast.Call | ast.Subscript):
            yield from _combined(scope, place, chosen)


def _replaced(scope: Scope, place: ast.expr, donors: dict[bytes, ast.expr]) -> Iterator[Edit]:
    old, kind = scope.text(place), kind_of(place)
    parent = scope.parents.get(place)
    bare = not isinstance(parent, ast.BinOp | ast.UnaryOp | ast.BoolOp | ast.Compare | ast.Attribute | ast.Subscript)
    called = isinstance(parent, ast.Call) and parent.func is place
    for text, donor in donors.items():
        if text == old or called != (_is_called(scope, donor)):
            continue
        prior = 3.6 if kind in (None, kind_of(donor)) else 4.0
        if scope.function(place) is not scope.function(donor):
            prior += 0.6
        yield scope.replace(place, text if bare else scope.atom(donor), prior, "another expression")


def _is_called(scope: Scope, node: ast.expr) -> bool:
    parent = scope.parents.get(node)
    return isinstance(parent, ast.Call) and parent.func is node


def _parts(scope: Scope, place: ast.expr) -> Iterator[Edit]:
    if isinstance(place, (*COMPREHENSIONS, ast.Call, ast.BinOp)):
        return
    for child in ast.iter_child_nodes(place):
        if isinstance(child, ast.expr) and not isinstance(child, SKIPPED):
            yield scope.replace(place, scope.atom(child), 3.2, "part for whole")


def _combined(scope: Scope, place: ast.expr, donors: dict[bytes, ast.expr]) -> Iterator[Edit]:
    parent = scope.parents.get(place)
    if isinstance(parent, ast.Attribute) or _is_called(scope, place):
        return
    atom = scope.atom(place)
    for text, donor in donors.items():
        if isinstance(donor, ast.Name | ast.Compare | ast.BoolOp) or _is_called(scope, donor):
            continue
        for sign in (b" + ", b" - "):
            new = atom + sign + scope.atom(donor)
            if text != scope.text(place):
                yield scope.replace(place, b"(" + new + b")", 4.3, "with an expression")
