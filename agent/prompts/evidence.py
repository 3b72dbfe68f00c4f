"""What the run has seen, as pieces of a prompt: spans of files merged, stale and repeated ones left out, best first."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from agent.domain.action import Observation
from agent.domain.thresholds import OBSERVATION_CHARS
from agent.prompts.excerpt import Span, clip_head
from agent.prompts.fence import seen
from agent.prompts.output import essential

NEWEST = 400
"""Observations looked at: ten times what a run of forty steps makes, and a bound on the work."""
_ROW = re.compile(r"(\d+)\t(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One thing to show: its heading, its text, and how new it is (place among the observations, 0 the oldest)."""

    title: str
    text: str
    age: int
    path: str = ""
    begin: int = 0
    end: int = 0


def ranked(
    observations: Sequence[Observation],
    changed: Mapping[str, int],
    first: str,
    hidden: Mapping[str, Sequence[Span]],
) -> tuple[tuple[Piece, ...], tuple[str, ...]]:
    """Pieces, those of file `first` before all others and newer before older; also what was left out and why.

    `hidden`: lines per path that the prompt shows anyway. Only the newest `NEWEST` observations are looked at.
    """
    spans: dict[str, dict[int, tuple[str, int]]] = {}
    pieces: list[Piece] = []
    dropped: list[str] = []
    told: set[tuple[str, str]] = set()
    oldest = max(0, len(observations) - NEWEST)
    for age in range(len(observations) - 1, oldest - 1, -1):
        one = observations[age]
        rows = _rows(one)
        if one.path and age < changed.get(one.path, 0):
            dropped.append(f"{one.label}: the file has changed since")
        elif rows:
            lines = spans.setdefault(one.path, {})
            for number, text in rows:
                if not any(begin <= number <= end for begin, end in hidden.get(one.path, ())):
                    lines.setdefault(number, (text, age))
        elif (one.label, one.text) in told:
            dropped.append(f"{one.label}: repeated")
        else:
            told.add((one.label, one.text))
            pieces.append(_loose(one, age))
    pieces += [piece for path, lines in spans.items() for piece in _spans(path, lines)]
    pieces.sort(key=lambda piece: (piece.path != first or not first, -piece.age, piece.path, piece.begin))
    dropped += [f"{one.label}: old" for one in observations[:oldest]]
    return tuple(pieces), tuple(dropped)


def _rows(one: Observation) -> list[tuple[int, str]]:
    """The numbered lines of a span; none when any row is not numbered as the span says."""
    if not one.path or one.begin < 1:
        return []
    rows = []
    for number, row in enumerate(one.text.split("\n"), start=one.begin):
        match = _ROW.fullmatch(row)
        if match is None or match[1] != str(number):
            return []
        rows.append((number, match[2]))
    return rows


def _loose(one: Observation, age: int) -> Piece:
    text = seen(one.text)
    cut = clip_head if one.path or one.label.startswith("search") else essential
    return Piece(title=one.label, text=cut(text, OBSERVATION_CHARS), age=age)


def _spans(path: str, lines: Mapping[int, tuple[str, int]]) -> Iterator[Piece]:
    """Runs of consecutive lines, cut at whole lines where one would be longer than an observation may be."""
    run: list[int] = []
    size = 0
    for number in sorted(lines):
        cost = len(lines[number][0]) + 1
        if run and (number != run[-1] + 1 or size + cost > OBSERVATION_CHARS):
            yield _span(path, run, lines)
            run, size = [], 0
        run.append(number)
        size += cost
    if run:
        yield _span(path, run, lines)


def _span(path: str, run: Sequence[int], lines: Mapping[int, tuple[str, int]]) -> Piece:
    return Piece(
        title=f"{path}, lines {run[0]} to {run[-1]}",
        text=clip_head("\n".join(lines[number][0] for number in run), OBSERVATION_CHARS),
        age=max(lines[number][1] for number in run),
        path=path,
        begin=run[0],
        end=run[-1],
    )
