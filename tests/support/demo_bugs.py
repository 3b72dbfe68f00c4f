"""For each demo program: the fix of the bug it ships with, and a second, different bug with what a user would write."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from deploy.demo import programs


@dataclass(frozen=True, slots=True, kw_only=True)
class Second:
    """Another bug for a program whose own one is mended; `good` and `bad` are unique texts of its module."""

    shipped: str
    mended: str
    good: str
    bad: str
    issue: str


SECOND: Mapping[str, Second] = {
    "columns": Second(
        shipped="elif len(line) + len(word) <= width:",
        mended="elif len(line) + 1 + len(word) <= width:",
        good='" " * before + text + " " * (missing - before)',
        bad='" " * before + text + " " * (missing + before)',
        issue="# align() makes centred text too wide\n\nWith width 5, 'ab' comes out 6 characters long.\n",
    ),
    "intervals": Second(
        shipped="merged[-1] = (merged[-1][0], stop)",
        mended="merged[-1] = (merged[-1][0], max(merged[-1][1], stop))",
        good="if start < stop:\n        return (start, stop)",
        bad="if start <= stop:\n        return (start, stop)",
        issue="# overlap() reports an empty overlap\n\n(0, 5) and (5, 9) only touch, yet I get (5, 5) and not None.\n",
    ),
    "ledger": Second(
        shipped="if amount > self.available(target):",
        mended="if amount > self.available(source):",
        good="lines.append((-amount, text))",
        bad="lines.append((amount, text))",
        issue="# Statement shows payments as income\n\nMoney that leaves an account is listed with a plus sign.\n",
    ),
    "maze": Second(
        shipped="0 <= x < len(maze) and",
        mended="0 <= x < len(maze[y]) and",
        good="return len(way) - 1",
        bad="return len(way)",
        issue="# steps() is one too many\n\nFor the 3 by 3 maze it says 5, but from corner to corner it is 4 steps.\n",
    ),
    "roman": Second(
        shipped="if value < following:\n            total += value",
        mended="if value < following:\n            total -= value",
        good="if not 0 < number < 4000:",
        bad="if not 0 <= number < 4000:",
        issue="# to_roman(0) returns an empty string\n\nThere is no numeral for zero; it should raise ValueError.\n",
    ),
}


def plant(name: str, folder: Path) -> Path:
    """Write the program with its second bug, and none else, below `folder` as the demo's `--from` wants it."""
    program, second = programs.load(name), SECOND[name]
    place = folder / name
    for path, content in program.files.items():
        text = content.decode()
        if path == f"{name}.py":
            for old, new in ((second.shipped, second.mended), (second.good, second.bad)):
                assert text.count(old) == 1, (name, old)
                text = text.replace(old, new)
        target = place / "repo" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    (place / "issue.md").write_text(second.issue)
    return place
