"""Operators on ordinary and odd sources: edits stay in their anchor, mostly compile, and reach well-known repairs."""

import ast
import warnings

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent.adapters.models.embedded.operators import FAMILIES, KNOWN
from agent.adapters.models.embedded.scope import Edit, Scope
from agent.adapters.models.embedded.search import anchor_start, candidates, probes, replacement, trimmed
from agent.domain.edit import Anchor
from agent.ports import WriteRequest

PLAIN = """\
import math

LIMIT = 10


def outer(values, limit=3, *rest, key=None, **more):
    "Documented: 1 < 2."
    total = 0
    seen = []
    for index, value in enumerate(values):
        if value in seen or not value:
            continue
        if value < limit and index >= 1:
            total += value * 2 - 1
        else:
            seen.append(value)
    try:
        best = max(seen, key=lambda one: one[0])
    except ValueError:
        best = None
    while total > LIMIT:
        total -= 1
    return [total, best] + seen[1:-1] if best is not None else {"total": total, "text": f"{total:.2f}"}
"""
ODD = {
    "unicode": "def größe(höhe, breite):\n    fläche = höhe * breite  # ü\n    return 'ß' if fläche > 3 else höhe\n",
    "tabs": "def f(a, b):\n\tif a < b:\n\t\ta += 1\n\treturn a\n",
    "crlf": "def f(a, b):\r\n    c = a + b\r\n    if c < 3:\r\n        return c\r\n    return b\r\n",
    "no final newline": "def f(a, b):\n    if a:\n        return b\n    return a - 1",
    "mark": "\ufeffdef f(a, b):\n    return a[b] + 1\n",
    "decorated": (
        "import functools\n\n\n@functools.lru_cache(maxsize=2)\n@staticmethod\ndef f(a, b=2):\n"
        "    return a < b\n"
    ),
    "nested": (
        "def f(a):\n    def g(b):\n        nonlocal a\n        a = b - a\n"
        "        return lambda c: c + b\n    return g(a)\n"
    ),
    "async": (
        "async def f(a):\n    async with a as b:\n        async for c in b:\n"
        "            await c(a, b)\n    return [d async for d in a]\n"
    ),
    "match": (
        "def f(a):\n    match a:\n        case [b, *c] if b > 1:\n            return c\n"
        "        case {'k': d}:\n            return d\n"
    ),
    "walrus": "def f(a):\n    if (b := len(a)) > 3 and (c := b - 1):\n        return b, c\n    return 0\n",
    "one line": "def f(a, b): c = a; d = b; return c + d\n",
    "strings": "def f(a):\n    return '''x\ny''' + f'{a!r:>{3}} {{}}' + b'z'.decode() + 'it''s' + r'\\d' + \"q\"\n",
    "continued": (
        "def f(a, b):\n    c = a + \\\n        b\n    return (c <\n            b), [\n        a,\n"
        "        b,\n    ]\n"
    ),
    "class": (
        "class C:\n    size = 3\n\n    def f(self, a):\n        self.count = a\n"
        "        return self.size + self.count\n"
    ),
    "generator": "def f(a):\n    for b in a:\n        yield b + 1\n        yield from f(b[1:])\n    return\n",
    "slices": "def f(a, i):\n    return a[i:i + 1], a[::2], a[..., i], a[i][0], a[-1:]\n",
    "form feed": "import re\n\x0c\ndef f(a):\n    return re.match('a', a) is None\n",
    "raises": (
        "def f(a):\n    try:\n        return a[0]\n    except (KeyError, IndexError) as e:\n"
        "        raise ValueError(a) from e\n    finally:\n        del a\n"
    ),
    "starred": (
        "def f(*a, **b):\n    c, *d = a\n    print(*d, sep='', **b)\n"
        "    return {**b, 'c': c}, [*a, 1], {1, c}\n"
    ),
    "empty": "def f():\n    ...\n",
}  # fmt: skip


def request_for(
    text: str, begin: int = 1, end: int | None = None, suspicion: tuple[tuple[int, float], ...] = ()
) -> WriteRequest:
    source = text.encode()
    lines = source.split(b"\n")
    last = end or len(lines) - (lines[-1] == b"")
    old = b"\n".join(lines[begin - 1 : last]) + (b"\n" if last < len(lines) else b"")
    anchor = Anchor(path="m.py", begin=begin, end=last, old=old)
    return WriteRequest(anchor=anchor, source=source, failing=("t",), suspicion=suspicion)


def changed(request: WriteRequest, edit: Edit) -> bytes:
    assert request.anchor is not None
    start = anchor_start(request)
    assert start is not None
    new = replacement(request.anchor, edit, start)
    return request.source[:start] + new + request.source[start + len(request.anchor.old) :]


def compiles(source: bytes) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(source, "m.py", "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    return True


@pytest.mark.parametrize("name", ODD)
def test_edits_stay_in_the_anchor_and_nearly_all_compile(name: str) -> None:
    request = request_for(ODD[name])
    found = candidates(request, 100_000)
    assert found or name == "empty"
    good = 0
    for edit in found:
        assert 0 <= edit.begin <= edit.end <= len(request.source)
        new = changed(request, edit)
        assert new == request.source[: edit.begin] + edit.text + request.source[edit.end :]
        assert new != request.source
        good += compiles(new)
    assert good >= 0.9 * len(found)


def test_only_the_anchors_lines_change() -> None:
    lines = PLAIN.splitlines()
    begin = 1 + next(place for place, line in enumerate(lines) if "if value <" in line)
    request = request_for(PLAIN, begin, begin + 3)
    first = sum(len(line) + 1 for line in lines[: begin - 1])
    last = sum(len(line) + 1 for line in lines[: begin + 3])
    found = candidates(request, 100_000)
    assert found
    assert all(first <= edit.begin and edit.end <= last for edit in found)
    for edit in found[:200]:
        new = changed(request, edit)
        assert new.startswith(request.source[:first])
        assert new.endswith(request.source[last:])


def test_no_two_candidates_make_the_same_file() -> None:
    request = request_for(PLAIN)
    found = candidates(request, 100_000)
    assert len({changed(request, edit) for edit in found}) >= 0.999 * len(found)  # moved blank lines may meet
    assert len(found) > 1000


def test_docstrings_annotations_and_comments_are_left_alone() -> None:
    text = 'def f(a: "x < y", b: int = 3) -> int:\n    """Holds 1 < 2."""\n    # a < b\n    return a < b\n'
    request = request_for(text)
    source = request.source
    kept = [source.index(b'"x < y"'), source.index(b"Holds 1 < 2"), source.index(b"# a < b"), source.index(b"-> int")]
    inner = [
        edit
        for edit in candidates(request, 100_000)
        if any(edit.begin < place + 4 and edit.end > place for place in kept) and edit.begin != edit.end
    ]
    assert not [edit for edit in inner if edit.family != "statement deleted"]


REPAIRS = {
    "boundary": ("return a < b", "return a <= b"),
    "off by one": ("return a[:b]", "return a[:b + 1]"),
    "operator": ("return a + b", "return a - b"),
    "argument order": ("return f(a, b)", "return f(b, a)"),
    "variable": ("c = a\n    return a", "c = a\n    return c"),
    "constant": ("return a + 2", "return a + 3"),
    "negated": ("if a:\n        return b", "if not a:\n        return b"),
    "dropped": ("if a and b:\n        return b", "if a:\n        return b"),
    "extended": ("if a:\n        return b", "if a or not b:\n        return b"),
    "return value": ("return []", "return [a]"),
    "slice": ("return f(a, b)", "return f(a[1:], b)"),
    "wrapped": ("return a", "return sorted(a)"),
    "unwrapped": ("return list(a)", "return a"),
    "statement removed": ("a = b\n    b = 1\n    return a", "a = b\n    return a"),
    "statements swapped": ("a = b\n    b = 1\n    return a", "b = 1\n    a = b\n    return a"),
    "moved out of a loop": (
        "for c in a:\n        b += c\n        return b",
        "for c in a:\n        b += c\n    return b",
    ),
    "copied with another variable": (
        "d = []\n    d.append(a)\n    return d, b",
        "d = []\n    d.append(a)\n    d.append(b)\n    return d, b",
    ),
    "exception": (
        "try:\n        return a[b]\n    except KeyError:\n        return 0",
        "try:\n        return a[b]\n    except IndexError:\n        return 0",
    ),
    "separator": ("return ','.join(a)", "return ' '.join(a)"),
    "method": ("return a.lstrip(b)", "return a.rstrip(b)"),
    "default": ("return a.get(b)", "return a.get(b, 0)"),
    "format": ("return f'{a:.1f}'", "return f'{a:.2f}'"),
    "text variable": ("return f'{a}'", "return f'{b}'"),
    "assigned": ("a = b\n    return a", "a += b\n    return a"),
    "floor": ("return a / b", "return a // b"),
    "index swap": ("return a[b][0]", "return a[0][b]"),
    "elif": (
        "if a:\n        b = 1\n    if b:\n        b = 2\n    return b",
        "if a:\n        b = 1\n    elif b:\n        b = 2\n    return b",
    ),
    "reverse order": ("return sorted(a)", "return sorted(a, reverse=True)"),
    "filter": ("return [c for c in a]", "return [c for c in a if c]"),
    "key and value": ("return {c: d for c, d in a}", "return {d: c for c, d in a}"),
    "grouping": ("return a * b + 1", "return a * (b + 1)"),
    "missing return": ("f(a, b)", "return f(a, b)"),
    "early answer": (
        "'Documented.'\n    return a[0]",
        "'Documented.'\n    if not a:\n        return ''\n    return a[0]",
    ),
    "refusal": (
        "return a * b",
        "if b < 0:\n        raise ValueError('b must not be negative')\n    return a * b",
    ),
    "way out": (
        "c = g(a)\n    c.size = b.size\n    return c",
        "c = g(a)\n    if b is None:\n        return c\n    c.size = b.size\n    return c",
    ),
}


@pytest.mark.parametrize("name", REPAIRS)
def test_a_known_kind_of_repair_is_among_the_candidates(name: str) -> None:
    wrong, right = (f"def f(a, b):\n    {body}\n" for body in REPAIRS[name])
    wanted = ast.dump(ast.parse(right))
    request = request_for(wrong)
    sources = (changed(request, edit) for edit in candidates(request, 100_000))
    assert any(compiles(source) and ast.dump(ast.parse(source)) == wanted for source in sources)


def test_a_guard_stands_after_the_docstring_of_a_function() -> None:
    request = request_for('def f(a):\n    """Documented."""\n    return a[0]\n')
    early = [edit for edit in candidates(request, 100_000) if edit.family in ("early return", "early refusal")]
    assert early
    assert all(b'"""Documented."""\n    if' in changed(request, edit) for edit in early)


def test_defaults_class_attributes_and_module_constants_are_offered() -> None:
    text = "LIMIT = 10\n\n\nclass C:\n    size = 3\n\n    def f(self, a=1):\n        return a\n"
    request = request_for(text)
    made = {changed(request, edit) for edit in candidates(request, 100_000)}
    for wanted in ("LIMIT = 11", "size = 4", "a=2"):
        assert any(wanted.encode() in source for source in made)


def test_suspicious_lines_come_first() -> None:
    text = "def f(a, b):\n    if a < b:\n        return a\n    if a > b:\n        return b\n"
    found = candidates(request_for(text, suspicion=((4, 1.0), (2, 0.1))), 5)
    assert found[0].line == 4


def test_a_file_that_is_no_python_has_no_candidates() -> None:
    assert candidates(request_for("def f(:\n"), 10) == []
    assert candidates(WriteRequest(anchor=None, source=b""), 10) == []
    latin = WriteRequest(anchor=Anchor(path="m.py", begin=1, end=1, old=b"a = '\xe4'\n"), source=b"a = '\xe4'\n")
    assert candidates(latin, 10) == []


def test_an_anchor_whose_bytes_do_not_stand_there_has_no_start() -> None:
    request = WriteRequest(anchor=Anchor(path="m.py", begin=2, end=2, old=b"x\n"), source=b"a\nb\n")
    assert anchor_start(request) is None


def test_probes_make_each_condition_constant() -> None:
    request = request_for("def f(a, b):\n    return a < b or (a and b)\n")
    texts = {(request.source[edit.begin : edit.end], edit.text) for edit in probes(request)}
    assert (b"a < b", b"False") in texts
    assert (b"a < b", b"True") in texts


def test_trimmed_leaves_out_what_stays() -> None:
    edit = Edit(begin=2, end=9, text=b"a <= b", prior=1.0, family="x", line=1)
    assert trimmed(b"  a < b  ", Edit(begin=2, end=7, text=edit.text, prior=1.0, family="x", line=1)) == (5, 5, b"=")


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.sampled_from(sorted(ODD)), min_size=1, max_size=4), st.data())
def test_any_lines_of_any_mixture_of_sources(names: list[str], data: st.DataObject) -> None:
    text = "\n".join(ODD[name].lstrip("\ufeff") for name in names)
    lines = text.encode().split(b"\n")
    count = len(lines) - (lines[-1] == b"")
    begin = data.draw(st.integers(1, count))
    end = data.draw(st.integers(begin, count))
    request = request_for(text, begin, end)
    start = anchor_start(request)
    assert start is not None
    assert request.anchor is not None
    for edit in candidates(request, 300):
        assert start <= edit.begin <= edit.end <= start + len(request.anchor.old)
        new = replacement(request.anchor, edit, start)
        before, after = request.source[:start], request.source[start + len(request.anchor.old) :]
        assert before + new + after == request.source[: edit.begin] + edit.text + request.source[edit.end :]


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__module__.rsplit(".", 1)[1])
def test_every_family_proposes_something_and_names_what_it_does(family: object) -> None:
    assert callable(family)
    request = request_for(PLAIN + ODD["raises"].replace("def f", "def g"))
    assert request.anchor is not None
    edits = list(family(Scope(request.source, request.anchor)))
    assert edits
    assert all(edit.family in KNOWN and 0.5 <= edit.prior <= 6 and edit.line >= 1 for edit in edits)


@pytest.mark.parametrize("name", ODD)
def test_families_are_known_by_name_and_can_be_switched_off(name: str) -> None:
    request = request_for(ODD[name])
    found = {edit.family for edit in candidates(request, 100_000)}
    assert found <= KNOWN
    assert not any("," in family for family in found)
    assert candidates(request, 100_000, KNOWN) == []
