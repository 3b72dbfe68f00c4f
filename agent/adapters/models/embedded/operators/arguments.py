"""Repairs of what a call is told: keywords passed on, types added to a check, keys to sort by."""

import ast
from collections.abc import Iterator

from agent.adapters.models.embedded.scope import FUNCTIONS, Edit, Scope

TYPES = ("str", "bytes", "int", "float", "list", "tuple", "dict", "set", "bool", "type(None)")
MOST = 12  # keywords tried per call


def propose(scope: Scope) -> Iterator[Edit]:
    """Calls of the anchor."""
    signatures = _signatures(scope)
    for node in scope.all(ast.Call):
        close = scope.span(node)[1] - 1
        if scope.source[close : close + 1] != b")" or any(isinstance(arg, ast.GeneratorExp) for arg in node.args):
            continue
        yield from _passed_on(scope, node, close, signatures)
        yield from _checked(scope, node)
        yield from _sorted(scope, node, close)


def _passed_on(scope: Scope, node: ast.Call, close: int, signatures: dict[str, list[str]]) -> Iterator[Edit]:
    """`name=name` for values at hand: first those the called function of the file has a parameter for."""
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    given = {keyword.arg for keyword in node.keywords}
    parameters = signatures.get(name, [])
    at_hand = scope.atoms_at(node)
    comma = _comma(scope, node, close)
    known = [(one, 2.3) for one in at_hand if one.rpartition(".")[2] in parameters]
    if not parameters:
        known = [(one, 3.1) for one in at_hand]
    for number, (one, prior) in enumerate(known[:MOST]):
        word = one.rpartition(".")[2].lstrip("_")
        if word and word not in given:
            text = comma + f"{word}={one}".encode()
            yield scope.between(close, close, text, prior + 0.04 * number, "keyword passed on", node.lineno)
    for parameter in parameters:
        if parameter not in given:
            for value in ("True", "False", "None"):
                text = comma + f"{parameter}={value}".encode()
                yield scope.between(close, close, text, 3.0, "keyword passed on", node.lineno)


def _comma(scope: Scope, node: ast.Call, close: int) -> bytes:
    inner = scope.source[scope.span(node.func)[1] : close].rstrip()
    return b"" if inner.endswith((b"(", b",")) else b", "


def _checked(scope: Scope, node: ast.Call) -> Iterator[Edit]:
    """`isinstance(x, A)` as `isinstance(x, (A, B))`."""
    if not isinstance(node.func, ast.Name) or node.func.id not in ("isinstance", "issubclass") or len(node.args) != 2:
        return
    kinds = node.args[1]
    known = [scope.text(one) for one in (kinds.elts if isinstance(kinds, ast.Tuple) else [kinds])]
    for number, name in enumerate(dict.fromkeys([*_types(scope), *TYPES])):
        text = name.encode()
        if text not in known:
            prior = 2.6 + 0.04 * number
            yield scope.replace(kinds, b"(" + b", ".join([*known, text]) + b")", prior, "type added")
            if not isinstance(kinds, ast.Tuple):
                yield scope.replace(kinds, text, prior + 0.3, "another type")


def _types(scope: Scope) -> list[str]:
    """Classes of the file and those it checks for."""
    found: dict[str, None] = {}
    for node in ast.walk(scope.tree) if scope.tree is not None else ():
        if isinstance(node, ast.ClassDef):
            found[node.name] = None
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "isinstance" and len(node.args) == 2:
            kinds = node.args[1]
            for one in kinds.elts if isinstance(kinds, ast.Tuple) else [kinds]:
                found[scope.text(one).decode()] = None
    return list(found)[:MOST]


def _sorted(scope: Scope, node: ast.Call, close: int) -> Iterator[Edit]:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if name in ("sorted", "sort", "min", "max") and "key" not in {keyword.arg for keyword in node.keywords}:
        for key in (b"len", b"str", b"str.lower", b"repr", b"abs", b"lambda one: one[0]", b"lambda one: one[1]"):
            text = _comma(scope, node, close) + b"key=" + key
            yield scope.between(close, close, text, 2.9, "key added", node.lineno)


def _signatures(scope: Scope) -> dict[str, list[str]]:
    """Parameters of the file's functions by name; those of a class are its constructor's."""
    found: dict[str, list[str]] = {}
    for node in ast.walk(scope.tree) if scope.tree is not None else ():
        if isinstance(node, FUNCTIONS):
            parameters = [arg.arg for arg in (*node.args.args, *node.args.kwonlyargs) if arg.arg not in ("self", "cls")]
            owner = scope.parents.get(node)
            name = owner.name if node.name == "__init__" and isinstance(owner, ast.ClassDef) else node.name
            found.setdefault(name, []).extend(parameters)
    return found
