"""Says things."""


def greeting(name):
    """A friendly word."""
    return f"Hello, {name}!"


def farewell(name):
    """A last word."""
    return "Goodbye!"
