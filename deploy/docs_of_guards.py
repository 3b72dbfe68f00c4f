"""Writes docs/guards.md from the guards themselves: `python -m deploy.docs_of_guards`; must know no guard by name.

What a guard is for is its docstring; what it hears, asks for and says is read out of its source, so that the page
cannot promise what the code does not do. `make check` compares the page with what this would write.
"""

import ast
import inspect
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from types import FunctionType, ModuleType

from agent.guards import events
from agent.guards.catalogue import Named, guards
from agent.guards.paths import PathRules

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "guards.md"
_WIDTH = 140
_INTRO = (
    "Made by `python -m deploy.docs_of_guards` from the code: change a guard's docstring, not this page.",
    """A guard is a small thread of `agent/guards/`: it listens for events, blocks others with a reason, and may ask for
    one itself. The loop takes the best wish that nobody blocks. **A block always wins**, whoever asks and in whatever
    order the threads stand; ranks only order wishes, lower first. A thread that raises or ends ends the run: what it
    blocked must not become possible. Nothing may block `cancel`.""",
    """The reasons below are the very words of a trace's `decision` lines, of a stall's report and of the pull request;
    what stands in angle brackets is filled in there. [loop.md](loop.md) shows them at work in a real run.""",
)


def page(named: Iterable[Named]) -> str:
    """The whole page: a paragraph per guard in the catalogue's order, then the events they speak of."""
    catalogue = tuple(named)
    intro = (f"{_filled(' '.join(paragraph.split()))}\n" for paragraph in _INTRO)
    guarded = (_guard(*one) for one in catalogue)
    return "\n".join(["# What the guards refuse, and why\n", *intro, *guarded, _events(catalogue)])


def _guard(name: str, make: Callable[..., object], rank: int) -> str:
    function = _function(make)
    tree, module = _tree(function), _module(function)
    sentences = [" ".join((inspect.getdoc(function) or "").split())]
    asked, heard, said = tuple(_asked(tree, module)), tuple(_heard(tree, module)), tuple(_said(function, module))
    if asked:
        sentences.append(f"It asks for {_listed(asked)}.")
    if heard:
        sentences.append(f"It listens for {_listed(heard)}.")
    if said:
        sentences.append("It says: " + "; ".join(f"“{one}”" for one in said) + ".")
    path = Path(inspect.getsourcefile(function) or "").resolve().relative_to(ROOT).as_posix()
    return f"## {name}\n\n{_filled(' '.join(sentences))}\n\n`{path}`, rank {rank}.\n"


def _function(make: object) -> FunctionType:
    """The generator function behind what the catalogue lists, however it was bound to its arguments."""
    while isinstance(make, partial):
        make = make.func
    if not isinstance(make, FunctionType) or make.__name__ == "<lambda>":
        raise SystemExit(f"{make!r} in the catalogue is no function with a docstring: bind arguments with `partial`")
    return make


def _module(function: FunctionType) -> ModuleType:
    return sys.modules[function.__module__]


def _tree(function: FunctionType) -> ast.FunctionDef:
    (found,) = (node for node in ast.parse(inspect.getsource(function)).body if isinstance(node, ast.FunctionDef))
    return found


def _asked(tree: ast.FunctionDef, module: ModuleType) -> Iterator[str]:
    """Types of the events a thread makes itself, when it requests at all."""
    made: dict[str, None] = {}
    asks = False
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        asks |= node.func.id == "Bid" and any(word.arg == "request" for word in node.keywords)
        if node.func.id == "Event" and node.args:
            made |= dict.fromkeys(_named(node.args[0], module))
    yield from made if asks else ()


def _heard(tree: ast.FunctionDef, module: ModuleType) -> Iterator[str]:
    """Types of the events a thread waits for or is closed by, in the order of its source."""
    heard: dict[str, None] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg in {"wait", "interrupt"} and isinstance(node.value, ast.Tuple):
            for element in node.value.elts:
                heard |= dict.fromkeys(_named(element, module))
    yield from heard


def _named(node: ast.expr, module: ModuleType) -> Iterator[str]:
    """An event's type as the trace shows it."""
    if isinstance(node, ast.Attribute):
        yield f"`{node.attr.lower()}`"
    elif isinstance(node, ast.Name):
        value = getattr(module, node.id, None)
        yield "any action" if callable(value) else f"`{value}`"


def _said(function: FunctionType, module: ModuleType) -> Iterator[str]:
    """Every reason a thread can give: its texts of more than one word, and those of its module's functions it calls."""
    told: dict[str, None] = {}
    waiting, known = [function], {function.__name__}
    while waiting:
        tree = _tree(waiting.pop(0))
        told |= dict.fromkeys(_texts(tree, module))
        for node in ast.walk(tree):
            value = getattr(module, node.id, None) if isinstance(node, ast.Name) else None
            if isinstance(value, FunctionType) and value.__module__ == module.__name__ and value.__name__ not in known:
                known.add(value.__name__)
                waiting.append(value)
    yield from told


def _texts(tree: ast.FunctionDef, module: ModuleType) -> Iterator[str]:
    """Texts with a space in them, as they stand in the source; what an f-string fills in is in angle brackets."""
    joined = [node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)]
    inner = {id(part) for node in joined for part in ast.walk(node) if part is not node}
    inner |= {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings
    for node in ast.walk(tree):
        if id(node) in inner:
            continue
        if isinstance(node, ast.JoinedStr):
            if any(isinstance(part, ast.Constant) and " " in str(part.value) for part in node.values):
                yield "".join(_piece(part, module) for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield node.value


def _piece(part: ast.expr, module: ModuleType) -> str:
    if isinstance(part, ast.Constant):
        return str(part.value)
    inside = part.value if isinstance(part, ast.FormattedValue) else part
    first = inside.args[0] if isinstance(inside, ast.Call) and inside.args else None
    if isinstance(first, ast.Constant) and isinstance(first.value, str):
        return f"<{first.value}>"  # event.text("path")
    constant = getattr(module, inside.id, None) if isinstance(inside, ast.Name) else None
    return str(constant) if isinstance(constant, int | float) else f"<{ast.unparse(inside)}>"


def _events(named: Iterable[Named]) -> str:
    spoken: set[str] = set()
    for _, make, _ in named:
        function = _function(make)
        spoken |= {*_asked(_tree(function), _module(function)), *_heard(_tree(function), _module(function))}
    rows = ["## The events they speak of\n", "| event | what it means |", "| --- | --- |"]
    body = ast.parse(inspect.getsource(events)).body
    for at, node in enumerate(body):
        if not (isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)):
            continue
        value = getattr(events, node.targets[0].id)
        following = body[at + 1] if at + 1 < len(body) else None
        if isinstance(value, str) and f"`{value}`" in spoken:
            rows.append(f"| `{value}` | {_documented(following)} |")
    return "\n".join(rows) + "\n"


def _documented(node: ast.stmt | None) -> str:
    """The text under an assignment, on one line; empty when there is none."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
        return " ".join(node.value.value.split())
    return ""


def _listed(words: Iterable[str]) -> str:
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


def _filled(text: str) -> str:
    return textwrap.fill(text, _WIDTH, break_long_words=False, break_on_hyphens=False)


def main() -> int:
    """Write the page; says whether anything changed."""
    text = page(guards(PathRules()))
    same = PAGE.exists() and PAGE.read_text(encoding="utf-8") == text
    PAGE.write_text(text, encoding="utf-8")
    sys.stdout.write(f"{PAGE.relative_to(ROOT)} {'is as it was' if same else 'was written'}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
