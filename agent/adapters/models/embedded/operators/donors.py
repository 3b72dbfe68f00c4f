"""Repairs taken from elsewhere in the file: calls put around, conditions and statements of sibling functions.

Most repairs are made of what stands in the file already (Barr et al., "The Plastic Surgery Hypothesis", 2014).
"""

import ast
import re
from collections.abc import Iterator
from itertools import islice

from agent.adapters.models.embedded.kinds import Kind, Kinds, outermost
from agent.adapters.models.embedded.operators.statements import Row, rows_of, whole_lines
from agent.adapters.models.embedded.scope import ATOMS, BUILTINS, FUNCTIONS, Edit, Scope

WRAPS, CONDITIONS, STATEMENTS, EXPRESSIONS = 10, 24, 30, 24  # donors of each kind, the nearest to the anchor
ADAPTED = 1500  # expressions with one variable exchanged, per anchor
TOLD = 800  # calls that put something into a box, per anchor
LONGEST = 100  # bytes of a donor
WRAPPED = (ast.Name, ast.Attribute, ast.Call, ast.Subscript)
FINDING = (b"find", b"index", b"count", b"get", b"startswith", b"endswith", b"split", b"join")


def propose(scope: Scope) -> Iterator[Edit]:
    """Around values, in the place of conditions, before and behind statements."""
    yield from _wrapped(scope)
    yield from _conditions(scope)
    yield from _statements(scope)
    yield from islice(_adapted(scope), ADAPTED)
    yield from _asked(scope)
    yield from islice(_told_to_a_box(scope), TOLD)


def _near(scope: Scope, nodes: Iterator[ast.AST]) -> list[ast.AST]:
    """Nodes by their distance from the anchor, in lines."""
    found = [node for node in nodes if hasattr(node, "lineno")]
    return sorted(found, key=lambda node: max(0, scope.begin - node.lineno, node.lineno - scope.end))


def _everything(scope: Scope) -> Iterator[ast.AST]:
    return ast.walk(scope.tree) if scope.tree is not None else iter(())


def _wrapped(scope: Scope) -> Iterator[Edit]:
    """Values handed to a function or method of the file that takes one thing."""
    callers: dict[bytes, None] = {}
    for node in _near(scope, (node for node in _everything(scope) if isinstance(node, ast.Call))):
        if isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords:
            text = scope.text(node.func)
            own = isinstance(node.func, ast.Attribute) and text.startswith(b"self.") and text.count(b".") == 1
            if own or (isinstance(node.func, ast.Name) and node.func.id not in BUILTINS):
                callers.setdefault(text, None)
    for name in _one_argument(scope):
        callers.setdefault(name, None)
    for place in scope.expressions:
        parent = scope.parents.get(place)
        if not isinstance(place, WRAPPED) or isinstance(parent, ast.Attribute | ast.Expr):
            continue
        if isinstance(parent, ast.Call) and parent.func is place:
            continue
        inside = scope.self_attributes(place) != ()
        for number, caller in enumerate(list(callers)[:WRAPS]):
            text = scope.text(place)
            if text.startswith(caller + b"(") or (caller.startswith(b"self.") and not inside):
                continue
            yield scope.replace(place, caller + b"(" + text + b")", 2.9 + 0.04 * number, "own call put around")


def _one_argument(scope: Scope) -> Iterator[bytes]:
    """Functions of the module that can be called with one thing, methods of the anchor's class likewise."""
    for node in _everything(scope):
        if not isinstance(node, FUNCTIONS):
            continue
        parent = scope.parents.get(node)
        needed = len(node.args.posonlyargs) + len(node.args.args) - len(node.args.defaults)
        if isinstance(parent, ast.Module) and needed == 1:
            yield node.name.encode()
        if not isinstance(parent, ast.ClassDef) or needed != 2 or node.decorator_list or node.name.startswith("__"):
            continue
        if parent.lineno <= scope.begin <= (parent.end_lineno or 0):
            yield b"self." + node.name.encode()


def _fits(scope: Scope, donor: ast.AST, place: ast.AST) -> bool:
    """Are all variables of the donor known at the place?"""
    known = {*scope.names_at(place), *scope.module_functions, *scope.module_names, *BUILTINS}
    method = scope.self_attributes(place) != ()
    names = {node.id for node in ast.walk(donor) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    return all(name in known or (name == "self" and method) or name in scope.imported for name in names)


def _conditions(scope: Scope) -> Iterator[Edit]:
    """Conditions of other functions of the file, instead of one here or beside it."""
    donors: dict[bytes, ast.expr] = {}
    tests = (node.test for node in _everything(scope) if isinstance(node, ast.If | ast.While | ast.IfExp))
    parts = (part for test in tests for part in (test, *(test.values if isinstance(test, ast.BoolOp) else ())))
    for node in _near(scope, parts):
        if isinstance(node, ast.expr) and not scope.begin <= node.lineno <= scope.end:
            text = scope.text(node)
            if len(text) <= LONGEST and b"\n" not in text and not isinstance(node, ast.Name):
                donors.setdefault(text, node)
    for place in scope.all(ast.If, ast.While):
        if not isinstance(place, ast.If | ast.While):
            continue
        fitting = [donor for donor in donors.values() if _fits(scope, donor, place.test)][:CONDITIONS]
        text, atom = scope.text(place.test), scope.atom(place.test)
        for number, donor in enumerate(fitting):
            other, late = scope.atom(donor), 0.03 * number
            if other != atom:
                yield scope.replace(place.test, other + b" and " + atom, 3.6 + late, "condition of a sibling")
                yield scope.replace(place.test, text + b" or " + other, 3.6 + late, "condition of a sibling")
                yield scope.replace(place.test, other, 3.7 + late, "condition of a sibling")


def _statements(scope: Scope) -> Iterator[Edit]:
    """Simple statements of other functions of the file, put before and behind those of the anchor."""
    donors: dict[bytes, ast.stmt] = {}
    for node in _near(scope, (n for n in _everything(scope) if isinstance(n, ast.Assign | ast.AugAssign | ast.Expr))):
        if isinstance(node, ast.stmt) and not scope.begin <= node.lineno <= scope.end and scope.function(node):
            text = scope.text(node)
            if len(text) <= LONGEST and b"\n" not in text and not _documents(node):
                donors.setdefault(text, node)
    for rows in rows_of(scope):
        for row in rows:
            if scope.function(row.node) is not None:
                yield from _inserted(scope, row, donors)


def _documents(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _inserted(scope: Scope, row: Row, donors: dict[bytes, ast.stmt]) -> Iterator[Edit]:
    fitting = [text for text, donor in donors.items() if _fits(scope, donor, row.node)][:STATEMENTS]
    lines = whole_lines(scope, row)
    end = b"\r\n" if lines.endswith(b"\r\n") else b"\n"
    for number, text in enumerate(fitting):
        line, late = row.indent + text + end, 0.03 * number
        yield Edit(row.begin, row.end, lines + line, 3.7 + late, "statement of a sibling", row.node.lineno)
        if not scope.source.startswith(b"elif", row.begin + len(row.indent)):
            yield Edit(row.begin, row.begin, line, 3.7 + late, "statement of a sibling", row.node.lineno)


def _adapted(scope: Scope) -> Iterator[Edit]:
    """A small expression of the anchor with one variable exchanged, in the place of another expression."""
    donors: dict[bytes, ast.expr] = {}
    for node in scope.expressions:
        if isinstance(node, ast.BinOp | ast.Subscript | ast.Call | ast.Tuple) and len(scope.text(node)) <= 24:
            donors.setdefault(scope.text(node), node)
    for place in scope.expressions:
        parent = scope.parents.get(place)
        if not isinstance(place, ast.Name | ast.BinOp | ast.Subscript | ast.Tuple):
            continue
        if isinstance(parent, ast.Attribute) or (isinstance(parent, ast.Call) and parent.func is place):
            continue
        wanted = {type(place)} if isinstance(place, ast.Tuple) else {ast.BinOp, ast.Subscript, ast.Call}
        names = scope.names_at(place)
        for donor in list(donors.values())[:EXPRESSIONS]:
            if type(donor) in wanted:
                bare = isinstance(donor, ATOMS) or isinstance(parent, ast.Subscript | ast.Tuple | ast.Call)
                for text in _exchanged(scope, donor, names):
                    whole = text if bare else b"(" + text + b")"
                    yield scope.replace(place, whole, 3.8, "adapted expression")


def _exchanged(scope: Scope, donor: ast.expr, names: tuple[str, ...]) -> Iterator[bytes]:
    text = scope.text(donor)
    used = dict.fromkeys(node.id for node in ast.walk(donor) if isinstance(node, ast.Name))
    called = {
        node.func.id for node in ast.walk(donor) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    for old in used:
        for new in names[:8]:
            if new != old and old not in called:
                yield re.sub(rb"\b%s\b" % re.escape(old.encode()), new.encode(), text)


def _asked(scope: Scope) -> Iterator[Edit]:
    """A calculation with two values as a question of one about the other: `a.find(b)`."""
    for node in scope.all(ast.BinOp, ast.Compare):
        values = [part for part in ast.walk(node) if isinstance(part, ast.Name | ast.Attribute)]
        values = [part for part in values if not isinstance(scope.parents.get(part), ast.Attribute)]
        texts = [text for text in dict.fromkeys(scope.text(part) for part in values) if text.decode() not in BUILTINS]
        if len(texts) == 2:
            for one, other in (texts, texts[::-1]):
                for method in FINDING:
                    yield scope.replace(node, one + b"." + method + b"(" + other + b")", 3.3, "asked for")


def _told_to_a_box(scope: Scope) -> Iterator[Edit]:
    """A call that is missing: something at hand put into a box the way the anchor does it elsewhere."""
    calls = [node.value for node in scope.all(ast.Expr) if isinstance(node.value, ast.Call)]
    methods = {
        call.func.attr: scope.text(call.func.value)
        for call in calls
        if isinstance(call.func, ast.Attribute) and len(call.args) == 1 and not call.keywords
    }
    for rows in rows_of(scope):
        for row in rows:
            if not methods or scope.function(row.node) is None:
                continue
            kinds = Kinds(outermost(scope.parents, row.node))
            names = scope.atoms_at(row.node)
            boxes = [name.encode() for name in names if kinds.kind(name) is Kind.BOX]
            lines = whole_lines(scope, row)
            end = b"\r\n" if lines.endswith(b"\r\n") else b"\n"
            for method, known in methods.items():
                for box in dict.fromkeys([known, *boxes]):
                    for number, name in enumerate(names[:8]):
                        call = box + b"." + method.encode() + b"(" + name.encode() + b")"
                        text = lines + row.indent + call + end
                        if name.encode() != box:
                            yield Edit(row.begin, row.end, text, 3.3 + 0.03 * number, "call put in", row.node.lineno)
