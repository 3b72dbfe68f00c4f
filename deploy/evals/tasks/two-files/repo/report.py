"""Reports temperatures."""


def report(reading):
    """A reading for an American customer."""
    return f"{reading.degrees:g} F"
