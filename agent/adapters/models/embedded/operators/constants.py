"""Repairs of constants: numbers near, other numbers of the file, flags, None, constants that should be variables."""

import ast
from collections.abc import Iterator

from agent.adapters.models.embedded.scope import Edit, Scope

OTHERS = 12  # distinct other numbers of the file offered per number


def propose(scope: Scope) -> Iterator[Edit]:
    """Every constant that is no text."""
    numbers = _numbers(scope)
    for node in scope.all(ast.Constant):
        value = node.value
        if isinstance(value, bool):
            yield scope.replace(node, b"False" if value else b"True", 1.5, "flag")
            yield scope.replace(node, b"None", 2.8, "flag")
        elif isinstance(value, int | float):
            yield from _number(scope, node, value, numbers)
        elif value is None:
            for text in (b"0", b"[]", b'""', b"False", b"True", b"{}", b"1"):
                yield scope.replace(node, text, 2.4, "none")
        else:
            continue
        yield from _variables(scope, node, 2.0 if isinstance(value, bool) else 2.2)


def _number(scope: Scope, node: ast.Constant, value: float, numbers: list[bytes]) -> Iterator[Edit]:
    offered = {repr(value)}
    step = 1.5 if isinstance(value, int) else 2.4
    near: list[tuple[float, float]] = [(value + 1, step), (value - 1, step), (0, 1.8), (1, 1.8), (2, 2.2), (-1, 2.0)]
    near += [(-value, 2.2), (value * 10, 2.5), (value * 2, 2.6), (value * 100, 2.7), (value * 1000, 2.9)]
    near += [(value // 2, 2.7) if isinstance(value, int) else (value / 2, 2.7)]
    if value and isinstance(value, int) and value % 10 == 0:
        near.append((value // 10, 2.5))
    if isinstance(value, float):
        near += [(value / 10, 2.5), (value / 100, 2.7)]
    for other, prior in near:
        text = _spelled(other)
        if text not in offered:
            offered.add(text)
            yield scope.replace(node, text.encode(), prior, "number")
    for found in numbers:
        if found.decode() not in offered:
            yield scope.replace(node, found, 2.6, "number of the file")
    if isinstance(value, int):
        yield scope.replace(node, b"None", 2.8, "number")
        yield scope.replace(node, b'float("inf")', 2.9, "number")


def _spelled(value: float) -> str:
    return repr(round(value, 12)) if isinstance(value, float) else repr(value)


def _variables(scope: Scope, node: ast.Constant, prior: float) -> Iterator[Edit]:
    for number, name in enumerate(scope.atoms_at(node)):
        yield scope.replace(node, name.encode(), prior + 0.03 * number, "constant to variable")
        if not isinstance(node.value, int | float) or isinstance(node.value, bool):
            yield scope.replace(node, f"not {name}".encode(), prior + 0.6 + 0.03 * number, "constant to variable")
        else:
            yield scope.replace(node, f"len({name})".encode(), prior + 0.6 + 0.03 * number, "constant to length")


def _numbers(scope: Scope) -> list[bytes]:
    found: dict[bytes, None] = {}
    for node in ast.walk(scope.tree) if scope.tree is not None else ():
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
            found[repr(node.value).encode()] = None
    return [text for text in found if text.lstrip(b"-")[:1].isdigit()][:OTHERS]
