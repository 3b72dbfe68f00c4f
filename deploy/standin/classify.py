"""Answers Classify questions as a script says, in the wire's own shape; knows no HTTP and decides nothing.

What the script wants and the question does not offer is left out, and told: a script must not win by a guess of ours.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from deploy.standin.script import Lines, Say

Questions = Mapping[str, Mapping[str, object]]

NONE = "none"
_ROW = re.compile(r"^(\d+)\t(.*)$", re.MULTILINE)
_SPAN = re.compile(r"lines (\d+) to (\d+)")


@dataclass(slots=True, kw_only=True)
class Answered:
    """The `answers` object, and what the script wanted but could not have."""

    answers: dict[str, object] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


def answer(say: Say, state: object, questions: Questions) -> Answered:
    """One answer per question, but for those the script leaves out or cannot have."""
    found = Answered()
    for name, question in questions.items():
        if name in say.missing:
            continue
        match question["type"]:
            case "choice":
                _choose(found, say, state, name, questions)
            case "score":
                levels = question["criteria"]
                wanted = say.scores.get(name, 1 if name == "progress_score" else 0)
                found.answers[name] = _scored(levels if isinstance(levels, list) else [], wanted)
            case _:
                found.answers[name] = {"type": "noul", "noul": _likely(say, name, questions)}
    return found


def _likely(say: Say, name: str, questions: Questions) -> float:
    """A Noul: what the script says of it; else whether the wanted lines are among those it asks about."""
    kind, at, part = name.partition("@")
    if name in say.nouls or kind in say.nouls:
        return say.nouls.get(name, say.nouls.get(kind, 0.0))
    if kind == "edit_present":
        options = _options(questions.get(f"edit_anchor{at}{part}", {}))
        return 1.0 if not options or set(_span(say, options)) <= set(options) else 0.0
    return 1.0 if kind == "needs_code_change" else 0.0


def _choose(found: Answered, say: Say, state: object, name: str, questions: Questions) -> None:
    options = _options(questions[name])
    wanted = _wanted(say, state, name, questions)
    if wanted not in options and "@" in name and _elsewhere(say, name, questions):
        wanted = next(iter(options))  # this part does not hold the lines, and `edit_present` says so
    if wanted not in options:
        shown = ", ".join(list(options)[:12])
        found.problems.append(f"`{name}`: the script wants `{wanted}`, offered were {shown}")
    elif name == "action":
        found.answers[name] = _chosen(options, wanted, say.confidence, say.rest)
    else:
        found.answers[name] = _chosen(options, wanted, say.sure, {})


def _elsewhere(say: Say, name: str, questions: Questions) -> bool:
    """Whether the wanted lines are among those of another part that is asked about as well."""
    kind = name.partition("@")[0]
    others = [other for other in questions if other != name and other.partition("@")[0] == kind]
    return any(set(_span(say, _options(questions[other]))) <= set(_options(questions[other])) for other in others)


def _wanted(say: Say, state: object, name: str, questions: Questions) -> str:
    options = _options(questions[name])
    if name in say.picks:
        return say.picks[name]
    match name.partition("@")[0]:
        case "action":
            return say.action
        case "file_to_read":
            return say.read
        case "file_to_edit":
            return say.edit
        case "edit_window":
            parts = (label for label in options if f"edit_anchor@{label}" in questions)
            shown = {label: _options(questions[f"edit_anchor@{label}"]) for label in parts}
            holding = (label for label, lines in shown.items() if set(_span(say, lines)) <= set(lines))
            return next(holding, "") or _window(say, state, options)
        case "edit_anchor":
            return _span(say, options)[0]
        case "edit_end":
            return _span(say, options)[1]
    return NONE if NONE in options else next(iter(options))


def _span(say: Say, options: Mapping[str, str]) -> tuple[str, str]:
    """First and last line as labels; the texts wanted stand for labels that are not there."""
    if not isinstance(say.lines, Lines):
        return str(say.lines[0]), str(say.lines[1])
    rows = [(label, text.strip()) for label, text in options.items() if label != NONE]
    firsts = [place for place, (_, text) in enumerate(rows) if text == say.lines.first.strip()]
    if len(firsts) < say.lines.nth:
        return say.lines.first, say.lines.last or say.lines.first
    first = firsts[say.lines.nth - 1]
    if not say.lines.last:
        return rows[first][0], rows[first][0]
    last = say.lines.last.strip()
    ends = (label for label, text in rows[first:] if text == last)
    return rows[first][0], next(ends, say.lines.last)


def _window(say: Say, state: object, options: Mapping[str, str]) -> str:
    """The part of a long file that holds the line wanted: said, numbered, or seen with its number in the state."""
    line = say.window
    if line is None and not isinstance(say.lines, Lines):
        line = say.lines[0]
    if line is None and isinstance(say.lines, Lines):
        wanted = say.lines.first.strip()
        rows = (row for text in texts(state) for row in _ROW.findall(text))
        line = next((int(number) for number, text in rows if text.strip() == wanted), None)
    for label, text in options.items():
        span = _SPAN.fullmatch(text)
        if line is not None and span and int(span[1]) <= line <= int(span[2]):
            return label
    return f"the part with line {line}"


def _options(question: Mapping[str, object]) -> dict[str, str]:
    criteria = question.get("criteria")
    return {label: str(text) for label, text in criteria.items()} if isinstance(criteria, dict) else {}


def _chosen(options: Mapping[str, str], wanted: str, confidence: float, rest: Mapping[str, float]) -> dict[str, object]:
    count = len(options)
    others = [label for label in options if label != wanted]
    runners = {label: rest[label] for label in others if label in rest}
    top = confidence if runners else confidence + (1 - confidence) / count
    plain = [label for label in others if label not in runners]
    left = max(0.0, 1 - top - sum(runners.values())) / len(plain) if plain else 0.0
    shares = {label: top if label == wanted else runners.get(label, left) for label in options}
    total = sum(shares.values())
    shares = {label: share / total for label, share in shares.items()}
    return {
        "type": "choice",
        "choice": wanted,
        "probabilities": shares,
        "confidence": max(0.0, (max(shares.values()) - 1 / count) / (1 - 1 / count)) if count > 1 else 1.0,
    }


def _scored(levels: Sequence[object], wanted: int) -> dict[str, object]:
    level = min(max(wanted, 0), len(levels) - 1)
    return {
        "type": "score",
        "score": float(level),
        "legend": {str(number): text for number, text in enumerate(levels)},
        "probabilities": {str(number): float(number == level) for number in range(len(levels))},
        "confidence": 1.0,
    }


def texts(value: object) -> Iterator[str]:
    """Every text in a JSON value, in order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from texts(one)
    elif isinstance(value, Sequence):
        for one in value:
            yield from texts(one)
