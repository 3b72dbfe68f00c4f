"""Changed source lines of a change, and whether a passing test executed them. Compares bytes; no disk, no IO."""

import ast
import difflib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from agent.domain.edit import Change
from agent.domain.suite import Spectrum

IMPORT_KEY = ""
"""Where the tracer puts lines executed while modules were imported, outside any test."""

LINE_LIMIT = 20_000
"""Changed lines that are compared line by line; above it a change is one hunk (difflib is quadratic at worst)."""


PAIR_LIMIT = 2_000_000
"""Equal pairs of an old and a new line up to which that is done: difflib looks at each of them for every block it finds
(two times 3,000 rows of two kinds, exchanged: 9,000,000 pairs, 5.4 s; as one hunk 0.02 s)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hunk:
    """Changed lines of one file in the final tree that belong to one function, or to the module's own level."""

    path: str
    begin: int
    end: int
    lines: frozenset[int]
    """Line numbers whose execution shows that this hunk ran; empty: nothing here can run (comments, blank lines)."""
    at_import: bool = False
    """Executed when the module is imported, so an import before a passing test counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Covered:
    """One hunk and what is known of it: True ran in a passing test, False did not, None cannot be measured."""

    path: str
    begin: int
    end: int
    ran: bool | None


def changed_lines(before: bytes, after: bytes) -> tuple[int, ...]:
    """1-based line numbers of `after` that are new; for a deletion the lines before and after the gap."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    middle_old, middle_new = old[head : len(old) - tail], new[head : len(new) - tail]
    found: set[int] = set()
    for begin, end in _new_ranges(middle_old, middle_new):
        found.update(range(head + begin + 1, head + end + 1))
        if begin == end:
            found.update(line for line in (head + begin, head + begin + 1) if 1 <= line <= len(new))
    return tuple(sorted(found))


def _new_ranges(old: list[bytes], new: list[bytes]) -> Iterator[tuple[int, int]]:
    counts = Counter(old)
    if len(old) + len(new) > LINE_LIMIT or sum(counts[line] for line in new) > PAIR_LIMIT:
        yield 0, len(new)
        return
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for tag, _, _, begin, end in matcher.get_opcodes():
        if tag != "equal":
            yield begin, end


def is_python(path: str) -> bool:
    """Lines of these files can be traced."""
    return PurePosixPath(path).suffix == ".py"


def hunks_of(change: Change) -> tuple[Hunk, ...] | None:
    """The hunks of one Python file; None when it cannot be read as Python (nothing can be said of it then)."""
    if change.after is None:
        return None
    try:
        tree = ast.parse(change.after)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    lines = changed_lines(change.before or b"", change.after)
    owners = _owners(_statements(tree))
    grouped: dict[tuple[int, int], set[int]] = {}
    for run in _runs(lines):
        for line in run:
            if (owner := owners.get(line)) is not None:
                grouped.setdefault((run[0], owner.scope), set()).update(range(owner.begin, owner.end + 1))
    ends = {run[0]: run[-1] for run in _runs(lines)}
    return tuple(
        Hunk(path=change.path, begin=begin, end=ends[begin], lines=frozenset(found), at_import=scope == 0)
        for (begin, scope), found in sorted(grouped.items())
    )


def _runs(lines: Iterable[int]) -> list[list[int]]:
    runs: list[list[int]] = []
    for line in lines:
        if runs and runs[-1][-1] == line - 1:
            runs[-1].append(line)
        else:
            runs.append([line])
    return runs


@dataclass(frozen=True, slots=True)
class _Span:
    begin: int
    end: int
    scope: int
    """First line of the function it stands in; 0 for module and class level."""


def _statements(tree: ast.Module) -> list[_Span]:
    """What can be executed, as line spans: simple statements whole, compound ones by their heads; no docstrings."""
    spans: list[_Span] = []
    stack: list[tuple[ast.AST, int]] = [(tree, 0)]
    while stack:
        node, scope = stack.pop()
        inner = node.lineno if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) else scope
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.stmt):
                if not _is_docstring(child):
                    spans.append(_Span(_first_line(child), _head_end(child), inner))
            elif isinstance(child, ast.Lambda):
                spans.append(_Span(child.lineno, child.end_lineno or child.lineno, child.lineno))
            elif isinstance(child, ast.ExceptHandler | ast.match_case):
                begin = child.lineno if isinstance(child, ast.ExceptHandler) else child.pattern.lineno
                spans.append(_Span(begin, max(begin, child.body[0].lineno - 1), inner))
            stack.append((child, inner))
    return spans


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _first_line(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _head_end(node: ast.stmt) -> int:
    bodies: list[ast.AST] = [
        *getattr(node, "body", []), *getattr(node, "handlers", []), *getattr(node, "cases", [])
    ]  # fmt: skip
    first = min((getattr(part, "lineno", node.lineno) for part in bodies), default=0)
    if not first:
        return node.end_lineno or node.lineno
    return max(node.lineno, first - 1)


def _owners(spans: Iterable[_Span]) -> Mapping[int, _Span]:
    """Line to the smallest span around it, each span gone over once: a generated file has many thousands."""
    found: dict[int, _Span] = {}
    for span in sorted(spans, key=lambda one: (one.begin - one.end, one.scope)):
        found.update(dict.fromkeys(range(span.begin, span.end + 1), span))
    return found


def coverage(hunks: Iterable[Hunk], spectrum: Spectrum, passing: frozenset[str]) -> tuple[Covered, ...]:
    """Whether each hunk ran inside a passing test. Hunks in which nothing can run are left out."""
    result: list[Covered] = []
    any_passing = any(test in passing for test in spectrum.lines)
    for hunk in hunks:
        by_test = spectrum.of_file(hunk.path)
        tests = [test for test in by_test if test in passing]
        if hunk.at_import and any_passing:
            tests.append(IMPORT_KEY)
        ran = any(hunk.lines & by_test.get(test, frozenset()) for test in tests)
        result.append(Covered(path=hunk.path, begin=hunk.begin, end=hunk.end, ran=ran))
    return tuple(result)


def labels(changes: Iterable[Change], covered: Iterable[Covered] | None) -> Mapping[str, str]:
    """Changed file to `covered`, `not covered` or `unknown`, for the report."""
    known: dict[str, list[bool | None]] = {}
    for one in covered or ():
        known.setdefault(one.path, []).append(one.ran)
    result: dict[str, str] = {}
    for change in changes:
        values = known.get(change.path, [None])
        result[change.path] = "unknown" if None in values else "covered" if all(values) else "not covered"
    return result
