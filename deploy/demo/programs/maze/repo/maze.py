"""Shortest ways through mazes drawn as text: `#` is a wall, `S` the start, `E` the end."""

from collections import deque

STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))


def parse(drawing):
    """The drawing as a list of equally long rows."""
    rows = [line.rstrip("\n") for line in drawing.strip("\n").splitlines()]
    width = max((len(row) for row in rows), default=0)
    return [row.ljust(width) for row in rows]


def find(maze, mark):
    """Row and column of a mark; ValueError when it is not there."""
    for row, line in enumerate(maze):
        if mark in line:
            return row, line.index(mark)
    raise ValueError(f"no {mark!r} in the maze")


def neighbours(maze, place):
    """Places one step away that can be walked on."""
    row, column = place
    found = []
    for down, right in STEPS:
        y, x = row + down, column + right
        if 0 <= y < len(maze) and 0 <= x < len(maze) and maze[y][x] != "#":
            found.append((y, x))
    return found


def shortest(maze, start, end):
    """The places of a shortest way, both ends included; None when there is none."""
    came_from = {start: None}
    queue = deque([start])
    while queue:
        place = queue.popleft()
        if place == end:
            return trail(came_from, end)
        for following in neighbours(maze, place):
            if following not in came_from:
                came_from[following] = place
                queue.append(following)
    return None


def trail(came_from, end):
    """The way to `end`, read backwards from where each place was reached."""
    way = []
    place = end
    while place is not None:
        way.append(place)
        place = came_from[place]
    return way[::-1]


def steps(drawing):
    """How many steps it takes from S to E; None when there is no way."""
    maze = parse(drawing)
    way = shortest(maze, find(maze, "S"), find(maze, "E"))
    if way is None:
        return None
    return len(way) - 1
