"""What is taken out of a test's hands without touching it: what it calls, what it raises, where it runs. No IO.

Must not judge what is put in the place of something, or why it is caught or asked: a person has to look at it.
"""

import ast
import sys
from collections.abc import Mapping

_EVERYDAY = frozenset({"sys.path"})
"""What scripts put something else in place of without exchanging anything a test calls."""


def set_in(node: ast.AST, aliases: Mapping[str, str], own: frozenset[str] | None) -> str:
    """`an assignment to math.isclose` for `math.isclose = …` and `setattr(math, "isclose", …)`; empty for all else.

    `aliases`: local name to what it was imported as; `own`: names the tree itself holds, None when nobody knows them.
    """
    match node:
        case ast.Attribute(value=value, attr=name, ctx=ast.Store() | ast.Del()):
            target = _dotted(value, aliases)
        case ast.Call(func=ast.Name(id="setattr" | "delattr"), args=[value, key, *_]):
            name = key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else "…"
            target = _dotted(value, aliases)
        case _:
            return ""
    if not target or f"{target}.{name}" in _EVERYDAY or not _foreign(target.split(".")[0], own):
        return ""
    return f"an assignment to {target}.{name}"


def swallowed(node: ast.AST, lines: frozenset[int]) -> str:
    """An assertion's failure that is caught: tests whose asserts stand in a function they hand over pass by it.

    `lines`: those that were added; a handler counts by its head.
    """
    match node:
        case ast.ExceptHandler(type=ast.expr() as caught):
            pass
        case ast.Call(func=ast.Name(id="suppress") | ast.Attribute(attr="suppress")):
            caught = node
        case _:
            return ""
    names = {one.id for one in ast.walk(caught) if isinstance(one, ast.Name)}
    return "a caught AssertionError" if "AssertionError" in names and caught.lineno in lines else ""


def asked_who_runs(node: ast.AST) -> str:
    """`CI` looked up in the environment: a program that behaves otherwise where it is judged passes any test there."""
    match node:
        case ast.Subscript(value=place, slice=ast.Constant(value="CI")):
            pass
        case ast.Call(func=ast.Attribute(attr="get" | "pop", value=place), args=[ast.Constant(value="CI"), *_]):
            pass
        case ast.Compare(left=ast.Constant(value="CI"), comparators=[place]):
            pass
        case ast.Call(func=place, args=[ast.Constant(value="CI"), *_]):
            return "CI" if _last_name(place) == "getenv" else ""
        case _:
            return ""
    return "CI" if _last_name(place) in ("environ", "environb") else ""


def _last_name(value: ast.expr) -> str:
    return value.attr if isinstance(value, ast.Attribute) else getattr(value, "id", "")


def _foreign(module: str, own: frozenset[str] | None) -> bool:
    return module in sys.stdlib_module_names or (own is not None and module not in own)


def _dotted(value: ast.expr, aliases: Mapping[str, str]) -> str:
    """What an expression of names and dots was imported as; empty when its first name was not imported."""
    inner: list[str] = []
    while isinstance(value, ast.Attribute):
        inner.append(value.attr)
        value = value.value
    known = aliases.get(value.id, "") if isinstance(value, ast.Name) else ""
    return ".".join([known, *reversed(inner)]) if known else ""
