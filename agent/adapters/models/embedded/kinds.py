"""Guesses of what a variable holds, from how the function uses it: only ever an ordering, never a filter."""

import ast
from enum import StrEnum

from agent.adapters.models.embedded.scope import COMPREHENSIONS, FUNCTIONS

SAME, UNKNOWN, MISMATCH = 1.5, 2.2, 2.9  # priors of one variable for another; the last one is lower than the
# prototype's 3.5, because the variable that stands there is the wrong one and says little of what belongs there
BOX_CALLS = frozenset({"list", "set", "dict", "tuple", "sorted", "reversed", "deque", "str", "zip", "defaultdict"})
NUMBER_CALLS = frozenset({"len", "int", "float", "abs", "round", "ord", "sum"})
BOX_METHODS = frozenset(
    {
        "append", "extend", "pop", "insert", "remove", "add", "update", "get", "items", "keys", "values", "split",
        "strip", "lower", "upper", "join", "startswith", "endswith", "popleft", "appendleft", "index", "count", "sort",
        "reverse", "replace", "find", "copy", "clear", "discard", "setdefault", "format",
    }
)  # fmt: skip
ONE_BOX = frozenset({"len", "sorted", "sum", "enumerate", "any", "all", "max", "min"})  # called with one argument


class Kind(StrEnum):
    """Coarse on purpose: what may stand for what."""

    NUMBER = "number"
    BOX = "box"
    FLAG = "flag"
    CALLABLE = "callable"
    OBJECT = "object"


class Kinds:
    """Kinds and groups of the variables of one outermost piece of code."""

    def __init__(self, root: ast.AST) -> None:
        self._kind: dict[str, Kind] = {}
        self._group: dict[str, str] = {}
        self._counted: set[str] = set()
        for node in ast.walk(root):
            self._learn(node)

    def prior(self, old: str, new: str) -> float:
        """How unlikely `new` is in the place of `old`."""
        if self.group(old) == self.group(new):
            return SAME
        first, second = self._kind.get(old), self._kind.get(new)
        if first is None or second is None:
            return UNKNOWN
        return SAME if first == second else MISMATCH

    def kind(self, name: str) -> Kind | None:
        """The guess for one name, None without evidence."""
        return self._kind.get(name)

    def group(self, name: str) -> str:
        """Representative of the variables that are compared, added or assigned with one another."""
        while name in self._group:
            name = self._group[name]
        return name

    def counted(self) -> frozenset[str]:
        """Representatives of the groups that arithmetic is done with."""
        return frozenset(self.group(name) for name in self._counted)

    def _join(self, first: str | None, second: str | None) -> None:
        if first and second and self.group(first) != self.group(second):
            self._group[self.group(first)] = self.group(second)

    def _note(self, node: ast.AST, kind: Kind) -> None:
        name = label(node)
        if name:
            self._kind.setdefault(name, kind)

    def _learn(self, node: ast.AST) -> None:
        match node:
            case ast.Assign() | ast.AnnAssign() | ast.AugAssign():
                self._stored(node)
            case ast.Compare(left=left, comparators=[right], ops=[op]):
                self._compared(left, op, right)
            case ast.BinOp(left=left, right=right, op=op):
                if isinstance(op, ast.Add | ast.Sub):
                    self._join(label(left), label(right))
                self._counted.update(name for name in (label(left), label(right)) if name)
                self._constant_beside(left, right)
            case ast.For(target=target, iter=source) | ast.comprehension(target=target, iter=source):
                self._iterated(target, source)
            case ast.Subscript(value=value, slice=index):
                self._note(value, Kind.BOX)
                if isinstance(index, ast.BinOp):
                    self._note(index.left, Kind.NUMBER)
            case ast.Call():
                self._called(node)
            case ast.Attribute(value=value, attr=name) if name not in BOX_METHODS:
                self._note(value, Kind.OBJECT)
            case _:
                pass

    def _stored(self, node: ast.Assign | ast.AnnAssign | ast.AugAssign) -> None:
        match node:
            case ast.Assign(targets=[target], value=value) | ast.AnnAssign(target=target, value=ast.expr() as value):
                self._assigned(target, value)
            case ast.AugAssign(target=target, value=value):
                self._join(label(target), label(value))
                self._note(target, kind_of(value) or Kind.NUMBER)
                self._counted.update(name for name in (label(target), label(value)) if name)
            case _:
                pass

    def _assigned(self, target: ast.AST, value: ast.expr) -> None:
        self._join(label(target), label(value))
        kind = kind_of(value)
        if kind:
            self._note(target, kind)

    def _compared(self, left: ast.expr, op: ast.cmpop, right: ast.expr) -> None:
        if isinstance(op, ast.In | ast.NotIn):
            self._note(right, Kind.BOX)
            return
        self._join(label(left), label(right))
        self._constant_beside(left, right)

    def _constant_beside(self, left: ast.expr, right: ast.expr) -> None:
        for one, other in ((left, right), (right, left)):
            kind = kind_of(one)
            if kind:
                self._note(other, kind)

    def _iterated(self, target: ast.AST, source: ast.expr) -> None:
        self._note(source, Kind.BOX)
        self._join(label(target), element(source))
        if isinstance(source, ast.Call) and isinstance(source.func, ast.Name):
            if source.func.id == "range":
                self._note(target, Kind.NUMBER)
                for bound in source.args:
                    self._note(bound, Kind.NUMBER)
                    self._join(label(target), label(bound))
            elif source.func.id == "enumerate" and isinstance(target, ast.Tuple):
                self._note(target.elts[0], Kind.NUMBER)
                if len(target.elts) == 2 and source.args:
                    self._join(label(target.elts[1]), element(source.args[0]))

    def _called(self, node: ast.Call) -> None:
        match node.func:
            case ast.Name(id=name) if name in ONE_BOX and len(node.args) == 1:
                self._note(node.args[0], Kind.BOX)
            case ast.Name():
                self._note(node.func, Kind.CALLABLE)
            case ast.Attribute(value=value, attr=name) if name in BOX_METHODS:
                self._note(value, Kind.BOX)
            case _:
                pass


def label(node: ast.AST) -> str | None:
    """A variable, an attribute of self or an element of one of them, as text; None for anything else."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=ast.Name(id="self"), attr=name):
            return f"self.{name}"
        case ast.Subscript(value=value, slice=index) if not isinstance(index, ast.Slice):
            return element(value)
        case _:
            return None


def element(box: ast.AST) -> str | None:
    """What the elements of a box are called."""
    name = label(box)
    return f"{name}[]" if name else None


def kind_of(value: ast.AST) -> Kind | None:
    """Kind of an expression by its own form; None when it does not show."""
    match value:
        case ast.Constant(value=bool()):
            return Kind.FLAG
        case ast.Constant(value=int() | float()) | ast.UnaryOp(op=ast.USub()):
            return Kind.NUMBER
        case ast.Constant(value=str() | bytes()) | ast.JoinedStr() | ast.List() | ast.Dict() | ast.Set() | ast.Tuple():
            return Kind.BOX
        case ast.Call(func=ast.Name(id=name)) if name in NUMBER_CALLS:
            return Kind.NUMBER
        case ast.Call(func=ast.Name(id=name)) if name in BOX_CALLS:
            return Kind.BOX
        case ast.BinOp(left=left, right=right) if Kind.BOX in (kind_of(left), kind_of(right)):
            return Kind.BOX
        case ast.Compare() | ast.UnaryOp(op=ast.Not()):
            return Kind.FLAG
        case ast.BinOp(op=ast.Sub() | ast.Div() | ast.FloorDiv() | ast.Pow() | ast.Mult()):
            return Kind.NUMBER
        case _:
            return Kind.BOX if isinstance(value, COMPREHENSIONS) else None


def outermost(scope_parents: dict[ast.AST, ast.AST], node: ast.AST) -> ast.AST:
    """The outermost function around a node, else its top-level statement."""
    best, up = node, node
    while up in scope_parents:
        up = scope_parents[up]
        if isinstance(up, FUNCTIONS):
            best = up
    return best
