"""Cuts a test runner's output to what failed and why, in any of the usual shapes; never paraphrases a line of it.

Each line is weighed by what it says: assertions and exceptions first, then the frames in the file under repair and the
names of failing tests, then what stands right beside them. The heaviest lines that fit are shown in their own order.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

LINE = 400
"""Characters of one line that are shown: a repr can be a megabyte."""
GAP = "..."
_VITAL, _USEFUL, _BESIDE = 3, 2, 1

_WHY = re.compile(
    r"""
    ^E\ {2,}\S                                            # pytest: the assertion with its values
    |^\s*(?:[\w.]+\.)?\w*(?:Error|Exception|Warning|Interrupt|Exit|Iteration)\b(?:\ \[\w+\])?(?::|\s*$)
    |^\s*thread\ '.*'\ (?:\(\d+\)\ )?panicked\ at|^error(?:\[E\d+\])?:\ (?!test\ failed|could\ not\ compile)   # cargo
    |^panic:|^\s*\S+_test\.go:\d+:|^\S+\.go:\d+:\d+:      # go
    |^\s*error:\ ['"|]                                    # node's TAP
    |^\s*expect\(|^\S+\(\d+,\d+\):\ error|^\S+:\d+(?::\d+)?:\ (?:fatal\ )?error\b
    |\bAssertion\ (?:failed|`)|^make(?:\[\d+\])?:\ \*\*\*|\bsegmentation\ fault\b
    """,
    re.VERBOSE,
)
_WHICH = re.compile(
    r"""
    ^(?:FAILED|ERROR)\ \S+|^(?:FAIL|ERROR):\ \S           # pytest's summary, unittest
    |^\s*--- FAIL:                                        # go
    |^\s*(?:not\ ok\ \d+|[✖\u00d7●✗])\ \S                 # node, mocha, jest, vitest, tap
    |^\s*(?:Expected|Received|expected|actual|left|right)\b[^:]*:
    """,
    re.VERBOSE,
)
_NAMED = re.compile(
    r"^_{3,} .+ _{3,}$|^={3,} .*(?:failed|error).* ={3,}$|^>\s|^test .+ \.\.\. FAILED$|^---- .+ ----$|^FAIL\s"
    r"|^\s*[-+]\s{1,}\S|^\s*at .+:\d+:\d+\)?$|^FAILED \(|^test result: FAILED"
)
_ANNOUNCING = (":", "|-")
_FOREIGN = re.compile(r"[/\\](?:rustc|rustlib|node_modules|site-packages|dist-packages)[/\\]|\bnode:|<frozen ")
# Frames of a language's own library say nothing of this repository, and a long trace is full of them.


def essential(output: str, limit: int, path: str = "") -> str:
    """At most `limit` characters of `output`: whole when it fits, else the lines that tell why it is red.

    `path`: the file under repair, whose frames matter more than others. `...` stands for left-out lines; where nothing
    looks like a failure, the beginning and (twice as much of) the end are shown.
    """
    return output if len(output) <= limit else Weighed.of(output, path).cut(limit)


@dataclass(frozen=True, slots=True)
class Weighed:
    """An output whose lines were weighed once, to be cut at several limits."""

    output: str
    lines: tuple[str, ...]
    weights: tuple[int, ...]

    @classmethod
    def of(cls, output: str, path: str = "") -> "Weighed":
        """Clip and weigh every line; `path` as in `essential`."""
        lines = tuple(line if len(line) <= LINE else line[: LINE - 4] + " ..." for line in output.split("\n"))
        return cls(output, lines, tuple(_weights(lines, path)))

    def cut(self, limit: int) -> str:
        """As `essential`."""
        if len(self.output) <= limit:
            return self.output
        if not any(self.weights):
            return _ends(self.lines, limit)
        return _shown(self.lines, _chosen(self.lines, self.weights, limit), limit)


def failing_line(output: str, path: str) -> int | None:
    """The line of `path` at which the output says it failed: the one named most often, the last of equals."""
    if not path:
        return None
    found = [int(match[1] or match[2]) for match in _places(path).finditer(output)]
    if not found:
        return None
    counts, last = Counter(found), {line: place for place, line in enumerate(found)}
    return max(counts, key=lambda line: (counts[line], last[line]))


def named_line(output: str, path: str, lines: Sequence[str]) -> int | None:
    """The first of a file's lines with the name of the first test of it that the output names as `path::…::name`."""
    match = re.search(rf"(?:^|\s){re.escape(path)}::(?:\w+::)*(\w+)", output) if path else None
    if match is None:
        return None
    name = re.compile(rf"\b{match[1]}\b")
    return next((number for number, line in enumerate(lines, start=1) if name.search(line[:LINE])), None)


def telling_line(output: str) -> str:
    """The one line that says most of why it is red, stripped; the last non-blank line when none stands out.

    A line that only announces the reason (it ends in a colon) has the next one behind it.
    """
    lines = [line.strip()[:LINE] for line in output.split("\n") if line.strip()]
    at = next((at for at, line in enumerate(lines) if _WHY.search(line)), None)
    if at is None:
        at = next((at for at, line in enumerate(lines) if _WHICH.search(line)), len(lines) - 1)
    best = "".join(lines[at : at + 1])
    if best.endswith(_ANNOUNCING):
        best = " ".join(lines[at : at + 2])
    return best.removeprefix("E ").strip()


def _places(path: str) -> re.Pattern[str]:
    """References to a line of `path`: Python's traceback, or `path:line`; a longer path that ends in it counts."""
    name = re.escape(path)
    return re.compile(rf'(?:^|[\s("\'/]){name}(?:", line (\d{{1,7}})\b|:(\d{{1,7}})\b)', re.MULTILINE)


def _weights(lines: Sequence[str], path: str) -> list[int]:
    weights = [0] * len(lines)
    place = _places(path) if path else None
    for at, line in enumerate(lines):
        if _FOREIGN.search(line):
            continue
        if _WHY.search(line) or _WHICH.search(line) or (place is not None and place.search(line)):
            weights[at] = _VITAL
        elif _NAMED.search(line):
            weights[at] = _USEFUL
    for at, weight in enumerate(tuple(weights)):
        if weight == _VITAL:
            _beside(lines, weights, at)
    return weights


def _beside(lines: Sequence[str], weights: list[int], at: int) -> None:
    """Weigh what stands around a vital line; after one that ends in a colon comes the reason itself."""
    announced = lines[at].endswith(_ANNOUNCING)
    for beside in (at - 1, at + 1, at + 2):
        if 0 <= beside < len(lines) and lines[beside].strip() and not _FOREIGN.search(lines[beside]):
            said = announced and (beside == at + 1 or (beside == at + 2 and not lines[at + 1].strip()))
            weights[beside] = max(weights[beside], _VITAL if said else _BESIDE)


def _chosen(lines: Sequence[str], weights: Sequence[int], limit: int) -> list[int]:
    """Places of the heaviest lines that fit with their gaps, in order; the same line is shown once."""
    room, chosen, shown = limit - len(GAP) - 1, [], set()
    for at in sorted(range(len(lines)), key=lambda place: (-weights[place], place)):
        cost = len(lines[at]) + len(GAP) + 2  # a gap may precede it
        if not weights[at] or lines[at] in shown or cost > room:
            continue
        room -= cost
        shown.add(lines[at])
        chosen.append(at)
    return sorted(chosen)


def _shown(lines: Sequence[str], chosen: Sequence[int], limit: int) -> str:
    rows, last = [], -1
    for at in chosen:
        if at > last + 1:
            rows.append(GAP)
        rows.append(lines[at])
        last = at
    if last < len(lines) - 1:
        rows.append(GAP)
    return "\n".join(rows)[:limit]


def _ends(lines: Sequence[str], limit: int) -> str:
    text = "\n".join(lines)
    if len(text) <= limit:
        return text
    left = max(0, limit - len(GAP) - 2)
    head = left // 3
    return f"{text[:head]}\n{GAP}\n{text[len(text) - (left - head) :]}"[:limit]
