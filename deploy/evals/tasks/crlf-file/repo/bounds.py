"""Keeps numbers in bounds."""


def clamp(number, low, high):
    """The number, or the bound it lies beyond."""
    if number < low:
        return low
    return number
