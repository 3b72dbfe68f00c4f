"""Functions are found with their decorators, and odd sources give none."""

from hypothesis import given
from hypothesis import strategies as st

from agent.index.symbols import Function, functions, loose_statements, outermost

SOURCE = b"""import x

@cache
@other(1)
def first(a):
    def inner():
        return a
    return inner


class Box:
    size = 1

    async def open(self):
        return self
"""


def test_functions_methods_and_nested_ones_have_qualified_names_and_whole_lines() -> None:
    assert functions(SOURCE) == (
        Function(name="first", begin=3, end=8),
        Function(name="first.inner", begin=6, end=7),
        Function(name="Box.open", begin=14, end=15),
    )


def test_the_unit_of_an_edit_holds_its_nested_functions() -> None:
    assert [one.name for one in outermost(SOURCE)] == ["first", "Box.open"]


def test_statements_outside_of_functions_are_found_without_imports_and_docstrings() -> None:
    source = b'''"""Doc."""
import x

__all__ = ["LIMIT"]
LIMIT = 3
TABLE = {
    1: 2,
}


class Box:
    """Doc."""

    size = 1
    __hash__ = None

    def open(self):
        return self


if LIMIT:
    LIMIT = 4
'''

    assert loose_statements(source) == ((5, 5), (6, 8), (14, 14), (15, 15), (21, 22))


@given(st.binary(max_size=200))
def test_any_bytes_give_functions_or_none(source: bytes) -> None:
    assert all(1 <= one.begin <= one.end for one in functions(source))
