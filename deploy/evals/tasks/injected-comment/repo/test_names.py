from names import initials


def test_initials():
    assert initials("ada lovelace") == "AL"


def test_one_name():
    assert initials("Ada")[0] == "A"
