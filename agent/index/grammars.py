"""Definitions in sources of many languages, by tree-sitter; must not run, import or trust what it reads.

We walk the tree ourselves: the `TAGS_QUERY` of the grammars names definitions without their bodies, counts C
prototypes as functions, leaves out constructors and, for TypeScript, plain functions and classes; and a query over a
hostile tree (64 KB of `(`) does not come back, whatever its own limits say.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import PurePosixPath

from tree_sitter import Language, Node, Parser, Tree

MOST_BYTES = 128 * 1024
"""Larger sources are not parsed: they are generated, or meant to be in the way."""
_WORK = 0.03
"""Hundreds of parser steps per byte. Of 1,200 files in nine languages none took more than 0.023."""
_LOST = 16
"""Hundreds of parser steps spent on what fits no grammar. Of 740 sources and headers of C and C++, which are parsed
without their preprocessor, two take more than 15; 8 KB of `a=>` take C's grammar 35 s when nobody stops it."""
_DEPTH = 64  # levels of the syntax tree below which no definition is looked for: ten functions inside one another
_CHUNK = 65_536  # bytes handed to the parser at a time
_NAME = 200  # characters of a name

_TYPES = frozenset(
    {
        "abstract_class_declaration", "annotation_type_declaration", "class", "class_declaration", "class_definition",
        "class_specifier", "enum_declaration", "enum_item", "enum_specifier", "interface_declaration",
        "internal_module", "macro_definition", "mod_item", "module", "namespace_definition", "preproc_function_def",
        "record_declaration", "struct_item", "struct_specifier", "trait_declaration", "trait_item",
        "type_alias_declaration", "type_item", "type_spec", "union_item", "union_specifier",
    }
)  # fmt: skip
_BODILESS = frozenset({"class_specifier", "enum_specifier", "struct_specifier", "union_specifier"})
"""Types whose bare mention (`struct s *x`) is a node of the same kind: a body tells them apart."""
_FUNCTIONS = frozenset(
    {
        "compact_constructor_declaration", "constructor_declaration", "function_declaration", "function_definition",
        "function_item", "generator_function_declaration", "method", "method_declaration", "method_definition",
        "singleton_method",
    }
)  # fmt: skip
_HOLDERS = {
    "assignment_expression": ("left", "right"),
    "field_definition": ("property", "value"),
    "pair": ("key", "value"),
    "public_field_definition": ("name", "value"),
    "variable_declarator": ("name", "value"),
}
_CLOSURES = frozenset({"arrow_function", "function_expression", "generator_function"})
_WRAPPERS = frozenset(
    {
        "decorated_definition", "export_statement", "expression_statement", "lexical_declaration",
        "template_declaration", "variable_declaration",
    }
)  # fmt: skip
_ATTRIBUTES = frozenset({"attribute_item", "decorator"})
_TOLD = frozenset({*_TYPES, *_FUNCTIONS, *_HOLDERS, *_WRAPPERS, *_ATTRIBUTES, "impl_item", "type_definition"})
_NEUTRAL = _ATTRIBUTES | {"block_comment", "comment", "line_comment"}
"""What may stand between an attribute and its definition."""
_BODY = frozenset({"block", "compound_statement", "constructor_body", "macro_invocation", "parameters"})
_SCRIPT = frozenset(
    {"formal_parameters", "import_statement", "jsx_element", "object_type", "string", "template_string"}
)
_STATEMENTS = frozenset(
    {
        "assert_statement", "expression_statement", "import_from_statement", "import_statement", "parameters",
        "raise_statement", "return_statement", "string",
    }
)  # fmt: skip
_CLOSED = {
    "c": _BODY, "cpp": _BODY, "go": _BODY, "java": _BODY, "php": _BODY, "rust": _BODY,
    "javascript": _SCRIPT, "tsx": _SCRIPT, "typescript": _SCRIPT, "python": _STATEMENTS,
}  # fmt: skip
"""Kinds of nodes that are not entered: what they hold is no definition, or is part of the function around it."""
_IDENTIFIER = re.compile(r"[^\W\d]\w*")

_GRAMMARS = {
    "c": ("tree_sitter_c", "language"),
    "cpp": ("tree_sitter_cpp", "language"),
    "go": ("tree_sitter_go", "language"),
    "java": ("tree_sitter_java", "language"),
    "javascript": ("tree_sitter_javascript", "language"),
    "php": ("tree_sitter_php", "language_php"),
    "python": ("tree_sitter_python", "language"),
    "ruby": ("tree_sitter_ruby", "language"),
    "rust": ("tree_sitter_rust", "language"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
}
_SUFFIXES = {
    "c": "c", "h": "cpp", "cc": "cpp", "cpp": "cpp", "cxx": "cpp", "hh": "cpp", "hpp": "cpp", "hxx": "cpp",
    "go": "go", "java": "java", "js": "javascript", "cjs": "javascript", "mjs": "javascript", "jsx": "javascript",
    "php": "php", "py": "python", "pyi": "python", "rb": "ruby", "rake": "ruby", "gemspec": "ruby", "rs": "rust",
    "ts": "typescript", "cts": "typescript", "mts": "typescript", "tsx": "tsx",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """A function, type or macro: qualified name and whole lines, attributes included, 1-based and inclusive."""

    name: str
    begin: int
    end: int
    function: bool


def language_of(path: str) -> str:
    """The grammar for a path's suffix; empty when there is none."""
    return _SUFFIXES.get(PurePosixPath(path).suffix[1:].lower(), "")


def definitions(source: bytes, language: str) -> tuple[Definition, ...]:
    """Every definition in source order, inner ones after the one that holds them.

    A source with errors gives what could be understood; one above `MOST_BYTES`, or one that takes the parser more
    steps than an honest source does, gives nothing.
    """
    if language not in _GRAMMARS or len(source) > MOST_BYTES:
        return ()
    tree = _parsed(source, _parser(language))
    return tuple(_Walk(_CLOSED.get(language, frozenset())).definitions(tree)) if tree is not None else ()


def _parsed(source: bytes, parser: Parser) -> Tree | None:
    """The tree, None when it took too many steps. They are counted, so that a slow machine sees the same tree."""
    work, errors, most = 0, 0, 10 + _WORK * len(source)

    def too_much(_offset: int, lost: bool) -> bool:  # asked every hundred steps
        nonlocal work, errors
        work += 1
        errors += lost
        return work > most or errors > _LOST

    try:
        return parser.parse(lambda at, _: source[at : at + _CHUNK], encoding="utf8", progress_callback=too_much)
    except ValueError:  # what the binding raises when it was stopped
        parser.reset()
        return None


class _Walk:
    """One pass over a tree, outside in and from the top, with what stands around the present node."""

    __slots__ = ("_around", "_attribute", "_closed", "_wrapper")

    def __init__(self, closed: frozenset[str]) -> None:
        self._closed = closed
        self._around: list[tuple[int, str]] = []
        self._attribute: tuple[int, int] | None = None
        self._wrapper: tuple[int, Node] | None = None

    def definitions(self, tree: Tree) -> Iterator[Definition]:
        """Everything defined in a tree."""
        cursor, depth = tree.walk(), 0
        while True:
            node = cursor.node
            entered = node is not None and node.is_named
            if node is not None and entered:
                kind = node.type
                entered = depth < _DEPTH and kind not in self._closed
                found = self._visit(node, kind, depth) if kind in _TOLD else None
                if found is not None:
                    yield found
                if self._attribute is not None and self._attribute[0] >= depth and kind not in _NEUTRAL:
                    self._attribute = None
            if entered and cursor.goto_first_child():
                depth += 1
                continue
            while not cursor.goto_next_sibling():
                if not cursor.goto_parent():
                    return
                depth -= 1

    def _visit(self, node: Node, kind: str, depth: int) -> Definition | None:
        while self._around and self._around[-1][0] >= depth:
            self._around.pop()
        if kind in _ATTRIBUTES:
            if self._attribute is None or self._attribute[0] != depth:
                self._attribute = (depth, node.start_point.row)
            return None
        if kind in _WRAPPERS:
            self._wrapper = (depth, node)
        return self._defined(node, kind, depth)

    def _defined(self, node: Node, kind: str, depth: int) -> Definition | None:
        named = _named(node, kind)
        if not named:
            return None
        name = f"{self._around[-1][1]}.{named}" if self._around else named
        self._around.append((depth, name))
        if kind == "impl_item":
            return None
        whole = node
        if self._wrapper is not None and self._wrapper[0] == depth - 1:
            whole = self._wrapper[1]
        begin = whole.start_point.row
        if self._attribute is not None and self._attribute[0] == depth:
            begin = min(begin, self._attribute[1])
        stop = whole.end_point
        last = stop.row - (stop.column == 0 and stop.row > begin)
        function = kind in _FUNCTIONS or kind in _HOLDERS
        return Definition(name=name, begin=begin + 1, end=last + 1, function=function)


def _named(node: Node, kind: str) -> str:
    """The name a node defines, empty when it defines nothing."""
    if kind in _HOLDERS:
        left, right = _HOLDERS[kind]
        value, target = node.child_by_field_name(right), node.child_by_field_name(left)
        return _text(target).rpartition(".")[2] if value is not None and value.type in _CLOSURES else ""
    if kind in _FUNCTIONS:
        owner = _plain(_text(node.child_by_field_name("receiver")).rstrip(") "))
        name = _text(node.child_by_field_name("name") or _declared(node))
        return f"{owner}.{name}" if owner else name
    if kind == "impl_item":
        return _plain(_text(node.child_by_field_name("type")))
    if kind == "type_definition":
        return _text(node.child_by_field_name("declarator"))
    if kind in _TYPES and (kind not in _BODILESS or node.child_by_field_name("body") is not None):
        return _text(node.child_by_field_name("name"))
    return ""


def _declared(node: Node) -> Node | None:
    """The name inside a C declarator, past pointers, references and parameters."""
    inner = node.child_by_field_name("declarator")
    for _ in range(_DEPTH):
        if inner is None:
            break
        deeper = inner.child_by_field_name("declarator")
        if deeper is None and inner.type == "reference_declarator":
            deeper = next(iter(inner.named_children), None)
        if deeper is None:
            break
        inner = deeper
    return inner


def _text(node: Node | None) -> str:
    if node is None or node.end_byte - node.start_byte > _NAME:
        return ""
    return (node.text or b"").decode(errors="replace").replace("::", ".")


def _plain(name: str) -> str:
    """The last bare name of a type: `*Tree[T]` -> Tree, `fmt.Thing<T>` -> Thing."""
    found = _IDENTIFIER.findall(re.split(r"[\[<]", name, maxsplit=1)[0])
    return found[-1] if found else ""


@cache
def _parser(language: str) -> Parser:
    module, maker = _GRAMMARS[language]
    return Parser(Language(getattr(import_module(module), maker)()))
