"""Order among survivors, and the guesses of kinds and groups it rests on."""

import ast

from agent.adapters.models.embedded.kinds import MISMATCH, SAME, UNKNOWN, Kind, Kinds, kind_of
from agent.adapters.models.embedded.plausible import Mixture, order
from agent.adapters.models.embedded.scope import Edit
from agent.domain.edit import Anchor
from agent.ports import WriteRequest

SOURCE = b"""\
def f(values, size):
    best = 0
    for place, value in enumerate(values):
        if value < values[best]:
            best = place
        size = size + 1
    return best
"""


def edit(old: bytes, new: bytes, prior: float, family: str = "x") -> Edit:
    begin = SOURCE.index(old)
    return Edit(begin=begin, end=begin + len(old), text=new, prior=prior, family=family, line=1)


def request() -> WriteRequest:
    return WriteRequest(anchor=Anchor(path="m.py", begin=1, end=7, old=SOURCE), source=SOURCE)


def test_the_cheaper_edit_comes_first() -> None:
    edits = [edit(b"best = 0", b"best = 1", 2.0), edit(b"value < ", b"value <= ", 1.0)]
    assert order(request(), edits, [0, 1]) == [1, 0]


def test_arithmetic_with_what_was_only_compared_costs() -> None:
    edits = [edit(b"value < ", b"value + 1 < ", 1.9), edit(b"best = 0", b"best = 1", 2.3)]
    assert order(request(), edits, [0, 1]) == [1, 0]


def test_comparing_what_was_kept_apart_costs() -> None:
    edits = [edit(b"value < values[best]", b"value < size", 1.5), edit(b"best = 0", b"best = 1", 2.3)]
    assert order(request(), edits, [0, 1]) == [1, 0]


def test_an_edit_inside_a_condition_no_test_sees_costs() -> None:
    probe = edit(b"value < values[best]", b"False", 4.5, "probe")
    edits = [probe, edit(b"value < ", b"value > ", 1.8), edit(b"best = 0", b"best = 1", 2.3)]
    assert order(request(), edits, [0, 1, 2]) == [2, 1, 0]
    assert order(request(), edits, [1, 2]) == [1, 2]


def test_one_survivor_needs_no_order() -> None:
    assert order(request(), [edit(b"value", b"(", 1.0)], [0]) == [0]


def test_a_source_that_does_not_parse_mixes_nothing() -> None:
    assert not Mixture(b"def f(:").mixes_more_than(Mixture(SOURCE))


def test_kinds_are_read_from_use() -> None:
    kinds = Kinds(ast.parse(SOURCE + b"    done = True\n    key(size)\n    box = {}\n    box.x.y\n"))
    assert kinds.kind("values") is Kind.BOX
    assert kinds.kind("size") is Kind.NUMBER
    assert kinds.kind("place") is Kind.NUMBER
    assert kinds.kind("nobody") is None
    assert kinds.group("value") == kinds.group("values[]")


def test_priors_of_variables_follow_group_and_kind() -> None:
    kinds = Kinds(ast.parse("a = 1\nb = 2\nc = []\nd = e\nf < a"))
    assert kinds.prior("a", "b") == SAME
    assert kinds.prior("a", "f") == SAME
    assert kinds.prior("d", "e") == SAME
    assert kinds.prior("a", "c") == MISMATCH
    assert kinds.prior("a", "d") == UNKNOWN


def test_kind_of_expressions() -> None:
    wanted = {
        "1": Kind.NUMBER,
        "-1": Kind.NUMBER,
        "True": Kind.FLAG,
        "'x'": Kind.BOX,
        "[1]": Kind.BOX,
        "[0] * n": Kind.BOX,
        "a - b": Kind.NUMBER,
        "len(a)": Kind.NUMBER,
        "sorted(a)": Kind.BOX,
        "a < b": Kind.FLAG,
        "not a": Kind.FLAG,
        "[x for x in a]": Kind.BOX,
        "a + b": None,
        "f(a)": None,
    }
    for text, kind in wanted.items():
        assert kind_of(ast.parse(text, mode="eval").body) is kind, text
