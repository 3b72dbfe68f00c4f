"""Lists tracked paths that a pattern of names fits; must not look at a disk and never backtracks without bound.

`*`, `?` and `[...]` stay within one name, `**` stands for any number of folders, `{a,b}` for either. A pattern without
`/` is for names at any depth, as in an ignore file; one that ends in `/` is for everything in that folder.
"""

from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import islice, product
from math import prod

from agent.ports import Workspace
from agent.tools.locate import shown
from agent.tools.refused import Refused

MAX_PATHS = 200
MAX_PATTERN = 500
_MAX_BRANCHES = 64  # patterns that braces may stand for


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """The paths that fit, sorted."""

    pattern: str
    paths: tuple[str, ...]
    total: int
    """How many fit; only the first 200 are listed."""

    def render(self) -> str:
        """For a reader: one path a line."""
        if not self.paths:
            return f"no tracked path fits {self.pattern!r}"
        more = f"\n{self.total - len(self.paths)} more: narrow the pattern" if self.total > len(self.paths) else ""
        return "\n".join(map(shown, self.paths)) + more


def glob(workspace: Workspace, pattern: str) -> Listed | Refused:
    """Tracked paths that fit; refused for a pattern that is empty, leads outside, or stands for too many others."""
    plain = pattern.removeprefix("./")
    if not plain or len(plain) > MAX_PATTERN:
        return Refused(reason=f"a pattern has 1 to {MAX_PATTERN} characters")
    if plain.startswith(("/", "~")) or ".." in plain.split("/"):
        return Refused(reason=f"{shown(pattern)!r} leads outside of the tree: give the pattern relative to its root")
    branches = _branches(f"**/{plain}" if "/" not in pattern else f"{plain}**" if plain.endswith("/") else plain)
    if branches is None:
        return Refused(reason=f"the braces stand for more than {_MAX_BRANCHES} patterns: give them one by one")
    wanted = [branch.split("/") for branch in branches]
    fitting = [entry.path for entry in workspace.entries() if any(_fits(entry.path, one) for one in wanted)]
    return Listed(pattern=pattern, paths=tuple(islice(fitting, MAX_PATHS)), total=len(fitting))


def _branches(pattern: str) -> list[str] | None:
    """The patterns that one with braces stands for; braces within braces and single ones are plain characters."""
    parts: list[list[str]] = []
    rest = pattern
    while rest:
        begin = rest.find("{")
        end = rest.find("}", begin)
        choices = rest[begin + 1 : end].split(",") if 0 <= begin < end else []
        if len(choices) < 2:
            parts.append([rest])
            break
        parts += [[rest[:begin]], choices]
        rest = rest[end + 1 :]
    if prod(map(len, parts)) > _MAX_BRANCHES:
        return None
    return ["".join(chosen) for chosen in product(*parts)]


def _fits(path: str, wanted: list[str]) -> bool:
    """Whether the names of a path fit those of a pattern: one row of a table per name, whatever the stars are."""
    fits = _skipped([True] + [False] * len(wanted), wanted)
    for name in path.split("/"):
        row = [False] * len(fits)
        for at, one in enumerate(wanted):
            if fits[at]:
                if one == "**":
                    row[at] = True
                elif fnmatchcase(name, one):
                    row[at + 1] = True
        fits = _skipped(row, wanted)
    return fits[-1]


def _skipped(row: list[bool], wanted: list[str]) -> list[bool]:
    """`**` may stand for no folder at all."""
    for at, one in enumerate(wanted):
        row[at + 1] = row[at + 1] or (row[at] and one == "**")
    return row
