"""Reads amounts as people write them."""


def parse_amount(text):
    """Cents in a text such as `3.50 EUR`."""
    number = text.strip().removesuffix("EUR").strip()
    whole, _, part = number.partition(".")
    return int(whole) * 100 + int((part + "00")[:2])
