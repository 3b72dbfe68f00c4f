"""Repairs of text: separators, other texts of the file, case, blanks, numbers inside formats."""

import ast
import re
from collections.abc import Iterator

from agent.adapters.models.embedded.scope import Edit, Scope

SEPARATORS = ("", " ", ",", ", ", "-", "_", "\\n", ":", ": ", ".", "/", ";", "|", "\\t", "=")
OTHERS = 16  # distinct other texts of the file offered per text
CHARACTER = re.compile(rb"\\(?:x[0-9a-fA-F]{2}|[0-7]{1,3}|u[0-9a-fA-F]{4}|.)|[^\\]")
QUANTIFIER = re.compile(rb"[*+?]\??|\{\d+(?:,\d*)?\}")
ATOM = re.compile(rb"\\.|\]|\)")
DIGITS = re.compile(rb"(?<=[.:0-9<>^%{])\d+(?=[a-zA-Z,%}])|(?<=\.)\d+(?=[fdeg])")


def propose(scope: Scope) -> Iterator[Edit]:
    """Plain texts, then numbers in format specifications."""
    others = _texts(scope)
    for node in scope.all(ast.Constant):
        if isinstance(node.value, str) and not _documents(scope, node):
            yield from _text(scope, node, node.value, others)
            yield from _formats(scope, node)
            yield from _characters(scope, node)
            yield from _patterns(scope, node)
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


def _characters(scope: Scope, node: ast.Constant) -> Iterator[Edit]:
    """One character less in a text that stands for a set of them: `in "..."`, `strip("...")`."""
    parent = scope.parents.get(node)
    if not isinstance(parent, ast.Compare | ast.Call) or not 2 <= len(str(node.value)) <= 16:
        return
    literal = scope.text(node)
    body = re.match(rb"[a-zA-Z]*(?=['\"])", literal)
    if body is None or literal[body.end() : body.end() + 3] in (b'"""', b"'''"):
        return
    for found in CHARACTER.finditer(literal, body.end() + 1, len(literal) - 1):
        text = literal[: found.start()] + literal[found.end() :]
        yield scope.replace(node, text, 2.7, "character dropped")


def _patterns(scope: Scope, node: ast.Constant) -> Iterator[Edit]:
    """A regular expression that takes more or less: quantifiers, word ends, what must not follow."""
    literal = scope.text(node)
    if literal[:1] not in b"rR" or b"\n" in literal or len(literal) > 300:
        return
    begin, line = scope.span(node)[0], node.lineno
    for found in QUANTIFIER.finditer(literal):
        if literal[found.start() - 1 : found.start()] in b"\\([":
            continue
        for text in (b"*", b"+", b"?", b"*?", b"+?", b"{2,}", b""):
            if text != found.group():
                yield scope.between(begin + found.start(), begin + found.end(), text, 2.6, "pattern", line)
    inner = literal.index(literal[-1:]) + 1
    places = [inner, len(literal) - 1, *(found.end() for found in ATOM.finditer(literal, inner, len(literal) - 1))]
    for place in dict.fromkeys(places):
        for text in (rb"\b", rb"(?!\d)", rb"(?!\w)", rb"\s*", b"^", b"$", b"?"):
            if place > inner or text not in (b"?", b"$"):
                yield scope.between(begin + place, begin + place, text, 2.9, "pattern", line)


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


def _inserted(scope: Scope, node: ast.JoinedStr) -> Iterator[Edit]:
    """Plain names in an f-string, found by their braces because 3.11 misplaces what lies inside."""
    begin, end = scope.span(node)
    names = scope.atoms_at(node)
    line = node.lineno
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
