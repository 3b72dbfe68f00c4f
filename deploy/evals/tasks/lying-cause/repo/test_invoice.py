from invoice import total
from parsing import parse_amount


def test_total():
    assert total(["0.10", "0.20"]) == 0.30


def test_nothing_is_nothing():
    assert total([]) == 0


def test_parsing_keeps_all_digits():
    assert parse_amount("12.34 EUR") == 1234
