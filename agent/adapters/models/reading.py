"""Reads a decision model's raw answers leniently, one by one; a bad answer is `Missing`, never a guess or a crash.

Confidence is recomputed from the probabilities by one formula, so that every server is measured alike.
"""

import math
from collections.abc import Mapping

from agent.domain.answers import (
    Answer,
    Choice,
    Chosen,
    Missing,
    Noul,
    Nouled,
    Question,
    Score,
    Scored,
    choice_confidence,
)

SUM_TOLERANCE = 0.05
"""How far probabilities may be from 1 before they are refused; gateways round to two decimals."""


def read_answers(questions: Mapping[str, Question], raw: object) -> dict[str, Answer]:
    """Raw `answers` object of a response -> one answer per asked question; extra ids are ignored."""
    if not isinstance(raw, Mapping):
        return {name: Missing(reason="the response holds no answers object") for name in questions}
    return {name: _read_one(question, raw.get(name)) for name, question in questions.items()}


def _read_one(question: Question, raw: object) -> Answer:
    if raw is None:
        return Missing(reason="no answer for this question")
    if not isinstance(raw, Mapping):
        return Missing(reason="the answer is not an object")
    if isinstance(question, Choice):
        return _read_choice(question, raw)
    if isinstance(question, Score):
        return _read_score(question, raw)
    return _read_noul(question, raw)


def _read_choice(question: Choice, raw: Mapping[object, object]) -> Answer:
    probabilities = _probabilities(raw.get("probabilities"), tuple(question.options))
    if isinstance(probabilities, str):
        return Missing(reason=probabilities)
    best = max(probabilities, key=lambda label: probabilities[label])
    named = raw.get("choice")
    if isinstance(named, str) and probabilities.get(named) == probabilities[best]:
        best = named
    elif named != best:
        return Missing(reason="the named choice is not the most probable one")
    return Chosen(choice=best, probabilities=probabilities, confidence=choice_confidence(probabilities))


def _read_score(question: Score, raw: Mapping[object, object]) -> Answer:
    levels = tuple(str(number) for number in range(len(question.levels)))
    probabilities = _probabilities(raw.get("probabilities"), levels)
    if isinstance(probabilities, str):
        return Missing(reason=probabilities)
    expectation = sum(int(level) * share for level, share in probabilities.items())
    return Scored(score=expectation, probabilities=probabilities, confidence=_score_confidence(probabilities))


def _read_noul(question: Noul, raw: Mapping[object, object]) -> Answer:
    value = finite(raw.get("noul"))
    if value is None or not 0.0 <= value <= 1.0:
        return Missing(reason=f"no probability between 0 and 1 for: {question.instructions[:80]}")
    return Nouled(probability=value)


def _probabilities(raw: object, labels: tuple[str, ...]) -> dict[str, float] | str:
    """Exactly the asked labels with numbers that sum to 1, rescaled; or why not."""
    if not isinstance(raw, Mapping):
        return "the answer holds no probabilities"
    raw = {str(label): value for label, value in raw.items()}  # the SDK turns level numbers into integers
    if set(raw) != set(labels):
        return "the probabilities are not over the options that were asked"
    numbers = {label: finite(raw[label]) for label in labels}
    values = [number for number in numbers.values() if number is not None and 0.0 <= number <= 1.0 + SUM_TOLERANCE]
    if len(values) != len(labels):
        return "a probability is not a number between 0 and 1"
    total = sum(values)
    if abs(total - 1.0) > SUM_TOLERANCE:
        return f"the probabilities sum to {total:.3f}"
    return {label: value / total for label, value in zip(labels, values, strict=True)}


def _score_confidence(probabilities: Mapping[str, float]) -> float:
    """Return max(0, 1 - E|level - mode| / D), D the mean distance of a uniform distribution from its centre."""
    count = len(probabilities)
    mode = int(max(probabilities, key=lambda level: probabilities[level]))
    spread = sum(share * abs(int(level) - mode) for level, share in probabilities.items())
    uniform = sum(abs(level - (count - 1) / 2) for level in range(count)) / count
    return max(0.0, 1.0 - spread / uniform) if uniform else 1.0


def finite(raw: object) -> float | None:
    """A JSON number as a float; None for everything else, for NaN, infinities and integers no float can hold."""
    if isinstance(raw, bool) or not isinstance(raw, int | float):
        return None
    try:
        number = float(raw)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None
