"""Added lines that reach for the judge: test framework, tracing, exit hooks, frames. Reads text only; no IO.

Must never be read as proof of innocence: whoever may add Python to a process can hide from any list. It makes the plain
ways visible, so that such a change is looked at by a person and not called verified.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping

from agent.domain.edit import Change
from agent.verify.equality import PUT_TOGETHER, ignores_other
from agent.verify.hunks import changed_lines, is_python
from agent.verify.patching import asked_who_runs, set_in, swallowed
from agent.verify.paths import is_prose, is_test_path

_MODULES = frozenset(
    {"pytest", "_pytest", "pluggy", "unittest", "doctest", "nose", "coverage", "xdist", "atexit", "ctypes", "_ctypes",
     "gc", "inspect", "signal", "_signal", "faulthandler", "builtins", "sitecustomize", "usercustomize", "site",
     "mock", "dirty_equals",
     "trace", "bdb", "__main__", "runpy", "zipimport", "test", "codeop", "marshal", "py_compile",
     "bendcoder_nodeid", "bendcoder_tracer", "bendcoder_lines",
     "bendcoder_unittest", "bendcoder_screener"}
)  # fmt: skip
_HARMLESS = {
    "inspect": frozenset(
        {"signature", "Signature", "Parameter", "isclass", "isfunction", "ismethod", "iscoroutinefunction",
         "isgenerator",
         "isgeneratorfunction", "isawaitable", "iscoroutine", "isasyncgenfunction", "isabstract", "isroutine",
         "isbuiltin",
         "getdoc", "cleandoc", "getmro", "unwrap", "BoundArguments", "getfullargspec", "isdatadescriptor", "ismodule"}
    )
}  # fmt: skip
"""What these modules offer besides frames: reading signatures is everyday code."""
_ATTRIBUTES = frozenset(
    {"settrace", "setprofile", "gettrace", "getprofile",
     "settrace_all_threads", "setprofile_all_threads", "_exit", "_getframe",
     "_current_frames",
     "currentframe", "f_back", "f_locals", "f_globals", "tb_frame", "gi_frame", "__del__", "_register_atexit",
     "addaudithook", "__build_class__", "meta_path", "path_hooks", "path_importer_cache", "cr_frame", "ag_frame",
     "f_builtins", "f_trace", "load_tests", "__globals__", "__builtins__", "__closure__", "spec_from_file_location",
     "exec_module", "load_module"}
)  # fmt: skip
_PAIRS = frozenset(
    {("sys", "monitoring"), ("sys", "modules"), ("weakref", "finalize"), ("os", "kill"), ("os", "killpg"),
     ("os", "execv"),
     ("os", "execve"), ("os", "execvp"), ("os", "execvpe"), ("os", "execl"), ("os", "fork"), ("os", "dup2"),
     ("os", "abort"),
     ("multiprocessing", "util"), ("sys", "exitfunc"), ("sys", "excepthook"), ("sys", "orig_argv"),
     ("sys", "__dict__"), ("os", "__dict__"), ("types", "FunctionType"), ("types", "CodeType"), ("os", "unshare"),
     ("threading", "_shutdown"), ("traceback", "extract_stack"), ("traceback", "format_stack"),
     ("traceback", "print_stack"), ("traceback", "walk_stack")}
)  # fmt: skip
_BY_NAME = frozenset({"sys", "os", "threading", "types"})
"""Modules whose attributes may not be looked up under a name that is made at run time."""
_DYNAMIC = frozenset({"__import__", "exec", "eval", "compile", "import_module"})
_WORDS = re.compile(
    r"(?<![A-Za-z0-9])(_?pytest|PYTEST\w*|unittest|[sg]ettrace|[sg]etprofile|PYTHONHASHSEED|sys\.monitoring|atexit|os\._exit|_exit|_getframe|"
    r"bendcoder\w*|BENDCODER\w*|junit\w*|JUNIT\w*|ctypes|sitecustomize|usercustomize|conftest)(?![A-Za-z0-9])|/proc/|"
    r"(?:^|/)tests?/|(?:^|/)test_\w+\.py$"
)
_TESTS = re.compile(r"^(?:tests|conftest|test_\w+)$")
"""What modules of tests are called, or packages of them."""


def suspicious(
    changes: Iterable[Change], collected: frozenset[str], tracked: Iterable[str] | None = None
) -> tuple[str, ...]:
    """One sentence per added line outside of tests that reaches for the judge: `path:line mentions X`.

    `tracked`: paths of the tree. A module whose name none of them holds is somebody else's, and so is what is in it.
    """
    own = None if tracked is None else frozenset(part.split(".", 1)[0] for path in tracked for part in path.split("/"))
    found: list[str] = []
    for change in changes:
        if change.after is None or is_test_path(change.path, collected) or is_prose(change.path):
            continue
        lines = frozenset(changed_lines(change.before or b"", change.after))
        found.extend(f"{change.path}:{line} mentions {what}" for line, what in _findings(change, lines, own))
    return tuple(dict.fromkeys(found))


def _findings(change: Change, lines: frozenset[int], own: frozenset[str] | None) -> Iterator[tuple[int, str]]:
    content = change.after or b""
    if is_python(change.path):
        try:
            yield from _in_python(ast.parse(content), lines, own)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            pass
        else:
            return
    for number, line in enumerate(content.decode("utf-8", "replace").splitlines(), start=1):
        if number in lines and (match := _WORDS.search(line)):
            yield number, match.group(0)


def _in_python(tree: ast.Module, lines: frozenset[int], own: frozenset[str] | None) -> Iterator[tuple[int, str]]:
    aliases = _aliases(tree)
    prose = _docstrings(tree)
    for node in ast.walk(tree):
        begin, end = getattr(node, "lineno", 0), getattr(node, "end_lineno", 0) or 0
        if not begin or node in prose:
            continue
        if isinstance(node, ast.stmt) and not isinstance(node, ast.Import | ast.ImportFrom | ast.FunctionDef):
            continue
        touched = next((n for n in range(begin, end + 1) if n in lines), 0)
        if touched and (what := _named(node, aliases, lines) or _evaded(node, aliases, lines, own)):
            yield touched, what


def _evaded(node: ast.AST, aliases: Mapping[str, str], lines: frozenset[int], own: frozenset[str] | None) -> str:
    return set_in(node, aliases, own) or swallowed(node, lines) or asked_who_runs(node)


def _aliases(tree: ast.Module) -> Mapping[str, str]:
    """Local name to the dotted thing it was imported as, anywhere in the file."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for name in node.names:
                found[name.asname or name.name.split(".")[0]] = name.name if name.asname else name.name.split(".")[0]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for name in node.names:
                found[name.asname or name.name] = f"{node.module}.{name.name}"
    return found


def _docstrings(tree: ast.Module) -> frozenset[ast.AST]:
    """String statements: nobody can reach them but as `__doc__`."""
    found: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            found.add(node.value)
    return frozenset(found)


def _named(node: ast.AST, aliases: Mapping[str, str], lines: frozenset[int]) -> str:
    match node:
        case ast.FunctionDef():
            return _method(node, lines)
        case ast.Call():
            return _call(node) or _looked_up(node, aliases)
        case ast.Constant(value=str(text)):
            return _text(text)
        case ast.BinOp(op=ast.Add()):
            return _text(_joined(node))
        case ast.keyword(arg=str(name)):
            return f"an {name} put together" if name in PUT_TOGETHER else ""
        case _:
            return _mentioned(node, aliases)


def _mentioned(node: ast.AST, aliases: Mapping[str, str]) -> str:
    match node:
        case ast.Import(names=names):
            return next((name.name for name in names if _dotted(name.name)), "")
        case ast.ImportFrom(module=module, names=names, level=0):
            return next((full for name in names if _dotted(full := f"{module}.{name.name}")), "")
        case ast.ImportFrom(module=module, names=names):
            parts = [*(module or "").split("."), *(name.name for name in names)]
            return next((part for part in parts if _TESTS.match(part)), "")
        case ast.Attribute(attr=name, ctx=ast.Store()) | ast.Name(id=name, ctx=ast.Store()) if name in PUT_TOGETHER:
            return f"an {name} put together"
        case ast.Attribute(value=value, attr=attribute):
            return _attribute(value, attribute, aliases)
        case ast.Name(id=name) if name in _ATTRIBUTES:
            return name
        case ast.Name(id=name):
            known = aliases.get(name, "")
            plain_module = known.split(".")[0] in _HARMLESS and known == known.split(".")[0]
            return known if known and not plain_module and _dotted(known) else ""
        case _:
            return ""


def _text(text: str) -> str:
    """A word of the list inside a text, or a text that is one of the names looked up by `getattr`."""
    if text in _ATTRIBUTES or text in PUT_TOGETHER:
        return text
    return found.group(0) if (found := _WORDS.search(text)) else ""


def _joined(node: ast.expr) -> str:
    """Constant texts added up, as far as all of them are; empty otherwise."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.BinOp(left=left, op=ast.Add(), right=right) if (first := _joined(left)) and (then := _joined(right)):
            return first + then
        case _:
            return ""


def _looked_up(node: ast.Call, aliases: Mapping[str, str]) -> str:
    """`getattr(sys, …)` is `sys.…`; under a name made at run time, or as `vars(sys)`, it may be anything."""
    match node:
        case ast.Call(func=ast.Name(id="vars"), args=[ast.Name(id=name)]) if aliases.get(name) in _BY_NAME:
            return f"vars({name})"
        case ast.Call(func=ast.Name(id="getattr"), args=[value, key, *_]):
            if text := _joined(key):
                return _attribute(value, text, aliases)
            known = isinstance(value, ast.Name) and aliases.get(value.id) in _BY_NAME
            return f"getattr({ast.unparse(value)}, …)" if known else ""
        case _:
            return ""


def _dotted(full: str) -> bool:
    """True for a module of the list, or a name of one, but for what is harmless in it."""
    parts = full.split(".")
    if parts[0] in _HARMLESS:
        return len(parts) > 1 and parts[1] not in _HARMLESS[parts[0]]
    if parts[0] in _MODULES or parts[-1] in _ATTRIBUTES or any(_TESTS.match(part) for part in parts):
        return True
    return len(parts) > 1 and (parts[0], parts[1]) in _PAIRS


def _attribute(value: ast.expr, attribute: str, aliases: Mapping[str, str]) -> str:
    if attribute in _ATTRIBUTES or _WORDS.fullmatch(attribute):
        return attribute
    if isinstance(value, ast.Name):
        module = aliases.get(value.id, value.id)
        if (module, attribute) in _PAIRS or (module in _HARMLESS and attribute not in _HARMLESS[module]):
            return f"{module}.{attribute}"
    return ""


def _call(node: ast.Call) -> str:
    """Code or modules chosen at run time: what is not written out cannot be looked at."""
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if name not in _DYNAMIC or (isinstance(node.func, ast.Attribute) and name != "import_module"):
        return ""  # `re.compile`, `model.eval`: methods that happen to be called so
    literal = bool(node.args) and isinstance(node.args[0], ast.Constant)
    return "" if literal and name in ("__import__", "import_module") else name


def _method(node: ast.FunctionDef, lines: frozenset[int]) -> str:
    if node.lineno in lines and (node.name in ("__del__", "load_tests") or node.name.startswith("pytest_")):
        return node.name
    return f"an {node.name} that ignores what it compares with" if ignores_other(node) else ""
