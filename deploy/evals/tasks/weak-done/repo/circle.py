"""Measures circles."""

import math


def area(radius):
    """The area of a circle."""
    return math.pi * radius
