"""Probabilities a chat model wrote down: how they are asked for, and what can be read of a reply that is not as asked.

Pure: it must not call a model, and an answer it cannot read is `Missing`, never a guess.
"""

import json
from collections.abc import Mapping

from agent.adapters.models.reading import finite, read_answers
from agent.domain.answers import Answer, Choice, Missing, Noul, Question

_SCHEMA = "Return one JSON object that matches this schema exactly:"
"""Where the vendor's prompt turns from rules to what this request asks."""


def below_the_document(messages: list[dict[str, str]]) -> list[dict[str, str]]:
    """Move the schema out of the system message: its descriptions are a repository's lines, which may give orders."""
    if len(messages) < 2 or messages[0]["role"] != "system":
        return messages
    rules, mark, schema = messages[0]["content"].partition(_SCHEMA)
    if not mark:
        return messages
    document = {**messages[1], "content": f"{messages[1]['content']}\n\n{mark}{schema}"}
    return [{**messages[0], "content": rules.rstrip()}, document, *messages[2:]]


def salvaged(text: str, questions: Mapping[str, Question]) -> Mapping[str, Answer]:
    """What can be read of a reply that is not wholly as asked: each question by itself, the others `Missing`."""
    try:
        value: object = json.loads(text[text.find("{") : text.rfind("}") + 1], parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        value = None
    found = value.get("answers", value) if isinstance(value, Mapping) else None
    if not isinstance(found, Mapping):
        return {name: Missing(reason="the model wrote no JSON object") for name in questions}
    raw = {name: _as_wire(question, found.get(name)) for name, question in questions.items()}
    return read_answers(questions, raw)


def _as_wire(question: Question, raw: object) -> object:
    """The adapter's short form as the wire's: a number for a Noul, a map of probabilities for the others."""
    if isinstance(question, Noul):
        return {"noul": raw}
    if not isinstance(raw, Mapping):
        return raw
    labels = list(question.options) if isinstance(question, Choice) else [str(n) for n in range(len(question.levels))]
    numbers = {str(label): number for label, share in raw.items() if (number := finite(share)) is not None}
    total = sum(numbers.values())
    known = len(numbers) == len(raw) and set(numbers) <= set(labels)
    if not known or min(numbers.values(), default=0.0) < 0 or not 0 < total < float("inf"):
        return {"probabilities": raw}
    shares = {label: numbers.get(label, 0.0) / total for label in labels}  # what was left out was given nothing
    return {"probabilities": shares, "choice": max(shares, key=lambda label: shares[label])}
