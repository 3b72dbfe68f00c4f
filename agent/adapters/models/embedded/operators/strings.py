"""Repairs of text: separators, other texts of the file, case, blanks, numbers inside formats."""

import ast
import re
from collections.abc import Iterator

from agent.adapters.models.embedded.scope import Edit, Scope

SEPARATORS = ("", " ", ",", ", ", "-", "_", "\\n", ":", ": ", ".", "/", ";", "|", "\\t", "=")
OTHERS = 16  # distinct other texts of the file offered per text
DIGITS = re.compile(rb"(?<=[.:0-9<>^%{])\d+(?=[a-zA-Z,%}])|(?<=\.)\d+(?=[fdeg])")


def propose(scope: Scope) -> Iterator[Edit]:
    """Plain texts, then numbers in format specifications."""
    others = _texts(scope)
    for node in scope.all(ast.Constant):
        if isinstance(node.value, str) and not _documents(scope, node):
            yield from _text(scope, node, node.value, others)
            yield from _formats(scope, node)
    for joined in scope.all(ast.JoinedStr):
        yield from _formats(scope, joined)
        yield from _inserted(scope, joined)


def _documents(scope: Scope, node: ast.Constant) -> bool:
    return isinstance(scope.parents.get(node), ast.Expr)


def _text(scope: Scope, node: ast.Constant, value: str, others: list[bytes]) -> Iterator[Edit]:
    literal = scope.text(node)
    quote = literal[-1:]
    if literal[:1] != quote or literal[:3] == quote * 3 or len(literal) > 200:
        return
    inner = literal[1:-1]
    forms: list[tuple[bytes, float]] = [
        (inner.lower(), 2.2),
        (inner.upper(), 2.3),
        (inner.capitalize(), 2.4),
        (inner.strip(), 2.2),
        (inner + b" ", 2.4),
        (b" " + inner, 2.4),
        (b"", 2.6),
        (inner[:-1], 2.8) if not inner.endswith(b"\\") and b"\\" not in inner else (b"", 2.8),
        (inner[1:], 2.8) if not inner.startswith(b"\\") else (b"", 2.8),
        (inner + inner, 3.2),
    ]
    if len(value) <= 2:
        forms += [(separator.encode(), 2.4) for separator in SEPARATORS]
    for form, prior in forms:
        if form != inner:
            yield scope.replace(node, quote + form + quote, prior, "text")
    for other in others:
        if other != literal:
            yield scope.replace(node, other, 2.3, "text of the file")


def _formats(scope: Scope, node: ast.AST) -> Iterator[Edit]:
    begin, end = scope.span(node)
    if end - begin > 400:
        return
    for found in DIGITS.finditer(scope.source, begin, end):
        value = int(found.group()[:9])
        for new in dict.fromkeys((value + 1, max(0, value - 1), 0, 1, 2, 3)):
            if new != value:
                line = scope.source.count(b"\n", 0, found.start()) + 1
                yield scope.between(found.start(), found.end(), str(new).encode(), 2.3, "format", line)


def _inserted(scope: Scope, node: ast.AST) -> Iterator[Edit]:
    """Plain names in an f-string, found by their braces because 3.11 misplaces what lies inside."""
    begin, end = scope.span(node)
    names = scope.atoms_at(node)
    line = node.lineno  # type: ignore[attr-defined]  # every expression has one
    for found in re.finditer(rb"(?<!\{)\{([A-Za-z_][\w.]*)(?=[}!:])", scope.source[begin:end]):
        for name in names:
            if name.encode() != found.group(1):
                place = begin + found.start(1)
                yield scope.between(place, begin + found.end(1), name.encode(), 2.0, "variable in text", line)


def _texts(scope: Scope) -> list[bytes]:
    found: dict[bytes, None] = {}
    for node in ast.walk(scope.tree) if scope.tree is not None else ():
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) <= 40:
            if any(isinstance(up, ast.JoinedStr) for up in scope.up(node)) or _documents(scope, node):
                continue
            text = scope.text(node)
            if b"\n" not in text:
                found[text] = None
    return list(found)[:OTHERS]
