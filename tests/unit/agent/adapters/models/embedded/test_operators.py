"""Operators on ordinary and odd sources: edits stay in their anchor, mostly compile, and reach well-known repairs."""

import ast
import re
import warnings
from dataclasses import replace

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


def made_of(request: WriteRequest, most: int = 100_000) -> list[bytes]:
    """The sources all candidates make; that `changed` makes the same is a test of its own."""
    source = request.source
    return [source[: edit.begin] + edit.text + source[edit.end :] for edit in candidates(request, most)]


def compiles(source: bytes) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(source, "m.py", "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    return True


def reaches(request: WriteRequest, right: str) -> bool:
    """Is there a candidate that makes a source with the syntax tree of `right`?"""
    wanted, plain = ast.dump(ast.parse(right)), PUNCTUATION.sub(b"", right.encode())
    near = (source for source in made_of(request) if PUNCTUATION.sub(b"", source) == plain)
    return any(compiles(source) and ast.dump(ast.parse(source)) == wanted for source in near)


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
    found = made_of(request)
    assert len(set(found)) >= 0.999 * len(found)  # moved blank lines may meet
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


PUNCTUATION = re.compile(rb"[\s()'\"]+")
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
    "none meant": ("if a and not b:\n        return b", "if a is not None and not b:\n        return b"),
    "none meant everywhere": (
        "if a and not b:\n        return b\n    if b:\n        return a",
        "if a is not None and b is None:\n        return b\n    if b is not None:\n        return a",
    ),
    "everywhere": ("c = a < b\n    return a < b or c", "c = a <= b\n    return a <= b or c"),
    "out of the middle": (
        "c = a + b\n    d = c[0]\n    return d",
        "c = a + b\n    if not c:\n        return None\n    d = c[0]\n    return d",
    ),
    "on with the loop": (
        "for c in a:\n        b += c.d\n    return b",
        "for c in a:\n        if c is None:\n            continue\n        b += c.d\n    return b",
    ),
    "only sometimes": ("b = a.x\n    return b", "if a:\n        b = a.x\n    return b"),
    "larger alone": ("b = a + 1\n    return b", "if b < (a + 1):\n        b = a + 1\n    return b"),
    "call put in": (
        "c = []\n    c.append(a)\n    if b:\n        d = b\n    return c",
        "c = []\n    c.append(a)\n    if b:\n        d = b\n        c.append(d)\n    return c",
    ),
    "adapted": ("c = a[b]\n    return c", "c = a[b]\n    return a[c]"),
    "asked for": ("return len(a) - b", "return a.find(b)"),
    "keyword passed on": ("return g(a, x=1)", "return g(a, x=1, b=b)"),
    "key": ("return sorted(a)", "return sorted(a, key=len)"),
    "type added": ("return isinstance(a, str)", "return isinstance(a, (str, bytes))"),
    "character": ("return a in '<>'", "return a in '<'"),
    "pattern": ("return g(r'a+', b)", "return g(r'a*', b)"),
    "not before a digit": ("return g(r'(a)', b)", "return g(r'(a)(?!\\d)', b)"),
    "way out": (
        "c = g(a)\n    c.size = b.size\n    return c",
        "c = g(a)\n    if b is None:\n        return c\n    c.size = b.size\n    return c",
    ),
}


@pytest.mark.parametrize("name", REPAIRS)
def test_a_known_kind_of_repair_is_among_the_candidates(name: str) -> None:
    wrong, right = (f"def f(a, b):\n    {body}\n" for body in REPAIRS[name])
    assert reaches(request_for(wrong), right)


SIBLINGS = """\
class C:
    def clean(self, a):
        return a.strip()

    def old(self, a):
        if a.done or self.size > 3:
            self.flush()
            a = self.clean(a)
        return a

    def new(self, a):
        if a:
            return a
        return a.b
"""


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("return a.b", "return self.clean(a.b)"),
        ("if a:", "if a.done and (a):".replace("(a)", "a")),
        ("if a:", "if a or (self.size > 3):"),
        ("        return a.b", "        self.flush()\n        return a.b"),
    ],
)
def test_what_stands_elsewhere_in_the_file_is_offered(wrong: str, right: str) -> None:
    head, tail = SIBLINGS.split("def new")
    request = request_for(SIBLINGS, head.count("\n") + 1, SIBLINGS.count("\n"))
    assert reaches(request, head + "def new" + tail.replace(wrong, right))


def test_a_table_gets_an_entry_under_a_word_that_was_told() -> None:
    text = "WORDS = {\n    'ALTER': 1,\n    'ROW_COUNT': 2,\n    'TABLE': 3,\n}\nNAMES = ('one', 'two', 'three')\n"
    request = replace(request_for(text), told="ALTER TABLE swallows ROW_FORMAT and four")
    made = [source.decode() for source in made_of(request)]
    assert text.replace("2,\n", "2,\n    'ROW_FORMAT': 2,\n") in made
    assert any("'four'" in source.partition("NAMES")[2] for source in made)
    assert not any("'swallows'" in source.partition("NAMES")[0] for source in made)


def test_a_failing_statement_is_handled_for_the_exception_the_failures_name() -> None:
    request = replace(request_for("def f(a, b):\n    return a[b]\n"), told="E   IndexError: list index out of range")
    made = made_of(request)
    text = b"    try:\n        return a[b]\n    except IndexError:\n        return None\n"
    assert b"def f(a, b):\n" + text in made


def test_a_guard_stands_after_the_docstring_of_a_function() -> None:
    request = request_for('def f(a):\n    """Documented."""\n    return a[0]\n')
    early = [edit for edit in candidates(request, 100_000) if edit.family in ("early return", "early refusal")]
    assert early
    assert all(b'"""Documented."""\n    if' in changed(request, edit) for edit in early)


def test_defaults_class_attributes_and_module_constants_are_offered() -> None:
    text = "LIMIT = 10\n\n\nclass C:\n    size = 3\n\n    def f(self, a=1):\n        return a\n"
    request = request_for(text)
    made = made_of(request)
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
    table = "TABLE = {'ALTER': 1, 'ROW_COUNT': 2, 'TABLE': 3}\n"
    request = request_for(PLAIN + ODD["raises"].replace("def f", "def g") + table)
    assert request.anchor is not None
    edits = list(family(Scope(request.source, request.anchor, "ROW_FORMAT raises a KeyError")))
    assert edits
    assert all(edit.family in KNOWN and 0.5 <= edit.prior <= 6 and edit.line >= 1 for edit in edits)


@pytest.mark.parametrize("name", ODD)
def test_families_are_known_by_name_and_can_be_switched_off(name: str) -> None:
    request = request_for(ODD[name])
    found = {edit.family for edit in candidates(request, 100_000)}
    assert found <= KNOWN
    assert not any("," in family for family in found)
    assert candidates(request, 100_000, KNOWN) == []


def test_lines_an_exception_passed_come_first() -> None:
    text = "def f(a, b):\n    if a < b:\n        return a\n    if a > b:\n        return b\n"
    request = replace(request_for(text), told="m.py:4: KeyError")
    assert {edit.line for edit in candidates(request, 3)} == {4}
