"""Tests that stand in texts: prose, and the examples of docstrings. Compares bytes and puts old ones back; no IO.

Who may write both the code and what its documentation says it prints can make any doctest pass. Nothing here says that
such a text is tested: whether it is shows when the suite runs with the text as the base has it.
"""

import ast
import codecs
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from agent.domain.edit import Change
from agent.verify.hunks import is_python
from agent.verify.paths import is_prose, is_test_path

PROMPT = ">>>"
"""What an example begins with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Docstring:
    text: str
    begin: int
    end: int
    """Place in the bytes of its file."""


def with_old_texts(changes: Iterable[Change], collected: frozenset[str]) -> tuple[tuple[str, ...], tuple[Change, ...]]:
    """Paths whose texts may be tests and have changed, and the changes with these texts as the base has them.

    Prose goes back whole; in Python only those docstrings do that held examples and hold others now.
    """
    paths: list[str] = []
    kept: list[Change] = []
    for change in changes:
        back = change if is_test_path(change.path, collected) else _put_back(change)
        if back is not change:
            paths.append(change.path)
        if back is not None:
            kept.append(back)
    return tuple(paths), tuple(kept)


def _put_back(change: Change) -> Change | None:
    """The same change where nothing has to go back, None where all of it has."""
    if is_prose(change.path):
        return None
    if not is_python(change.path) or change.before is None or change.after is None:
        return change
    old, new = _docstrings(change.before), _docstrings(change.after)
    changed = [
        (new[name], change.before[one.begin : one.end])
        for name, one in old.items()
        if PROMPT in one.text and name in new and new[name].text != one.text
    ]
    after = change.after
    for one, text in sorted(changed, key=lambda pair: -pair[0].begin):
        after = after[: one.begin] + text + after[one.end :]
    return replace(change, after=after) if changed else change


def _docstrings(content: bytes) -> dict[str, _Docstring]:
    """Dotted name to docstring; nothing for what is no Python, of names that occur twice the last one."""
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    lines = content.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    starts[0] = len(codecs.BOM_UTF8) if content.startswith(codecs.BOM_UTF8) else 0  # columns count from behind it
    return {
        name: _Docstring(
            text=value,
            begin=starts[node.lineno - 1] + node.col_offset,
            end=starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0),
        )
        for name, node, value in _texts(tree)
    }


def _texts(tree: ast.Module) -> Iterator[tuple[str, ast.Constant, str]]:
    stack: list[tuple[ast.AST, str]] = [(tree, "")]
    while stack:
        node, above = stack.pop()
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            above += f".{node.name}" if not isinstance(node, ast.Module) else ""
            match node.body[:1]:
                case [ast.Expr(value=ast.Constant(value=str(text)) as constant)]:
                    yield above, constant, text
        inside = (ast.stmt, ast.ExceptHandler, ast.match_case)
        stack.extend((child, above) for child in ast.iter_child_nodes(node) if isinstance(child, inside))
