"""Repairs that put a condition around or before a statement: ways out, statements that only sometimes apply, handlers.

The condition is about values the statement reads; the way out is one the function already has, or an empty value.
"""

import ast
import re
from collections.abc import Iterator, Sequence

from agent.adapters.models.embedded.operators.statements import LOOPS, Row, ending, rows_of, whole_lines
from agent.adapters.models.embedded.scope import BUILTINS, FUNCTIONS, Edit, Scope

READ = 3  # values of one statement that a condition is made about
OUTS = 5  # ways out of one function
FAILURE = re.compile(r"\b([A-Z]\w*(?:Error|Exception|Stop\w+))\b")


def propose(scope: Scope) -> Iterator[Edit]:
    """Every statement of the anchor that has its lines to itself."""
    failures = _failures(scope)
    outs: dict[ast.AST | None, Sequence[bytes]] = {}
    for rows in rows_of(scope):
        for number, row in enumerate(rows):
            function = scope.function(row.node)
            if function not in outs:
                outs[function] = _ways_out(scope, function)
            values = _read(scope, row)
            if number or function is None or row.node not in function.body:  # the first has guards of its own
                yield from _before(scope, row, values, outs[function])
            yield from _around(scope, row, values)
            yield from _handled(scope, row, failures, outs[function])


def _read(scope: Scope, row: Row) -> list[bytes]:
    """Values a statement reads: of a compound one, its head alone."""
    heads = [getattr(row.node, name) for name in ("test", "iter", "value", "exc") if getattr(row.node, name, None)]
    heads += [item.context_expr for item in getattr(row.node, "items", ())]
    heads += list(getattr(row.node, "targets", ()))
    found: dict[bytes, None] = {}
    known = set(scope.names_at(row.node))
    for head in heads:
        for node in ast.walk(head):
            parent = scope.parents.get(node)
            if isinstance(parent, ast.Call) and parent.func is node:
                continue
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in known:
                found[node.id.encode()] = None
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
                found[scope.text(node)] = None
    return list(found)[:READ]


def _ways_out(scope: Scope, function: ast.AST | None) -> Sequence[bytes]:
    """What to leave the function with, likeliest first; none outside of one."""
    if function is None:
        return ()
    own = [node for node in ast.walk(function) if scope.function(node) is function]
    if any(isinstance(node, ast.Yield | ast.YieldFrom) for node in own):
        return (b"return",)
    given = [scope.text(node) for node in own if isinstance(node, ast.Return)]
    short = [text for text in given if len(text) < 60 and b"\n" not in text]
    empty = [b"return None"] if given else [b"return"]
    found = dict.fromkeys([*reversed(short), *empty, b'return ""', b"return []", b"return False"])
    return tuple(found)[:OUTS]


def _before(scope: Scope, row: Row, values: Sequence[bytes], outs: Sequence[bytes]) -> Iterator[Edit]:
    if scope.source.startswith(b"elif", row.begin + len(row.indent)):
        return
    looping = any(isinstance(up, LOOPS) for up in _inside_function(scope, row.node))
    ways = [*outs, *((b"continue", b"break") if looping else ())]
    end = ending(scope)
    for number, value in enumerate(values):
        for test, prior in ((b"not " + value, 2.9), (value + b" is None", 3.1)):
            for place, way in enumerate(ways):
                text = row.indent + b"if " + test + b":" + end + row.indent + b"    " + way + end
                late = prior + 0.1 * number + 0.05 * place
                yield Edit(row.begin, row.begin, text, late, "way out", row.node.lineno)


def _around(scope: Scope, row: Row, values: Sequence[bytes]) -> Iterator[Edit]:
    """The statement only under a condition; an assignment only when it makes its target larger or smaller."""
    if isinstance(row.node, (*FUNCTIONS, ast.ClassDef, ast.If, ast.Return)):
        return
    tests: list[tuple[bytes, float]] = []
    match row.node:
        case ast.Assign(targets=[ast.Name() | ast.Attribute() as target], value=assigned):
            left, right = scope.text(target), scope.atom(assigned)
            tests += [(left + b" < " + right, 2.9), (left + b" > " + right, 3.0)]
            tests += [(left + b" is None", 3.1), (b"not " + left, 3.2)]
        case _:
            pass
    for number, value in enumerate(values):
        late = 0.1 * number
        tests += [(value, 3.0 + late), (value + b" is not None", 3.1 + late), (b"not " + value, 3.3 + late)]
    lines = whole_lines(scope, row)
    for test, prior in tests:
        text = row.indent + b"if " + test + b":" + ending(scope) + _indented(lines)
        yield Edit(row.begin, row.end, text, prior, "made conditional", row.node.lineno)


def _handled(scope: Scope, row: Row, failures: Sequence[bytes], outs: Sequence[bytes]) -> Iterator[Edit]:
    """The statement in a `try` for exceptions that the failures name."""
    if not isinstance(row.node, ast.Assign | ast.AugAssign | ast.Expr | ast.Return | ast.AnnAssign):
        return
    looping = any(isinstance(up, LOOPS) for up in _inside_function(scope, row.node))
    end, lines = ending(scope), _indented(whole_lines(scope, row))
    ways = [*((b"continue",) if looping else ()), b"pass", *outs[:3]]
    for failure in failures:
        for number, way in enumerate(ways):
            head, tail = row.indent + b"try:" + end, row.indent + b"except " + failure + b":" + end
            text = head + lines + tail + row.indent + b"    " + way + end
            yield Edit(row.begin, row.end, text, 3.3 + 0.1 * number, "exception handled", row.node.lineno)


def _failures(scope: Scope) -> list[bytes]:
    """Built-in exceptions that issue and failing tests name, but for that of a failed assertion."""
    found = dict.fromkeys(FAILURE.findall(scope.told))
    return [name.encode() for name in found if name in BUILTINS and name != "AssertionError"][:3]


def _inside_function(scope: Scope, node: ast.AST) -> Iterator[ast.AST]:
    for up in scope.up(node):
        if isinstance(up, FUNCTIONS):
            return
        yield up


def _indented(lines: bytes) -> bytes:
    return b"".join(b"    " + line if line.strip() else line for line in lines.splitlines(keepends=True))
