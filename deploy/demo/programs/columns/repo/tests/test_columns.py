import pytest

from columns import align, cut, table, widths, wrap


def test_wrap_breaks_between_words():
    assert wrap("the quick brown fox", 10) == ["the quick", "brown fox"]


def test_wrap_never_exceeds_the_width():
    text = "a bb ccc dddd eeeee ffffff ggggg hhhh iii jj k"
    for width in range(6, 20):
        assert all(len(line) <= width for line in wrap(text, width))


def test_wrap_fills_a_line_to_the_last_column():
    assert wrap("aaaa bbbb cc", 9) == ["aaaa bbbb", "cc"]


def test_wrap_counts_the_space_between_words():
    assert wrap("aaaa bbbbb", 9) == ["aaaa", "bbbbb"]


def test_wrap_gives_a_long_word_its_own_line():
    assert wrap("to internationalisation now", 8) == ["to", "internationalisation", "now"]


def test_wrap_nothing():
    assert wrap("   ", 10) == []


def test_wrap_refuses_no_width():
    with pytest.raises(ValueError):
        wrap("a", 0)


def test_cut_leaves_what_fits():
    assert cut("exactly ten", 11) == "exactly ten"


def test_cut_marks_what_is_missing():
    assert cut("the quick brown fox", 12) == "the quick..."


@pytest.mark.parametrize("width", [5, 8, 13])
def test_cut_fits_the_width(width):
    assert len(cut("the quick brown fox", width)) == width


@pytest.mark.parametrize(("side", "text"), [("left", "ab   "), ("right", "   ab"), ("centre", " ab  ")])
def test_align(side, text):
    assert align("ab", 5, side) == text


def test_align_leaves_long_text_alone():
    assert align("abcdef", 3, "right") == "abcdef"


def test_align_unknown_side():
    with pytest.raises(ValueError):
        align("a", 3, "up")


def test_widths_of_ragged_rows():
    assert widths([["a", "bbb"], ["cc"], [1234, "b", "x"]]) == [4, 3, 1]


def test_table():
    assert table([["name", "size"], ["a.txt", 7], ["long.txt", 1200]]) == [
        "name      size",
        "a.txt        7",
        "long.txt  1200",
    ]
