import pytest

from intervals import check, gaps, length, merge, overlap, total


def test_check_returns_its_argument():
    assert check((3, 9)) == (3, 9)


def test_check_refuses_backwards():
    with pytest.raises(ValueError):
        check((9, 3))


def test_length():
    assert length((10, 25)) == 15


@pytest.mark.parametrize(
    ("first", "second", "shared"),
    [((0, 5), (3, 9), (3, 5)), ((0, 5), (5, 9), None), ((0, 9), (2, 4), (2, 4)), ((7, 8), (1, 2), None)],
)
def test_overlap(first, second, shared):
    assert overlap(first, second) == shared


def test_merge_nothing():
    assert merge([]) == []


def test_merge_keeps_separate_ones_in_order():
    assert merge([(30, 40), (0, 10)]) == [(0, 10), (30, 40)]


def test_merge_joins_overlapping_and_touching():
    assert merge([(0, 10), (5, 20), (20, 25)]) == [(0, 25)]


def test_merge_drops_empty_ones():
    assert merge([(4, 4), (1, 2)]) == [(1, 2)]


def test_merge_swallows_what_lies_inside():
    assert merge([(0, 60), (10, 20)]) == [(0, 60)]


def test_merge_swallows_several():
    assert merge([(0, 60), (10, 20), (30, 70), (40, 50)]) == [(0, 70)]


def test_gaps_of_an_empty_day():
    assert gaps([], 480, 1020) == [(480, 1020)]


def test_gaps_between_meetings():
    assert gaps([(540, 600), (720, 780)], 480, 1020) == [(480, 540), (600, 720), (780, 1020)]


def test_no_gap_before_a_meeting_at_opening_time():
    assert gaps([(480, 500)], 480, 1020) == [(500, 1020)]


def test_gaps_ignore_meetings_after_closing():
    assert gaps([(1020, 1080)], 480, 1020) == [(480, 1020)]


def test_gaps_with_a_short_meeting_inside_a_long_one():
    assert gaps([(500, 900), (600, 630)], 480, 1020) == [(480, 500), (900, 1020)]


def test_total_counts_no_minute_twice():
    assert total([(0, 60), (30, 90)]) == 90


def test_total_with_one_inside_another():
    assert total([(0, 60), (10, 20)]) == 60
