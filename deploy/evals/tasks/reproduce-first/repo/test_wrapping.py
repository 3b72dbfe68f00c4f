from wrapping import wrap


def test_nothing():
    assert wrap("", 8) == []


def test_first_line():
    assert wrap("one two three", 8)[0] == "one two"
