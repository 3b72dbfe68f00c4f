"""Knows the calendar."""


def is_leap(year):
    """Whether February has 29 days."""
    return year % 4 == 0 and year % 100 != 0
