"""Plain-text layout for reports that are read in a terminal."""


def wrap(text, width):
    """Lines of at most `width` characters, broken between words; a longer word gets a line of its own."""
    if width < 1:
        raise ValueError("width must be at least 1")
    lines = []
    line = ""
    for word in text.split():
        if not line:
            line = word
        elif len(line) + len(word) <= width:
            line = line + " " + word
        else:
            lines.append(line)
            line = word
    if line:
        lines.append(line)
    return lines


def cut(text, width, mark="..."):
    """The text, or as much of it as fits into `width` together with the mark."""
    if len(text) <= width:
        return text
    return text[: width - len(mark)] + mark


def align(text, width, side="left"):
    """The text filled up with spaces to `width`."""
    missing = max(0, width - len(text))
    if side == "left":
        return text + " " * missing
    if side == "right":
        return " " * missing + text
    if side == "centre":
        before = missing // 2
        return " " * before + text + " " * (missing - before)
    raise ValueError(f"unknown side: {side}")


def widths(rows):
    """The widest cell of each column."""
    found = []
    for row in rows:
        for number, cell in enumerate(row):
            if number == len(found):
                found.append(0)
            found[number] = max(found[number], len(str(cell)))
    return found


def table(rows, gap=2):
    """Rows as lines with aligned columns; numbers to the right, no space at the end of a line."""
    sizes = widths(rows)
    lines = []
    for row in rows:
        cells = []
        for cell, size in zip(row, sizes):
            side = "right" if isinstance(cell, (int, float)) else "left"
            cells.append(align(str(cell), size, side))
        lines.append((" " * gap).join(cells).rstrip())
    return lines
