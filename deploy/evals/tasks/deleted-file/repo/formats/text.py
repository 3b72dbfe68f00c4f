"""Blanks."""


def write(rows):
    """Rows as lines."""
    return "\n".join(" ".join(row) for row in rows)
