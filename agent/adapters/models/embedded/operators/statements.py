"""Repairs of whole statements: deleted, swapped, copied, moved in or out of a block, jumps added or exchanged."""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agent.adapters.models.embedded.scope import FUNCTIONS, Edit, Scope

LOOPS = (ast.For, ast.While, ast.AsyncFor)
COPIES = 400  # copied statements with another variable, per anchor


@dataclass(frozen=True, slots=True)
class Row:
    """One statement that has its lines to itself: byte range of the lines, and what stands before its text."""

    node: ast.stmt
    begin: int
    end: int
    indent: bytes


def propose(scope: Scope) -> Iterator[Edit]:
    """Every block of the anchor, statement by statement."""
    for block, rows in zip(_blocks(scope), rows_of(scope), strict=True):
        for number, row in enumerate(rows):
            yield from _deleted(scope, row, len(block))
            yield from _jumps(scope, row)
            if number + 1 < len(rows):
                yield from _swapped(scope, row, rows[number + 1])
        yield from _moved(scope, rows)
        yield from _copied(scope, rows)
    yield from _exchanged(scope)
    yield from _assignments(scope)
    yield from _early(scope)


def rows_of(scope: Scope) -> Iterator[list[Row]]:
    """The statements of each block of the anchor that have their lines to themselves."""
    for block in _blocks(scope):
        yield [row for node in block if (row := _row(scope, node)) is not None]


def _blocks(scope: Scope) -> Iterator[Sequence[ast.stmt]]:
    inside = set(scope.nodes)
    for node in ast.walk(scope.tree) if scope.tree is not None else ():
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if isinstance(block, list) and isinstance(node, ast.mod | ast.stmt | ast.excepthandler):
                mine = [child for child in block if child in inside]
                if mine:
                    yield mine


def _row(scope: Scope, node: ast.stmt) -> Row | None:
    if isinstance(node, (*FUNCTIONS, ast.ClassDef, ast.Import, ast.ImportFrom)):
        return None
    begin, end = scope.span(node)
    start, stop = scope.line_start(node.lineno), scope.line_start((node.end_lineno or node.lineno) + 1)
    before, after = scope.source[start:begin], scope.source[end:stop].strip()
    if before.strip() or (after and not after.startswith(b"#")):
        return None
    return Row(node, start, stop, before)


def _edit(row: Row, begin: int, end: int, text: bytes, prior: float, family: str) -> Edit:
    return Edit(begin, end, text, prior, family, row.node.lineno)


def ending(scope: Scope) -> bytes:
    """The file's line ending."""
    return b"\r\n" if b"\r\n" in scope.source else b"\n"


def whole_lines(scope: Scope, row: Row) -> bytes:
    """The statement's lines, with a line ending even at the end of the file."""
    text = scope.source[row.begin : row.end]
    return text if text.endswith((b"\n", b"\r")) else text + ending(scope)


def _deleted(scope: Scope, row: Row, siblings: int) -> Iterator[Edit]:
    begin, end = scope.span(row.node)
    if siblings > 1:
        yield _edit(row, row.begin, row.end, b"", 3.0, "statement deleted")
    elif not isinstance(row.node, ast.Pass):
        yield _edit(row, begin, end, b"pass", 3.0, "statement deleted")


def _jumps(scope: Scope, row: Row) -> Iterator[Edit]:
    looping = any(isinstance(up, LOOPS) for up in _until_function(scope, row.node))
    end = ending(scope)
    words = [b"return"] if scope.function(row.node) is not None else []
    words += [b"break", b"continue"] if looping else []
    text = whole_lines(scope, row)
    for word in words:
        line = row.indent + word + end
        yield _edit(row, row.begin, row.begin, line, 3.4, "jump added")
        if not isinstance(row.node, ast.Return | ast.Break | ast.Continue | ast.Raise):
            yield _edit(row, row.begin, row.end, text + line, 3.0, "jump added")
    for name in scope.names_at(row.node)[:10]:
        for step in (b" += 1", b" -= 1"):
            line = row.indent + name.encode() + step + end
            yield _edit(row, row.begin, row.end, text + line, 3.3, "step added")


def _until_function(scope: Scope, node: ast.AST) -> Iterator[ast.AST]:
    for up in scope.up(node):
        if isinstance(up, FUNCTIONS):
            return
        yield up


def _swapped(scope: Scope, first: Row, second: Row) -> Iterator[Edit]:
    between = scope.source[first.end : second.begin]
    text = whole_lines(scope, second) + between + whole_lines(scope, first)
    yield _edit(first, first.begin, second.end, text, 2.8, "statements swapped")


def _moved(scope: Scope, rows: list[Row]) -> Iterator[Edit]:
    """The last statement of a block moves out of it; the one behind a block moves in; an inner one is shared."""
    for row, following in zip(rows, [*rows[1:], None], strict=False):
        body = getattr(row.node, "orelse", None) or getattr(row.node, "body", None)
        if not isinstance(body, list) or isinstance(row.node, ast.Try | ast.Match):
            continue
        inner = [found for child in body if (found := _row(scope, child)) is not None]
        if not inner or inner[-1].end != row.end:
            continue
        last = inner[-1]
        if len(body) > 1:
            text = _dented(whole_lines(scope, last), last.indent, row.indent)
            yield _edit(last, last.begin, last.end, text, 2.6, "moved out of block")
        if following is not None:
            gap = scope.source[row.end : following.begin]
            text = gap + _dented(whole_lines(scope, following), following.indent, last.indent)
            yield _edit(following, row.end, following.end, text, 2.7, "moved into block")
        first = inner[0]
        if len(body) > 1 and first.begin > row.begin and not getattr(row.node, "orelse", None):
            head = scope.source[row.begin : first.begin]
            text = _dented(whole_lines(scope, first), first.indent, row.indent) + head
            yield _edit(first, row.begin, first.end, text, 2.9, "moved before block")


def _dented(text: bytes, old: bytes, new: bytes) -> bytes:
    lines = text.splitlines(keepends=True)
    return b"".join(new + line[len(old) :] if line.startswith(old) else line for line in lines)


def _copied(scope: Scope, rows: list[Row]) -> Iterator[Edit]:
    """A simple statement once more behind another, as it is or with one variable exchanged."""
    simple = [row for row in _simple(scope) if row.end - row.begin < 200]
    count = 0
    for target in rows:
        places = [(target.end, whole_lines(scope, target))]
        for row in simple:
            if row.node is target.node or count > COPIES:
                continue
            plain = _dented(whole_lines(scope, row), row.indent, target.indent)
            for number, text in enumerate((plain, *_substituted(scope, row, plain))):
                count += 1
                prior = 3.1 if number == 0 else 3.3
                for _, before in places:
                    yield _edit(target, target.begin, target.end, before + text, prior, "statement copied")
                yield _edit(target, target.begin, target.begin, text, prior + 0.1, "statement copied")


def _simple(scope: Scope) -> Iterator[Row]:
    for node in scope.all(ast.Assign, ast.AugAssign, ast.Expr):
        if (row := _row(scope, node)) is not None:
            yield row


def _substituted(scope: Scope, row: Row, plain: bytes) -> Iterator[bytes]:
    used = dict.fromkeys(node.id for node in ast.walk(row.node) if isinstance(node, ast.Name))
    for old in used:
        for new in scope.names_at(row.node):
            if new not in used:
                yield re.sub(rb"\b%s\b" % re.escape(old.encode()), new.encode(), plain)


def _exchanged(scope: Scope) -> Iterator[Edit]:
    """Jumps for one another, while for if, elif for if."""
    for node in scope.all(ast.Break, ast.Continue, ast.Pass):
        for word in (b"break", b"continue", b"pass", b"return"):
            if scope.text(node) != word:
                yield scope.replace(node, word, 2.0, "jump exchanged")
    for node in scope.all(ast.If, ast.While):
        begin, _ = scope.span(node)
        word = b"while" if isinstance(node, ast.If) else b"if"
        old = b"if" if isinstance(node, ast.If) else b"while"
        line = node.lineno
        if scope.source.startswith(old + b" ", begin):
            yield scope.between(begin, begin + len(old), word, 2.8, "loop for branch", line)
            if old == b"if":
                yield scope.between(begin, begin + 2, b"elif", 2.4, "elif for if", line)
        elif scope.source.startswith(b"elif ", begin):
            yield scope.between(begin, begin + 4, b"if", 2.3, "if for elif", line)


def _assignments(scope: Scope) -> Iterator[Edit]:
    for node in scope.all(ast.Assign):
        begin, end = scope.span(node.targets[-1])[1], scope.span(node.value)[0]
        place = scope.source.find(b"=", begin, end)
        if len(node.targets) == 1 and place >= 0 and not isinstance(node.targets[0], ast.Tuple):
            for sign, prior in ((b"+=", 2.1), (b"-=", 2.5), (b"*=", 2.7)):
                yield scope.between(place, place + 1, sign, prior, "added instead of assigned", node.lineno)
            kept = scope.text(node.targets[0]) + b" or "
            yield scope.between(end, end, kept, 3.2, "kept when set", node.lineno)


def _early(scope: Scope) -> Iterator[Edit]:
    """A first line that answers or refuses the empty or base case, and a way out with what was just computed."""
    for function in scope.all(ast.stmt):
        if not isinstance(function, FUNCTIONS):
            continue
        body = function.body[ast.get_docstring(function, clean=False) is not None :]  # a docstring stays the first
        rows = [row for node in body if (row := _row(scope, node)) is not None]
        if rows:
            yield from _answered(scope, rows[0])
            yield from _refused(scope, rows[0])
        for row in rows[:-1]:
            yield from _computed(scope, row)


def _guard(scope: Scope, row: Row, test: str, then: str) -> bytes:
    end = ending(scope)
    return row.indent + f"if {test}:".encode() + end + row.indent + f"    {then}".encode() + end


def _answered(scope: Scope, row: Row) -> Iterator[Edit]:
    for name in scope.names_at(row.node)[:5]:
        for test in (f"not {name}", f"{name} is None", f"{name} == 1", f"{name} < 0", f"len({name}) == 1"):
            for value in ("", " []", " 0", " None", " False", " True", f" {name}", " 1", ' ""', " {}"):
                text = _guard(scope, row, test, f"return{value}")
                yield _edit(row, row.begin, row.begin, text, 3.3, "early return")


def _refused(scope: Scope, row: Row) -> Iterator[Edit]:
    for name in scope.names_at(row.node)[:5]:
        for test, kind, why in (
            (f"{name} < 0", "ValueError", "must not be negative"),
            (f"{name} <= 0", "ValueError", "must be positive"),
            (f"not {name}", "ValueError", "must not be empty"),
            (f"{name} is None", "TypeError", "must not be None"),
        ):
            text = _guard(scope, row, test, f"raise {kind}({f'{name} {why}'!r})".replace("'", '"'))
            yield _edit(row, row.begin, row.begin, text, 3.3, "early refusal")


def _computed(scope: Scope, row: Row) -> Iterator[Edit]:
    """After `x = ...`: return x already when an argument is missing, the check most often forgotten."""
    match row.node:
        case ast.Assign(targets=[ast.Name(id=made)]):
            pass
        case _:
            return
    for name in scope.names_at(row.node)[:5]:
        if name != made:
            for test, prior in ((f"{name} is None", 2.7), (f"not {name}", 3.0)):
                text = _guard(scope, row, test, f"return {made}")
                yield _edit(row, row.end, row.end, text, prior, "early return")
