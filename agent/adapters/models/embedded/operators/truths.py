"""Repairs of tests for truth that were meant as tests for None: `x` as `x is not None`, one of them or all at once."""

import ast
from collections.abc import Iterator

from agent.adapters.models.embedded.merging import merged
from agent.adapters.models.embedded.scope import Edit, Scope

TESTED = (ast.Name, ast.Attribute, ast.Subscript)
FAMILY = "none instead of false"


def propose(scope: Scope) -> Iterator[Edit]:
    """Each place, then all places of one value, then all of the anchor."""
    found = list(_places(scope))
    yield from found
    values: dict[bytes, list[Edit]] = {}
    for edit in found:
        values.setdefault(edit.text.split(b" is ")[0], []).append(edit)
    groups = [*values.values(), found] if len(values) > 1 else list(values.values())
    for group in groups:
        if len(group) > 1:
            yield merged(scope.source, group, 2.6, FAMILY)


def _places(scope: Scope) -> Iterator[Edit]:
    for node in scope.expressions:
        parent = scope.parents.get(node)
        if not isinstance(node, TESTED) or not _is_tested(node, parent, scope):
            continue
        if isinstance(parent, ast.UnaryOp):
            yield scope.replace(parent, scope.text(node) + b" is None", 2.4, FAMILY)
        else:
            yield scope.replace(node, scope.text(node) + b" is not None", 2.4, FAMILY)


def _is_tested(node: ast.AST, parent: ast.AST | None, scope: Scope) -> bool:
    """Does only the value's truth count here?"""
    match parent:
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test) | ast.Assert(test=test):
            return test is node
        case ast.UnaryOp(op=ast.Not()):
            return True
        case ast.BoolOp():
            return _is_tested(parent, scope.parents.get(parent), scope)
        case ast.comprehension(ifs=tests):
            return node in tests
        case _:
            return False
