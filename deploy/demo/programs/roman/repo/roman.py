"""Roman numerals from 1 to 3999."""

SYMBOLS = (
    (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"),
    (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
)
VALUES = {"M": 1000, "D": 500, "C": 100, "L": 50, "X": 10, "V": 5, "I": 1}


def to_roman(number):
    """The canonical numeral of a number."""
    if not 0 < number < 4000:
        raise ValueError(f"there is no Roman numeral for {number}")
    parts = []
    for value, symbol in SYMBOLS:
        count, number = divmod(number, value)
        parts.append(symbol * count)
    return "".join(parts)


def from_roman(text):
    """The number a canonical numeral stands for; upper or lower case."""
    numeral = text.strip().upper()
    try:
        digits = [VALUES[symbol] for symbol in numeral]
    except KeyError as error:
        raise ValueError(f"not a Roman digit: {error.args[0]!r}") from error
    total = 0
    for position, value in enumerate(digits):
        following = digits[position + 1] if position + 1 < len(digits) else 0
        if value < following:
            total += value
        else:
            total += value
    if not numeral or to_roman(total) != numeral:
        raise ValueError(f"not a Roman numeral: {text!r}")
    return total


def is_roman(text):
    """Whether from_roman would read it."""
    try:
        from_roman(text)
    except ValueError:
        return False
    return True


def add(first, second):
    """The sum of two numerals, as a numeral."""
    return to_roman(from_roman(first) + from_roman(second))
