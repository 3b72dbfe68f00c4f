"""Pages of a file, whatever its bytes are."""

import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from agent.tools.read import MAX_WHOLE, PAGE_LINES, Blank, Page, Why, read, read_page
from agent.tools.refused import Refused
from tests.unit.agent.tools.conftest import Make


def page(content: bytes, *, offset: int = 1, limit: int = PAGE_LINES) -> Page:
    result = read_page(content, offset=offset, limit=limit)
    assert isinstance(result, Page)
    return result


def test_a_page_says_which_rows_it_shows_of_how_many() -> None:
    shown = page(b"a\nb\nc\nd", offset=2, limit=2)

    assert (shown.begin, shown.end, shown.total, shown.done) == (2, 3, 4, False)
    assert shown.render() == "2\tb\n3\tc"


def test_an_offset_of_nothing_is_the_first_row() -> None:
    assert page(b"a\n", offset=0) == page(b"a\n", offset=1) == page(b"a\n", offset=-3)


def test_a_page_that_reaches_the_last_line_is_done_at_once() -> None:
    assert page(b"x\n" * PAGE_LINES).done
    assert not page(b"x\n" * (PAGE_LINES + 1)).done
    assert page(b"x\n" * (PAGE_LINES + 1), offset=PAGE_LINES + 1).done


def test_the_mark_and_carriage_returns_before_newlines_are_not_shown() -> None:
    assert page(b"\xef\xbb\xbfa\r\nb\r\r\nc\r").rows == ("a", "b\r", "c\r")


def test_bytes_that_are_no_text_are_shown_as_escapes() -> None:
    assert page(b"caf\xe9\n").rows == ("caf\\xe9", "")


def test_empty_binary_and_past_the_end_are_said_and_done() -> None:
    for content, why in (
        (b"", Why.EMPTY),
        (b"\xef\xbb\xbf", Why.EMPTY),
        (b"\0\1", Why.BINARY),
        (b"\xff\xfea", Why.BINARY),
    ):
        blank = read_page(content)
        assert isinstance(blank, Blank)
        assert (blank.why, blank.done) == (why, True)
    assert read_page(b"a", offset=2).render() == "line 2 is past the end: the file has 1 lines"


def test_binary_is_told_by_the_bytes_and_not_by_the_name(make: Make) -> None:
    work = make({"picture.png": b"only text\n", "notes.txt": b"\0" * 10})

    assert isinstance(read(work, "picture.png"), Page)
    assert read(work, "notes.txt") == Blank(why=Why.BINARY)


def test_a_large_file_is_not_read_whole_but_by_pages(make: Make) -> None:
    work = make({"big.txt": b"x" * 99 + b"\n", "small.txt": b"a\nb\n"})
    work.write("big.txt", (b"x" * 99 + b"\n") * 3_000)

    refused = read(work, "big.txt", limit=0)
    assert isinstance(refused, Refused)
    assert "300000" in refused.render()
    assert str(MAX_WHOLE) in refused.render()
    assert isinstance(read(work, "big.txt", offset=2_900, limit=10), Page)
    assert read(work, "small.txt", limit=0).render() == "1\ta\n2\tb\n3\t"


def test_what_is_no_file_of_the_tree_is_refused(make: Make) -> None:
    work = make({"src/a.py": b"a\n"})

    for path, said in (
        ("a.py", "no such file: a.py; there is src/a.py"),
        ("src", "folder"),
        ("../x", "inside the tree"),
    ):
        result = read(work, path)
        assert isinstance(result, Refused)
        assert said in result.render()


def test_fifty_megabytes_cost_a_page_and_not_a_copy() -> None:
    content = b"x" * 50_000_000 + b"\n" + b"line\n" * 10
    tracemalloc.start()
    first, second = page(content, limit=1), page(content, offset=2)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert first.rows[0].endswith(" ... (cut)")
    assert len(first.rows[0]) < MAX_WHOLE + 20
    assert second.rows == ("line",) * 10 + ("",)
    assert peak < 5_000_000


def test_a_page_of_long_lines_ends_early_and_goes_on() -> None:
    content = (b"y" * 100_000 + b"\n") * 5
    shown = page(content)

    assert (shown.end, shown.done) == (2, False)
    assert page(content, offset=3).begin == 3


@given(st.binary(max_size=400), st.integers(-3, 50), st.integers(-3, 50))
def test_any_bytes_and_any_window_give_a_page_or_a_reason(content: bytes, offset: int, limit: int) -> None:
    result = read_page(content, offset=offset, limit=limit)

    assert result.render()
    assert result.total >= result.end


@given(st.lists(st.sampled_from(["a", "\tb", "é", "\n", "\r\n", "\r", " "]), max_size=40), st.integers(1, 7))
def test_pages_joined_give_the_file_back(parts: list[str], limit: int) -> None:
    text = "".join(parts)
    rows: list[str] = []
    while isinstance(shown := read_page(text.encode(), offset=len(rows) + 1, limit=limit), Page):
        rows += shown.rows
        assert shown.done == (len(rows) >= shown.total - text.endswith("\n"))

    assert "\n".join(rows) == text.replace("\r\n", "\n")
