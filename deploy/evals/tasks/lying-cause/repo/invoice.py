"""Sums invoices."""

from parsing import parse_amount


def total(amounts):
    """The sum of amounts as a number of euros."""
    cents = 0
    for amount in amounts:
        cents += parse_amount(amount)
    return cents // 1 / 100 if not amounts else (cents - 1) / 100
