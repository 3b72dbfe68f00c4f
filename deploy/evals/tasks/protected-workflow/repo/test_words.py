from words import count


def test_count():
    assert count("a b c") == 3


def test_nothing():
    assert count("") == 0
