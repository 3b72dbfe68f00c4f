"""What the run has seen, as pieces of a prompt: spans of files merged, stale and repeated ones left out, best first."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from agent.domain.action import Observation
from agent.domain.thresholds import OBSERVATION_CHARS
from agent.prompts.excerpt import Span, clip_head
from agent.prompts.fence import revealed, seen
from agent.prompts.output import essential

_MOST = 0.7  # of an observation's characters: its head and the names of tests are its own


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One thing to show: its heading, its text, and how new it is (place among the observations, 0 the oldest)."""

    title: str
    text: str
    age: int
    path: str = ""
    begin: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What the run has seen, and what of it the prompt needs not show."""

    observations: Sequence[Observation]
    """Oldest first."""
    changed: Mapping[str, int]
    """Path -> how many observations there were when it last changed."""
    hidden: Mapping[str, Sequence[Span]]
    """Path -> lines that the prompt shows anyway."""
    told: str = ""
    """Text the prompt shows anyway."""
    labels: frozenset[str] = frozenset()
    """Observations whose newest state the prompt shows anyway."""


def ranked(seen: Seen, first: str, enough: int) -> tuple[tuple[Piece, ...], tuple[str, ...]]:
    """Pieces, those of file `first` before all others and newer before older; also what was left out and why.

    Observations are looked at in that order until they hold `enough` characters: the work does not grow with the run.
    """
    gathered = _Gathered(told=frozenset(line.strip() for line in seen.told.split("\n")))
    dropped = []
    newest = range(len(seen.observations) - 1, -1, -1)
    for age in sorted(newest, key=lambda place: not first or seen.observations[place].path != first):  # stable
        one = seen.observations[age]
        if one.path and age < seen.changed.get(one.path, 0):
            dropped.append(f"{one.label}: the file has changed since")
        elif one.label in seen.labels:
            dropped.append(f"{one.label}: shown as it is now")
        elif gathered.size > enough:
            dropped.append(f"{one.label}: no room")
        elif not gathered.take(one, age, seen.hidden.get(one.path, ())):
            dropped.append(f"{one.label}: repeated")
    pieces = [*gathered.loose, *(piece for path, lines in gathered.spans.items() for piece in _spans(path, lines))]
    pieces.sort(key=lambda piece: (piece.path != first or not first, -piece.age, piece.path, piece.begin))
    return tuple(pieces), tuple(dropped)


@dataclass(slots=True)
class _Gathered:
    told: frozenset[str]
    """Lines the prompt shows anyway, stripped."""
    size: int = 0
    spans: dict[str, dict[int, tuple[str, int]]] = field(default_factory=dict)
    """Path -> line -> its text and the age of the observation it is from."""
    loose: list[Piece] = field(default_factory=list)
    taken: set[tuple[str, str]] = field(default_factory=set)

    def take(self, one: Observation, age: int, hidden: Sequence[Span]) -> bool:
        """Add an observation, newer ones first; False when the same was taken already."""
        rows = _rows(one)
        if not rows:
            if (one.label, one.text) in self.taken or self._said(one.text):
                return False
            self.taken.add((one.label, one.text))
            self.loose.append(_loose(one, age))
            self.size += len(self.loose[-1].text)
            return True
        lines = self.spans.setdefault(one.path, {})
        for number, text in rows:
            if number not in lines and not any(begin <= number <= end for begin, end in hidden):
                lines[number] = text, age
                self.size += len(text) + 1
        return True

    def _said(self, text: str) -> bool:
        """Whether most of a text stands in the prompt already: the failure is told by the suite's observation too."""
        lines = [line.strip() for line in text.split("\n")]
        return sum(len(line) for line in lines if line in self.told) > _MOST * sum(len(line) for line in lines)


def _rows(one: Observation) -> list[tuple[int, str]]:
    """The numbered lines of a span; none when any row is not numbered as the span says."""
    if not one.path or one.begin < 1:
        return []
    rows = []
    for number, row in enumerate(one.text.split("\n"), start=one.begin):
        shown, tab, text = row.partition("\t")
        if not tab or shown != str(number):
            return []
        rows.append((number, text))
    return rows


def _loose(one: Observation, age: int) -> Piece:
    text = seen(one.text)
    cut = clip_head if one.path or one.label.startswith("search") else essential
    return Piece(title=one.label, text=cut(text, OBSERVATION_CHARS), age=age)


def _spans(path: str, lines: Mapping[int, tuple[str, int]]) -> Iterator[Piece]:
    """Runs of consecutive lines, cut at whole lines where one would be longer than an observation may be."""
    run: list[int] = []
    size = 0
    if not any(text.strip() for text, _ in lines.values()):
        return  # a page's last row, behind the file's last newline
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
        text=clip_head(revealed("\n".join(lines[number][0] for number in run)), OBSERVATION_CHARS),
        age=max(lines[number][1] for number in run),
        path=path,
        begin=run[0],
        end=run[-1],
    )
