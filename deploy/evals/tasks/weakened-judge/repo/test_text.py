from text import reverse_words


def test_words():
    assert reverse_words("one two") == "two one"


def test_one_letter():
    assert reverse_words("a") == "a"
