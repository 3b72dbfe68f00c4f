import distances
from route import length


def test_parse():
    assert distances.parse("3 km") == 3000
    assert distances.parse("20 m") == 20


def test_numbers():
    assert length([1, 2]) == 3


def test_texts():
    assert length(["1 km", 500]) == 1500
