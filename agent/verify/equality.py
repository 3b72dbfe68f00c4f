"""Comparisons that do not look at what they are compared with: an object that equals everything passes any test. No IO.

Must not judge what a comparison should say, only whether the other side takes part in it at all.
"""

import ast

COMPARING = frozenset({"__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__contains__"})
PUT_TOGETHER = frozenset({"__eq__", "__ne__"})
"""Made without a `def` (assigned, in a dictionary, as a keyword) nobody can see what they compare."""

KINDS = frozenset({"__instancecheck__", "__subclasscheck__"})
"""What `isinstance` asks a class of classes."""

_LOOKS_AT_KIND = frozenset({"isinstance", "issubclass", "type", "hasattr", "callable", "id", "print", "repr", "str"})


def ignores_other(function: ast.FunctionDef) -> bool:
    """True for a comparison whose second argument is used for nothing, or for its kind alone."""
    names = [one.arg for one in (*function.args.posonlyargs, *function.args.args)]
    if function.name in KINDS:
        return _always(function, "True")
    if function.name not in COMPARING or _only_refuses(function):
        return False
    if len(names) < 2:
        return True
    only_kind = {
        id(argument)
        for node in ast.walk(function)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _LOOKS_AT_KIND
        for argument in node.args
    }
    # `type(other) is type(self)` compares kinds, which is no comparison of values either
    return not any(
        isinstance(node, ast.Name)
        and node.id == names[1]
        and isinstance(node.ctx, ast.Load)
        and id(node) not in only_kind
        for node in ast.walk(function)
    )


def _only_refuses(function: ast.FunctionDef) -> bool:
    """A comparison that raises, or says NotImplemented or False, can make nothing pass that should not."""
    return _always(function, *{"__ne__": ("NotImplemented", "True")}.get(function.name, ("NotImplemented", "False")))


def _always(function: ast.FunctionDef, *words: str) -> bool:
    """Whatever it returns is one of these words."""
    returns = [node for node in ast.walk(function) if isinstance(node, ast.Return)]
    return all(one.value is not None and ast.unparse(one.value) in words for one in returns)
