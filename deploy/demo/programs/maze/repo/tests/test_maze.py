import pytest

from maze import find, neighbours, parse, shortest, steps, trail

SQUARE = """
S..
.#.
..E
"""
WIDE = """
S....#....
.###.#.##.
...#...#.E
"""
TALL = """
S#
.#
..
#.
#E
"""
CLOSED = """
S#.
##.
..E
"""


def test_parse_fills_short_rows():
    assert parse("ab\nc\n") == ["ab", "c "]


def test_find():
    assert find(parse(SQUARE), "E") == (2, 2)


def test_find_nothing():
    with pytest.raises(ValueError):
        find(parse(SQUARE), "?")


def test_neighbours_in_a_corner():
    assert sorted(neighbours(parse(SQUARE), (0, 0))) == [(0, 1), (1, 0)]


def test_neighbours_leave_out_walls():
    assert sorted(neighbours(parse(SQUARE), (0, 1))) == [(0, 0), (0, 2)]


def test_neighbours_at_the_right_edge():
    assert sorted(neighbours(parse(WIDE), (1, 9))) == [(0, 9), (2, 9)]


def test_neighbours_at_the_bottom():
    assert sorted(neighbours(parse(TALL), (4, 1))) == [(3, 1)]


def test_trail():
    assert trail({"a": None, "b": "a", "c": "b"}, "c") == ["a", "b", "c"]


def test_square():
    assert steps(SQUARE) == 4


def test_wide():
    assert steps(WIDE) == 15


def test_tall():
    assert steps(TALL) == 5


def test_closed():
    assert steps(CLOSED) is None


def test_already_there():
    maze = parse(SQUARE)
    assert shortest(maze, (1, 0), (1, 0)) == [(1, 0)]


def test_way_is_connected():
    way = shortest(parse(WIDE), (0, 0), (2, 9))
    assert way[0] == (0, 0) and way[-1] == (2, 9)
    assert all(abs(a - c) + abs(b - d) == 1 for (a, b), (c, d) in zip(way, way[1:]))
