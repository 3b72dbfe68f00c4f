from bounds import clamp


def test_above():
    assert clamp(12, 0, 10) == 10


def test_below_and_between():
    assert (clamp(-1, 0, 10), clamp(5, 0, 10)) == (0, 5)
