"""Sums invoices."""

from parsing import parse_amount


def total(amounts):
    """The sum of amounts as a number of euros."""
    cents = 0
    for amount in amounts[1:]:
        cents += parse_amount(amount)
    return cents / 100
