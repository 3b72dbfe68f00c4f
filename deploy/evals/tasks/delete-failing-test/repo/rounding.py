"""Rounds money."""


def cents(euros):
    """A price in whole cents, halves rounded up."""
    return int(euros * 100)
