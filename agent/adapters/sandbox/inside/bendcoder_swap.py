"""Turns one edit of a file into new code for its live functions; loaded into the repository's interpreter, stdlib only.

It compiles and swaps; it must not run tests, fork or decide anything. Works on Python 3.8 and later.
"""

import __future__

import ast
import gc
import os
import re
import types

NEWLINE = re.compile(rb"\r\n|\r|\n")
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
BLOCKS = (ast.If, ast.Try, ast.With, ast.For, ast.While)


class Function:
    """One outermost function of the file: its bytes (decorators included) and the headers that stand around it."""

    def __init__(self, name, line, start, stop, headers):
        self.name, self.line, self.start, self.stop, self.headers = name, line, start, stop, headers
        self.base = self.shell = self.live = None
        self.codes = []


class Plan:
    """What to do for one edit: `code` for the live functions of `function`, or a whole new module (`function` None)."""

    def __init__(self, function, code, key):
        self.function, self.code, self.key = function, code, key


class Target:
    """The file under repair, as bytes, with its outermost functions."""

    def __init__(self, path, source):
        self.path, self.source = path, source
        self.starts = [0] + [found.end() for found in NEWLINE.finditer(source)]
        self.functions = []
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError):
            tree = None
        self.flags = _future_flags(tree)
        self.imports = _imports(tree)
        if tree is not None:
            self._walk(tree.body, ())

    def _line(self, number):
        return self.starts[number - 1] if number <= len(self.starts) else len(self.source)

    def _walk(self, body, headers):
        for node in body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                first = min([node.lineno] + [d.lineno for d in node.decorator_list])
                start, stop = self._line(first), self._line(node.end_lineno + 1)
                self.functions.append(Function(node.name, first, start, stop, headers))
            elif isinstance(node, ast.ClassDef):
                self._walk(node.body, (*headers, self._header(node, f"class {node.name}:")))
            elif isinstance(node, BLOCKS):
                inner = (*headers, self._header(node, "if 1:"))
                for field in ("body", "orelse", "finalbody"):
                    self._walk(getattr(node, field, []), inner)

    def _header(self, node, text):
        begin = self._line(node.lineno)
        return self.source[begin : begin + node.col_offset] + text.encode() + b"\n"

    def plan(self, start, stop, text):
        """Return the Plan of replacing bytes `start`..`stop` by `text`; SyntaxError or ValueError when it cannot be."""
        for function in self.functions:
            if function.start <= start and stop <= function.stop and function.live:
                code = self._inner(function, start, stop, text)
                if code is not None:
                    return Plan(function, code, (function.line, _key(code)))
        whole = self.source[:start] + text + self.source[stop:]
        module = compile(whole, self.path, "exec", dont_inherit=True)
        return Plan(None, module, (0, _key(module)))

    def _skeleton(self, function, body):
        padding = b"\n" * (function.line - 1 - len(function.headers))
        # from 3.12 on, a call of a module's function is compiled otherwise where the module is seen to be imported
        text = padding + b"".join(function.headers) + body + self.imports
        return compile(text, self.path, "exec", self.flags, dont_inherit=True)

    def _inner(self, function, start, stop, text):
        source = self.source
        body = source[function.start : start] + text + source[stop : function.stop]
        module = self._skeleton(function, body)
        code = _descend(module, function)
        if code is None or _shell(module) != function.shell or code.co_freevars != function.base.co_freevars:
            return None
        return code if _pairs(function, code) is not None else None

    def find_live(self):
        """Look up the function objects that run this file's code now; without any, edits need a fresh import."""
        alive = {}
        for thing in gc.get_objects():
            if isinstance(thing, types.FunctionType) and _same_file(thing.__code__.co_filename, self.path):
                alive.setdefault(thing.__code__.co_firstlineno, []).append(thing)
        for function in self.functions:
            try:
                module = self._skeleton(function, self.source[function.start : function.stop])
            except (SyntaxError, ValueError):
                continue
            function.base, function.shell = _descend(module, function), _shell(module)
            if function.base is None:
                continue
            found = [
                (place, thing)
                for place, code in _nested(function.base, ())
                for thing in alive.get(code.co_firstlineno, ())
                if thing.__code__.co_name == code.co_name and _key(thing.__code__) == _key(code)
            ]
            function.live = found if any(place == () for place, _ in found) else None
            function.codes = [thing.__code__ for _, thing in found]


def swap(plan):
    """Give the live functions their new code; ValueError when their closures do not fit."""
    for thing, code in _pairs(plan.function, plan.code):
        thing.__code__ = code


def restore(plan):
    """Give the live functions the code they had when they were found."""
    for place, (_, thing) in enumerate(plan.function.live):
        thing.__code__ = plan.function.codes[place]


_SAME = {}


def _same_file(name, path):
    if name not in _SAME:
        _SAME[name] = name == path or (not name.startswith("<") and os.path.realpath(name) == path)
    return _SAME[name]


def _future_flags(tree):
    flags = 0
    for node in tree.body if tree is not None else ():
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            for alias in node.names:
                flags |= getattr(getattr(__future__, alias.name, None), "compiler_flag", 0)
    return flags


def _imports(tree):
    """One line that imports, at module level, every name the file imports there; only compiled, never run."""
    names, waiting = {}, list(tree.body) if tree is not None else []
    for node in waiting:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                names[alias.asname or alias.name.split(".")[0]] = None
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.stmt, ast.excepthandler)) and not isinstance(node, SCOPES):
                waiting.append(child)
    names.pop("*", None)
    return ("\nimport " + ", ".join(names) + "\n").encode() if names else b""


def _codes(code):
    return [const for const in code.co_consts if isinstance(const, types.CodeType)]


def _descend(module, function):
    """The function's code inside its skeleton: through the class bodies, then by name."""
    code = module
    for header in function.headers:
        name = header.strip()[6:-1].decode() if header.strip().startswith(b"class ") else None
        if name is not None:
            code = next((inner for inner in _codes(code) if inner.co_name == name), None)
            if code is None:
                return None
    return next((inner for inner in _codes(code) if inner.co_name == function.name), None)


def _nested(code, place):
    yield place, code
    for number, inner in enumerate(_codes(code)):
        yield from _nested(inner, (*place, number))


def _pairs(function, code):
    """Live function and its new code, for the function and closures made at import; None when one does not fit."""
    new = dict(_nested(code, ()))
    pairs = []
    for place, thing in function.live:
        fresh = new.get(place)
        if fresh is None or fresh.co_freevars != thing.__code__.co_freevars:
            return None
        pairs.append((thing, fresh))
    return pairs


def _constant(value):
    return (type(value).__name__, repr(value))


def _key(code):
    """Two codes with one key do the same: everything but names of files and line tables."""
    consts = tuple(_key(c) if isinstance(c, types.CodeType) else _constant(c) for c in code.co_consts)
    return (
        code.co_name,
        code.co_code,
        consts,
        code.co_names,
        code.co_varnames,
        code.co_freevars,
        code.co_cellvars,
        code.co_flags,
        code.co_argcount,
        code.co_kwonlyargcount,
        getattr(code, "co_exceptiontable", b""),
    )


def _shell(module):
    """What stands around the function: bodies of module and classes without the functions' own code."""
    inner = tuple(
        _shell(c) if not c.co_flags & 2 else _key(c) if c.co_name[0] == "<" else c.co_name for c in _codes(module)
    )
    consts = tuple(_constant(c) for c in module.co_consts if not isinstance(c, types.CodeType))
    return (module.co_code, module.co_names, consts, inner)
