"""Repairs of displays and comprehensions: elements added or dropped, filters, concatenations, keys and values."""

import ast
from collections.abc import Iterator

from agent.adapters.models.embedded.scope import COMPREHENSIONS, Comprehension, Edit, Scope


def propose(scope: Scope) -> Iterator[Edit]:
    """Displays, comprehensions, and tuples taken apart."""
    for display in scope.all(ast.List, ast.Tuple, ast.Set):
        if not isinstance(display, ast.List | ast.Tuple | ast.Set):
            continue
        if not isinstance(getattr(display, "ctx", None), ast.Store | ast.Del):
            yield from _elements(scope, display)
    for node in scope.all(ast.Tuple):
        if isinstance(node.ctx, ast.Store) and len(node.elts) == 2:
            yield from _reversed(scope, node)
    for pairs in scope.all(ast.Dict):
        yield from _pairs(scope, pairs)
    for place in scope.expressions:
        if isinstance(place, COMPREHENSIONS):
            yield from _comprehension(scope, place)
        if isinstance(place, ast.List | ast.ListComp | ast.Call | ast.Subscript):
            yield from _concatenated(scope, place)


def _elements(scope: Scope, node: ast.List | ast.Tuple | ast.Set) -> Iterator[Edit]:
    spans = [scope.span(element) for element in node.elts]
    for number, (begin, end) in enumerate(spans):
        if number:
            begin = spans[number - 1][1]
        elif len(spans) > 1:
            end = spans[1][0]
        if len(spans) != 2 or not isinstance(node, ast.Tuple):
            yield scope.between(begin, end, b"", 2.6, "element dropped", node.lineno)
    if len(spans) == 2:
        yield from _reversed(scope, node)
    yield from _extended(scope, node, spans)
    if isinstance(node, ast.Tuple):
        for element in node.elts:
            yield scope.replace(node, scope.text(element), 2.8, "element for tuple")


def _extended(scope: Scope, node: ast.List | ast.Tuple | ast.Set, spans: list[tuple[int, int]]) -> Iterator[Edit]:
    names = [name.encode() for name in scope.atoms_at(node)]
    for number, name in enumerate((*names, b"0", b"1", b"[]")):
        late = 0.03 * number
        if not spans and isinstance(node, ast.List):
            yield scope.replace(node, b"[" + name + b"]", 2.3 + late, "element added")
        elif spans:
            place = spans[-1][1]
            yield scope.between(place, place, b", " + name, 2.9 + late, "element added", node.lineno)
            first = spans[0][0]
            yield scope.between(first, first, name + b", ", 2.9 + late, "element added", node.lineno)


def _reversed(scope: Scope, node: ast.List | ast.Tuple | ast.Set) -> Iterator[Edit]:
    first, second = node.elts
    begin, end = scope.span(first)[0], scope.span(second)[1]
    middle = scope.source[scope.span(first)[1] : scope.span(second)[0]]
    text = scope.text(second) + middle + scope.text(first)
    yield scope.between(begin, end, text, 1.9, "elements swapped", node.lineno)


def _pairs(scope: Scope, node: ast.Dict) -> Iterator[Edit]:
    for key, value in zip(node.keys, node.values, strict=True):
        if key is not None:
            begin, end = scope.span(key)[0], scope.span(value)[1]
            text = scope.text(value) + b": " + scope.text(key)
            yield scope.between(begin, end, text, 2.6, "key and value swapped", node.lineno)


def _comprehension(scope: Scope, node: Comprehension) -> Iterator[Edit]:
    element = node.value if isinstance(node, ast.DictComp) else node.elt
    if isinstance(node, ast.DictComp):
        begin, end = scope.span(node.key)[0], scope.span(node.value)[1]
        text = scope.text(node.value) + b": " + scope.text(node.key)
        yield scope.between(begin, end, text, 2.2, "key and value swapped", node.lineno)
    last = node.generators[-1]
    for generator in node.generators:
        for test in generator.ifs:
            start, stop = scope.span(test)
            word = scope.source.rfind(b"if", scope.span(generator.iter)[1], start)
            if word >= 0 and scope.source[stop : stop + 1] != b")":
                yield scope.between(word, stop, b"", 2.3, "filter dropped", node.lineno)
    end = max([scope.span(last.iter)[1], *(scope.span(test)[1] for test in last.ifs)])
    if scope.source[end : end + 1] == b")" and not isinstance(node, ast.GeneratorExp):
        return
    names = [name.encode() for name in scope.atoms_at(element)]
    joint = b" and " if last.ifs else b" if "
    for number, name in enumerate(names):
        late = 0.03 * number
        yield scope.between(end, end, joint + name, 2.6 + late, "filter added", node.lineno)
        yield scope.between(end, end, joint + b"not " + name, 2.9 + late, "filter added", node.lineno)
        for other in names:
            if other != name:
                for sign in (b" not in ", b" != ", b" in ", b" == ", b" > ", b" < "):
                    text = joint + name + sign + other
                    yield scope.between(end, end, text, 3.3 + late, "filter added", node.lineno)


def _concatenated(scope: Scope, node: ast.expr) -> Iterator[Edit]:
    parent = scope.parents.get(node)
    if isinstance(parent, ast.Attribute | ast.Expr) or not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
        return
    text = scope.atom(node)
    for number, name in enumerate(scope.atoms_at(node)):
        late, other = 0.03 * number, name.encode()
        for form, prior in (
            (text + b" + [" + other + b"]", 2.6),
            (b"[" + other + b"] + " + text, 2.6),
            (text + b" + " + other, 2.7),
            (other + b" + " + text, 2.7),
        ):
            wrapped = b"(" + form + b")" if isinstance(parent, ast.BinOp | ast.Subscript) else form
            yield scope.replace(node, wrapped, prior + late, "concatenated")
