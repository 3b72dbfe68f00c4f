import pytest

from roman import add, from_roman, is_roman, to_roman

PLAIN = [(1, "I"), (3, "III"), (8, "VIII"), (60, "LX"), (1666, "MDCLXVI"), (3000, "MMM")]
SUBTRACTIVE = [(4, "IV"), (9, "IX"), (44, "XLIV"), (90, "XC"), (1994, "MCMXCIV"), (3999, "MMMCMXCIX")]


@pytest.mark.parametrize(("number", "numeral"), PLAIN + SUBTRACTIVE)
def test_to_roman(number, numeral):
    assert to_roman(number) == numeral


@pytest.mark.parametrize(("number", "numeral"), PLAIN)
def test_from_roman_without_subtraction(number, numeral):
    assert from_roman(numeral) == number


@pytest.mark.parametrize(("number", "numeral"), SUBTRACTIVE)
def test_from_roman_with_subtraction(number, numeral):
    assert from_roman(numeral) == number


@pytest.mark.parametrize("number", [0, -1, 4000])
def test_out_of_range(number):
    with pytest.raises(ValueError):
        to_roman(number)


@pytest.mark.parametrize("text", ["", "  ", "IIII", "VX", "IC", "ABC", "X1"])
def test_not_roman(text):
    assert not is_roman(text)


def test_case_and_spaces_do_not_matter():
    assert from_roman(" xvi ") == 16


def test_every_number_there_and_back():
    assert [from_roman(to_roman(number)) for number in range(1, 200)] == list(range(1, 200))


def test_add():
    assert add("XII", "XIII") == "XXV"


def test_add_across_a_nine():
    assert add("IX", "IV") == "XIII"
