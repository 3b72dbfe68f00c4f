"""Pages of a file, whatever its bytes are."""

from hypothesis import given
from hypothesis import strategies as st

from agent.tools.read import PAGE_LINES, read_page


def test_one_line_in_the_middle_is_numbered() -> None:
    assert read_page(b"one\ntwo\nthree\n", offset=2, limit=1).text == "2\ttwo"


def test_a_page_that_reaches_the_last_line_is_done_at_once() -> None:
    page = read_page(b"one\ntwo\n")

    assert (page.text, page.lines, page.done) == ("1\tone\n2\ttwo", 2, True)


def test_carriage_returns_and_the_byte_order_mark_are_not_shown() -> None:
    assert read_page(b"\xef\xbb\xbfa\r\nb\n").text == "1\ta\n2\tb"


def test_a_long_file_is_served_by_pages() -> None:
    content = b"x\n" * (PAGE_LINES + 1)

    assert not read_page(content).done
    assert read_page(content, offset=PAGE_LINES + 1).text == f"{PAGE_LINES + 1}\tx"


def test_empty_binary_and_past_the_end_are_said_and_done() -> None:
    assert read_page(b"").text == "empty file"
    assert "binary" in read_page(b"\0\1").text
    assert read_page(b"a\n", offset=5).text == "line 5 is past the end: the file has 1 lines"
    assert all(page.done for page in (read_page(b""), read_page(b"\0"), read_page(b"a\n", offset=5)))


@given(st.binary(max_size=400), st.integers(-3, 50), st.integers(-3, 50))
def test_any_bytes_any_window_give_a_page(content: bytes, offset: int, limit: int) -> None:
    page = read_page(content, offset=offset, limit=limit)

    assert page.text
    assert page.lines >= 0
