"""Repairs of tables: an entry missing in a dict, a set or a list of texts, under a word the issue or a test uses."""

import ast
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from agent.adapters.models.embedded.scope import Edit, Scope

LEAST = 3  # entries from which a display is a table
WORDS = 10  # new words tried per table, those told first
WORD = re.compile(r"[A-Za-z_][\w-]*")
SHAPES = (re.compile(r"[A-Z][A-Z0-9_]*"), re.compile(r"[a-z][a-z0-9_-]*"), re.compile(r"[A-Z]\w*"), re.compile(r"\w+"))


def propose(scope: Scope) -> Iterator[Edit]:
    """Tables in the anchor: dicts by key, sets, lists and tuples by element."""
    told = list(dict.fromkeys(WORD.findall(scope.told)))
    for node in scope.nodes:
        if isinstance(node, ast.Dict) and len(node.keys) >= LEAST:
            yield from _keyed(scope, node, told)
        elif isinstance(node, ast.Set | ast.List | ast.Tuple) and len(node.elts) >= LEAST:
            yield from _listed(scope, node, told)


def _keyed(scope: Scope, node: ast.Dict, told: Sequence[str]) -> Iterator[Edit]:
    keys = {
        key.value: (key, value)
        for key, value in zip(node.keys, node.values, strict=True)
        if isinstance(key, ast.Constant) and isinstance(key.value, str)
    }
    values = Counter(scope.text(value) for value in node.values)
    usual = [text for text, _ in values.most_common(2)]
    for number, word in enumerate(_new(list(keys), told)):
        before = max((key for key in keys if key < word), default=max(keys))
        key, value = keys[before]
        own = scope.text(value)
        for place, text in enumerate(dict.fromkeys((own, *usual))):
            quoted = _quoted(scope.text(key), word)
            yield _behind(scope, key, value, quoted + b": " + text, _prior(word) + 0.03 * number + 0.1 * place)


def _listed(scope: Scope, node: ast.Set | ast.List | ast.Tuple, told: Sequence[str]) -> Iterator[Edit]:
    texts = {
        element.value: element
        for element in node.elts
        if isinstance(element, ast.Constant) and isinstance(element.value, str)
    }
    if len(texts) < len(node.elts):
        return
    for number, word in enumerate(_new(list(texts), told)):
        before = max((text for text in texts if text < word), default=max(texts))
        last = texts[before]
        yield _behind(scope, last, last, _quoted(scope.text(last), word), _prior(word) + 0.2 + 0.03 * number)


def _prior(word: str) -> float:
    """A told word that is no prose is a strong hint; large tables have too many other repairs to wait for."""
    return 2.7 if word.islower() and word.isalpha() else 1.2


def _new(known: Sequence[str], told: Sequence[str]) -> list[str]:
    """Told words of the shape all known ones have, which are not known."""
    shape = next((shape for shape in SHAPES if all(shape.fullmatch(word) for word in known)), None)
    if not known or shape is None:
        return []
    return [word for word in told if shape.fullmatch(word) and word not in known][:WORDS]


def _behind(scope: Scope, first: ast.expr, last: ast.expr, entry: bytes, prior: float) -> Edit:
    """An entry put behind another one, on a line of its own where that one has one."""
    begin, (_, end) = scope.span(first)[0], scope.span(last)
    line = scope.source[scope.line_start(first.lineno) : begin]
    own = not line.strip()
    gap = (b"\r\n" if b"\r\n" in scope.source else b"\n") + line if own else b" "
    return scope.between(end, end, b"," + gap + entry, prior, "entry added", first.lineno)


def _quoted(like: bytes, word: str) -> bytes:
    quote = b"'" if like.endswith(b"'") else b'"'
    return quote + word.encode() + quote
