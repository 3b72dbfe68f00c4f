"""Which fields each kind of trace line is written with, read out of the agent's source; runs nothing of it."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

AGENT = Path(__file__).parents[2] / "agent"
_WRITERS = frozenset({"trace", "emit"})


@cache
def written_fields() -> dict[str, set[str]]:
    """Kind -> every field any place in `agent/` writes it with; a kind is told by its name or by a constant's."""
    found: dict[str, set[str]] = {}
    for path in sorted(AGENT.rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        tree = ast.parse(source if any(f".{word}(" in source for word in _WRITERS) else "")
        for call in ast.walk(tree):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in _WRITERS:
                kind = _text(call.args[0], tree) if call.args else None
                if kind is not None:
                    found.setdefault(kind, set()).update(_fields(call, tree))
    return found


def _fields(call: ast.Call, tree: ast.Module) -> Iterator[str]:
    for word in call.keywords:
        if word.arg is not None:
            yield word.arg
        else:
            yield from _keys(word.value, tree)
    for given in call.args[1:]:
        yield from _keys(given, tree)


def _text(node: ast.expr, tree: ast.Module) -> str | None:
    """A literal, or the constant of the module that holds one."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    for one in tree.body:
        named = isinstance(one, ast.Assign) and any(ast.unparse(target) == ast.unparse(node) for target in one.targets)
        if named and isinstance(one, ast.Assign) and isinstance(one.value, ast.Constant):
            return str(one.value.value)
    return None


def _keys(node: ast.expr, tree: ast.Module) -> Iterator[str]:
    """Keys of a dictionary: written out, assigned to that name, or returned by that function or method."""
    if isinstance(node, ast.Dict):
        yield from (key.value for key in node.keys if isinstance(key, ast.Constant) and isinstance(key.value, str))
    elif isinstance(node, ast.Name):
        for one in ast.walk(tree):
            if isinstance(one, ast.Assign) and any(isinstance(t, ast.Name) and t.id == node.id for t in one.targets):
                yield from _keys(one.value, tree) if isinstance(one.value, ast.Dict) else ()
    elif isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)
        yield from _returned(name, tree if isinstance(node.func, ast.Name) else _everything())


def _returned(name: str, tree: ast.Module) -> Iterator[str]:
    for one in ast.walk(tree):
        if isinstance(one, ast.FunctionDef) and one.name == name:
            for inner in ast.walk(one):
                if isinstance(inner, ast.Return) and isinstance(inner.value, ast.Dict):
                    yield from _keys(inner.value, tree)


def _everything() -> ast.Module:
    """Where a method called on some object may be defined: the packer's values, whose record goes into the trace."""
    return ast.parse((AGENT / "prompts" / "material.py").read_text(encoding="utf-8"))
