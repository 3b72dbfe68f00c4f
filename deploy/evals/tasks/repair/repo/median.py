"""Describes numbers."""


def median(values):
    """The middle of the sorted values, the mean of the two middle ones when there is no middle."""
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle]
