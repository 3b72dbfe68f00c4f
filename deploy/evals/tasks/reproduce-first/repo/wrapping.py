"""Breaks text into lines."""


def wrap(text, width):
    """Lines of at most `width` characters, broken between words."""
    lines, line = [], ""
    for word in text.split():
        longer = f"{line} {word}".strip()
        if len(longer) > width and line:
            lines.append(line)
            longer = word
        line = longer
    return lines
