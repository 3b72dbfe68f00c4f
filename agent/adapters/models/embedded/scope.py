"""What an operator sees of an anchor: its syntax nodes, their bytes, and which names can stand where. No effects."""

import ast
import builtins
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from agent.domain.edit import Anchor

NEWLINE = re.compile(rb"\r\n|\r|\n")
Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
ATOMS = (ast.Name, ast.Constant, ast.Call, ast.Attribute, ast.Subscript, ast.List, ast.Dict, ast.Set, ast.ListComp)
Node = TypeVar("Node", bound=ast.AST)
BUILTINS = frozenset(dir(builtins))
MOST_TOLD = 40_000  # characters of issue and failures that are looked at
MOST_GLOBALS = 8  # module-level names offered as variables; beyond it only those the function already uses


@dataclass(frozen=True, slots=True)
class Edit:
    """One candidate: source bytes `begin`..`end` become `text`; `prior` is its cost, lower is likelier."""

    begin: int
    end: int
    text: bytes
    prior: float
    family: str
    line: int


class Scope:
    """One anchor in its parsed file. `tree` is None for a file that cannot be parsed: then nothing is proposed.

    `told` is what issue and failing tests say: a place to find words in, never a command.
    """

    def __init__(self, source: bytes, anchor: Anchor, told: str = "") -> None:
        self.source, self.told, self.path = source, told[:MOST_TOLD], anchor.path
        self.begin, self.end = anchor.begin, anchor.end
        self._starts = [0, *(found.end() for found in NEWLINE.finditer(source))]
        self._mark = 3 if source.startswith(b"\xef\xbb\xbf") else 0
        self.tree = _parse(source)
        self.parents: dict[ast.AST, ast.AST] = {}
        if self.tree is not None:
            for parent in ast.walk(self.tree):
                for child in ast.iter_child_nodes(parent):
                    self.parents[child] = parent

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """Expressions and statements that lie wholly in the anchor and mean something when run, in source order."""
        found = [node for node in self._eligible(self.tree) if self.begin <= _line(node) and _last(node) <= self.end]
        return tuple(sorted(found, key=lambda node: self.span(node)[0]))

    def _eligible(self, node: ast.AST | None) -> Iterator[ast.AST]:
        """Walk without annotations, docstrings and the insides of f-strings (whose positions 3.11 gets wrong)."""
        if node is None:
            return
        if isinstance(node, ast.expr | ast.stmt):
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                return
            yield node
        if isinstance(node, ast.JoinedStr):
            return
        for field, value in ast.iter_fields(node):
            if field in ("annotation", "returns", "type_params"):
                continue
            for child in value if isinstance(value, list) else (value,):
                if isinstance(child, ast.AST):
                    yield from self._eligible(child)

    def all(self, *kinds: type[Node]) -> Iterator[Node]:
        """Nodes of the anchor of these types, in source order."""
        return (node for node in self.nodes if isinstance(node, kinds))

    @cached_property
    def expressions(self) -> tuple[ast.expr, ...]:
        """Expressions of the anchor that are read, not assigned to."""
        return tuple(
            node
            for node in self.nodes
            if isinstance(node, ast.expr) and isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
        )

    def offset(self, line: int, column: int) -> int:
        """Byte offset of a syntax position."""
        return self._starts[line - 1] + column + (self._mark if line == 1 else 0)

    def line_start(self, line: int) -> int:
        """Byte offset where a line begins; the file's length after the last one."""
        return self._starts[line - 1] if line <= len(self._starts) else len(self.source)

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Byte range of a node, without parentheses around it and without decorators."""
        begin = self.offset(*_integers(node, "lineno", "col_offset"))
        return begin, self.offset(*_integers(node, "end_lineno", "end_col_offset"))

    def text(self, node: ast.AST) -> bytes:
        """A node's bytes."""
        begin, end = self.span(node)
        return self.source[begin:end]

    def atom(self, node: ast.AST) -> bytes:
        """A node's bytes, in parentheses when an operator beside it could tear it apart."""
        text = self.text(node)
        if isinstance(node, ATOMS) and not (isinstance(node, ast.Constant) and text[:1] in b"0123456789."):
            return text
        return text if isinstance(node, ast.Constant) and b"\n" not in text else b"(" + text + b")"

    def up(self, node: ast.AST) -> Iterator[ast.AST]:
        """The node's ancestors, innermost first."""
        while node in self.parents:
            node = self.parents[node]
            yield node

    def function(self, node: ast.AST) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
        """The innermost function around a node."""
        return next((up for up in self.up(node) if isinstance(up, FUNCTIONS)), None)

    def replace(self, node: ast.AST, text: bytes, prior: float, family: str) -> Edit:
        """An edit of one node."""
        begin, end = self.span(node)
        return Edit(begin, end, text, prior, family, _line(node))

    def between(self, begin: int, end: int, text: bytes, prior: float, family: str, line: int) -> Edit:
        """An edit of a byte range that is no node."""
        return Edit(begin, end, text, prior, family, line)

    @cached_property
    def module_names(self) -> tuple[str, ...]:
        """Variables assigned at module level."""
        return _bound(self.tree.body) if self.tree is not None else ()

    @cached_property
    def module_functions(self) -> tuple[str, ...]:
        """Functions and classes defined at module level."""
        body = self.tree.body if self.tree is not None else []
        return tuple(node.name for node in body if isinstance(node, (*FUNCTIONS, ast.ClassDef)))

    @cached_property
    def imported(self) -> frozenset[str]:
        """Names bound by import statements anywhere in the file."""
        found = (node for node in self.parents if isinstance(node, ast.Import | ast.ImportFrom))
        return frozenset(alias.asname or alias.name.split(".")[0] for node in found for alias in node.names)

    def names_at(self, node: ast.AST) -> tuple[str, ...]:
        """Variables that may stand at a node: nearest scope first; no builtins, no functions, no modules."""
        found: dict[str, None] = {}
        inner: ast.AST = node
        for up in self.up(node):
            if isinstance(up, COMPREHENSIONS):
                if inner is not up.generators[0] or not self._in_first_iterable(node, up):
                    found.update(dict.fromkeys(_targets(up)))
            elif isinstance(up, ast.Lambda):
                found.update(dict.fromkeys(_parameters(up.args)))
            elif isinstance(up, FUNCTIONS):
                found.update(dict.fromkeys(_parameters(up.args)))
                found.update(dict.fromkeys(self._locals(up)))
            inner = up
        found.update(dict.fromkeys(self._globals_for(node)))
        return tuple(name for name in found if name not in ("self", "cls", "_"))

    def _locals(self, function: ast.AST) -> tuple[str, ...]:
        if function not in self._local_cache:
            self._local_cache[function] = _bound(getattr(function, "body", []))
        return self._local_cache[function]

    @cached_property
    def _local_cache(self) -> dict[ast.AST, tuple[str, ...]]:
        return {}

    def _globals_for(self, node: ast.AST) -> tuple[str, ...]:
        if self.function(node) is None or len(self.module_names) <= MOST_GLOBALS:
            return self.module_names[-2 * MOST_GLOBALS :]
        used = {found.id for found in self.nodes if isinstance(found, ast.Name)}
        return tuple(name for name in self.module_names if name in used)

    def _in_first_iterable(self, node: ast.AST, comprehension: Comprehension) -> bool:
        first = comprehension.generators[0].iter
        return node is first or first in set(self.up(node))

    def atoms_at(self, node: ast.AST) -> tuple[str, ...]:
        """Names at a node plus the attributes of `self` its class uses as values."""
        names = self.names_at(node)
        return names + tuple(f"self.{name}" for name in self.self_attributes(node))

    def self_attributes(self, node: ast.AST) -> tuple[str, ...]:
        """Attributes read or set on `self` in the class around a node; empty outside methods."""
        owner = next((up for up in self.up(node) if isinstance(up, ast.ClassDef)), None)
        if owner is None or self.function(node) is None:
            return ()
        if owner not in self._attribute_cache:
            self._attribute_cache[owner] = _attributes(owner, self.parents)
        return self._attribute_cache[owner]

    @cached_property
    def _attribute_cache(self) -> dict[ast.AST, tuple[str, ...]]:
        return {}


def _parse(source: bytes) -> ast.Module | None:
    try:
        source.decode("utf-8-sig")
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _integers(node: ast.AST, line: str, column: str) -> tuple[int, int]:
    """A position of a node that has one: expressions, statements, handlers, arguments."""
    return int(getattr(node, line)), int(getattr(node, column))


def _line(node: ast.AST) -> int:
    first, _ = _integers(node, "lineno", "col_offset")
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([first, *(decorator.lineno for decorator in decorators)])


def _last(node: ast.AST) -> int:
    last, _ = _integers(node, "end_lineno", "end_col_offset")
    return last


def _parameters(arguments: ast.arguments) -> list[str]:
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return [arg.arg for arg in (*every, arguments.vararg, arguments.kwarg) if arg is not None]


def _targets(comprehension: Comprehension) -> list[str]:
    found: list[str] = []
    for generator in comprehension.generators:
        found += [node.id for node in ast.walk(generator.target) if isinstance(node, ast.Name)]
    return found


def _bound(body: Sequence[ast.stmt]) -> tuple[str, ...]:
    """Names assigned in these statements, not in functions, classes or comprehensions inside them."""
    found: dict[str, None] = {}
    stack: list[ast.AST] = list(reversed(body))
    while stack:
        node = stack.pop()
        if isinstance(node, (*FUNCTIONS, ast.ClassDef, ast.Lambda, *COMPREHENSIONS, ast.Import, ast.ImportFrom)):
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found[node.id] = None
        stack.extend(reversed(list(ast.iter_child_nodes(node))))
    return tuple(found)


def _attributes(owner: ast.ClassDef, parents: dict[ast.AST, ast.AST]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for node in ast.walk(owner):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
            call = parents.get(node)
            if not (isinstance(call, ast.Call) and call.func is node):
                found[node.attr] = None
    return tuple(found)
