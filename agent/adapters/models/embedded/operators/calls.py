"""Repairs of calls: arguments swapped, dropped or added, sibling methods and functions, wrapped and unwrapped."""

import ast
from collections.abc import Iterator
from itertools import combinations

from agent.adapters.models.embedded.scope import Edit, Scope

SIBLINGS: tuple[tuple[str, ...], ...] = (
    ("append", "extend", "appendleft", "add", "insert"),
    ("pop", "popleft", "popitem"),
    ("add", "update", "discard", "remove"),
    ("startswith", "endswith"),
    ("strip", "lstrip", "rstrip", "removeprefix", "removesuffix"),
    ("split", "rsplit", "splitlines", "partition", "rpartition"),
    ("find", "rfind", "index", "rindex", "count"),
    ("upper", "lower", "title", "capitalize", "casefold", "swapcase"),
    ("isdigit", "isalpha", "isalnum", "isnumeric", "isspace", "isdecimal"),
    ("isupper", "islower", "istitle"),
    ("keys", "values", "items"),
    ("union", "intersection", "difference", "symmetric_difference"),
    ("issubset", "issuperset", "isdisjoint"),
    ("ljust", "rjust", "center", "zfill"),
    ("match", "search", "fullmatch", "findall"),
    ("group", "groups", "start", "end"),
    ("floor", "ceil", "trunc"),
    ("permutations", "combinations", "combinations_with_replacement", "product"),
    ("heappush", "heappop", "heapify"),
    ("bisect_left", "bisect_right", "bisect"),
    ("mean", "median", "mode"),
    ("most_common", "elements"),
    ("loads", "load", "dumps", "dump"),
    ("encode", "decode"),
)
FUNCTIONS: tuple[tuple[str, ...], ...] = (
    ("min", "max"),
    ("any", "all"),
    ("list", "set", "tuple", "sorted", "reversed"),
    ("int", "float", "round", "bool", "abs"),
    ("str", "repr"),
    ("sum", "len", "max", "min"),
    ("floor", "ceil"),
    ("chr", "ord"),
    ("filter", "map"),
    ("enumerate", "range", "reversed"),
    ("isinstance", "issubclass"),
)
WRAPPERS = (
    b"list",
    b"sorted",
    b"len",
    b"abs",
    b"int",
    b"set",
    b"str",
    b"reversed",
    b"tuple",
    b"float",
    b"sum",
    b"bool",
)
METHODS = (
    b"encode()",
    b"decode()",
    b"expandtabs()",
    b'replace("\\t", " ")',
    b"strip()",
    b"lower()",
    b"copy()",
    b"items()",
    b"values()",
    b"keys()",
    b"upper()",
    b"split()",
    b"rstrip()",
)


def propose(scope: Scope) -> Iterator[Edit]:
    """Calls of the anchor, then plain values that a call around them would change."""
    for node in scope.all(ast.Call):
        yield from _siblings(scope, node)
        yield from _arguments(scope, node)
        yield from _unwrapped(scope, node)
        yield from _known(scope, node)
    for value in scope.expressions:
        yield from _wrapped(scope, value)
    yield from _iterated(scope)
    for assigned in scope.all(ast.Assign):
        yield from _bounded(scope, assigned)


def _siblings(scope: Scope, node: ast.Call) -> Iterator[Edit]:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    end = scope.span(node.func)[1]
    if not name or scope.source[end - len(name.encode()) : end] != name.encode():
        return
    offered = {name}
    for group in (*SIBLINGS, *(FUNCTIONS if isinstance(node.func, ast.Name) else ())):
        if name not in group:
            continue
        for other in group:
            if other not in offered:
                offered.add(other)
                text = other.encode()
                yield scope.between(end - len(name.encode()), end, text, 1.7, "sibling function", node.lineno)


def _arguments(scope: Scope, node: ast.Call) -> Iterator[Edit]:
    parts: list[ast.expr] = [*node.args, *(keyword.value for keyword in node.keywords)]
    for first, second in combinations(parts, 2):
        if isinstance(first, ast.Starred) or isinstance(second, ast.Starred):
            continue
        begin, end = scope.span(first)[0], scope.span(second)[1]
        middle = scope.source[scope.span(first)[1] : scope.span(second)[0]]
        if scope.text(first) != scope.text(second):
            text = scope.text(second) + middle + scope.text(first)
            yield scope.between(begin, end, text, 1.5, "arguments swapped", node.lineno)
    spans = sorted([scope.span(part) for part in (*node.args, *node.keywords)])
    for number, (begin, end) in enumerate(spans):
        if number:
            begin = spans[number - 1][1]
        elif len(spans) > 1:
            end = spans[1][0]
        yield scope.between(begin, end, b"", 2.6, "argument dropped", node.lineno)
    yield from _added(scope, node)


def _added(scope: Scope, node: ast.Call) -> Iterator[Edit]:
    close = scope.span(node)[1] - 1
    if scope.source[close : close + 1] != b")" or any(isinstance(arg, ast.GeneratorExp) for arg in node.args):
        return
    comma = b", " if node.args or node.keywords else b""
    names: list[str] = [*scope.atoms_at(node), "0", "1"]
    for number, name in enumerate(names[:14]):
        text = comma + name.encode()
        prior = (3.0 if node.args else 3.2) + 0.05 * number
        if not node.keywords:
            yield scope.between(close, close, text, prior, "argument added", node.lineno)


def _unwrapped(scope: Scope, node: ast.Call) -> Iterator[Edit]:
    if isinstance(node.func, ast.Attribute):
        yield scope.replace(node, scope.text(node.func.value), 2.4, "call taken off")
    yield scope.replace(node, scope.text(node.func), 2.9, "call taken off")
    for arg in node.args:
        if not isinstance(arg, ast.Starred | ast.GeneratorExp):
            yield scope.replace(node, scope.atom(arg), 2.4, "call taken off")
    for number, name in enumerate(scope.atoms_at(node)):
        yield scope.replace(node, name.encode(), 2.7 + 0.03 * number, "call to variable")


def _known(scope: Scope, node: ast.Call) -> Iterator[Edit]:
    """Calls whose usual mistakes are known by name."""
    close = scope.span(node)[1] - 1
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    arguments = [scope.text(arg) for arg in node.args]
    if name == "range" and not node.keywords:
        yield from _ranges(scope, node, arguments)
    elif name == "get" and len(node.args) == 1:
        for text in (b", 0", b", []", b', ""', b", {}", b", False", b", 1"):
            yield scope.between(close, close, text, 2.3, "default added", node.lineno)
    elif name in ("sorted", "sort", "max", "min"):
        if name in ("sorted", "sort") and "reverse" not in [keyword.arg for keyword in node.keywords]:
            comma = b", " if node.args or node.keywords else b""
            yield scope.between(close, close, comma + b"reverse=True", 2.1, "order reversed", node.lineno)
        if name in ("max", "min") and len(node.args) == 1 and not node.keywords:
            yield scope.between(close, close, b", default=0", 2.4, "default added", node.lineno)
    elif name == "pop" and not node.args:
        yield scope.between(close, close, b"0", 1.8, "first for last", node.lineno)
    elif name == "sum" and len(node.args) == 1:
        yield scope.between(close, close, b", 1", 2.9, "start added", node.lineno)


def _ranges(scope: Scope, node: ast.Call, arguments: list[bytes]) -> Iterator[Edit]:
    if len(arguments) == 1:
        stop = arguments[0]
        for text, prior in (
            (b"1, " + stop, 1.9),
            (b"1, " + stop + b" + 1", 2.0),
            (stop + b" - 1, -1, -1", 2.2),
            (b"2, " + stop, 2.4),
        ):
            yield _inside(scope, node, text, prior)
    elif len(arguments) == 2:
        start, stop = arguments
        yield _inside(scope, node, stop, 2.2)
        yield _inside(scope, node, start + b", " + stop + b", -1", 2.3)
        yield _inside(scope, node, start + b", " + stop + b", 2", 2.7)
        yield _inside(scope, node, stop + b" - 1, " + start + b" - 1, -1", 2.4)
    elif len(arguments) == 3:
        yield _inside(scope, node, b", ".join(arguments[:2]), 2.3)
        yield _inside(scope, node, b", ".join((*arguments[:2], b"-(" + arguments[2] + b")")), 2.3)


def _inside(scope: Scope, node: ast.Call, text: bytes, prior: float) -> Edit:
    begin, end = scope.span(node.args[0])[0], scope.span(node.args[-1])[1]
    return scope.between(begin, end, text, prior, "range", node.lineno)


def _wrapped(scope: Scope, node: ast.expr) -> Iterator[Edit]:
    parent = scope.parents.get(node)
    if isinstance(node, ast.Constant | ast.Lambda | ast.Starred | ast.Slice | ast.Compare | ast.BoolOp | ast.JoinedStr):
        return
    if isinstance(parent, ast.Attribute | ast.Expr) or (isinstance(parent, ast.Call) and parent.func is node):
        return
    text = scope.text(node)
    if not isinstance(node, ast.GeneratorExp):
        for wrapper in WRAPPERS:
            if not text.startswith(wrapper + b"("):
                yield scope.replace(node, wrapper + b"(" + text + b")", 2.8, "call put around")
    if isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.Subscript):
        for method in METHODS:
            yield scope.replace(node, text + b"." + method, 2.8, "method added")


def _iterated(scope: Scope) -> Iterator[Edit]:
    """What a loop with two targets runs over: numbered, or as pairs."""
    loops = [(node.target, node.iter) for node in scope.all(ast.For)]
    for node in scope.expressions:
        loops += [(one.target, one.iter) for one in getattr(node, "generators", ())]
    for target, source in loops:
        text = scope.text(source)
        if isinstance(target, ast.Tuple) and not text.startswith(b"enumerate("):
            yield scope.replace(source, b"enumerate(" + text + b")", 2.2, "call put around")
            yield scope.replace(source, scope.atom(source) + b".items()", 2.2, "method added")


def _bounded(scope: Scope, node: ast.Assign) -> Iterator[Edit]:
    """`x = e` as `x = max(x, e)`, and the same with min and with other variables."""
    if len(node.targets) != 1 or not isinstance(node.targets[0], ast.Name | ast.Attribute | ast.Subscript):
        return
    value = scope.text(node.value)
    own = scope.text(node.targets[0])
    others = [own, *(name.encode() for name in scope.atoms_at(node)), b"0", b"1"]
    for number, other in enumerate(dict.fromkeys(others)):
        for name in (b"max", b"min"):
            prior = 2.3 + (0.5 if number else 0.0) + 0.02 * number
            yield scope.replace(node.value, name + b"(" + other + b", " + value + b")", prior, "bounded")
