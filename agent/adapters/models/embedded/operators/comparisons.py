"""Repairs of comparison operators: boundaries, negations, identity and membership."""

import ast
import re
from collections.abc import Iterator

from agent.adapters.models.embedded.scope import Edit, Scope

OPERATOR = re.compile(rb"not\s+in\b|is\s+not\b|<=|>=|==|!=|<|>|\bin\b|\bis\b")
INSTEAD: dict[type[ast.cmpop], tuple[tuple[bytes, float], ...]] = {
    ast.Lt: ((b"<=", 1.0), (b">", 1.8), (b">=", 2.0), (b"!=", 2.0), (b"==", 2.4)),
    ast.LtE: ((b"<", 1.0), (b">=", 1.8), (b">", 2.0), (b"==", 2.2), (b"!=", 2.4)),
    ast.Gt: ((b">=", 1.0), (b"<", 1.8), (b"<=", 2.0), (b"!=", 2.0), (b"==", 2.4)),
    ast.GtE: ((b">", 1.0), (b"<=", 1.8), (b"<", 2.0), (b"==", 2.2), (b"!=", 2.4)),
    ast.Eq: ((b"!=", 1.7), (b"<=", 1.9), (b">=", 1.9), (b"<", 2.2), (b">", 2.2), (b"in", 2.4), (b"is", 3.0)),
    ast.NotEq: ((b"==", 1.7), (b"<", 1.9), (b">", 1.9), (b"<=", 2.4), (b">=", 2.4), (b"not in", 2.6)),
    ast.Is: ((b"is not", 1.7), (b"==", 1.9)),
    ast.IsNot: ((b"is", 1.7), (b"!=", 1.9)),
    ast.In: ((b"not in", 1.7), (b"==", 2.4)),
    ast.NotIn: ((b"in", 1.7), (b"!=", 2.4)),
}


def propose(scope: Scope) -> Iterator[Edit]:
    """Each operator of each comparison, replaced by its relatives."""
    for node in scope.all(ast.Compare):
        left: ast.expr = node.left
        for op, right in zip(node.ops, node.comparators, strict=True):
            place = _place(scope, left, right)
            if place is not None:
                begin, end = place
                for text, prior in INSTEAD[type(op)]:
                    yield scope.between(begin, end, text, prior, "comparison", node.lineno)
            left = right


def _place(scope: Scope, left: ast.expr, right: ast.expr) -> tuple[int, int] | None:
    begin, end = scope.span(left)[1], scope.span(right)[0]
    found = OPERATOR.search(scope.source, begin, end)
    return (found.start(), found.end()) if found else None
