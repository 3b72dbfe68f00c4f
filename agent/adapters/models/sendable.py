"""Makes text that no encoder takes sendable: halves of surrogate pairs, as file names and hostile issues hold them.

They are written as escapes, which stay apart from each other; labels find their way back. Everything else is untouched.
"""

from collections.abc import Mapping
from dataclasses import replace

from agent.domain.answers import Answer, Choice, Chosen, Question, Score


def plain(value: object) -> object:
    """A JSON value whose texts can all be encoded."""
    if isinstance(value, str):
        return plain_text(value)
    if isinstance(value, Mapping):
        return {plain_text(str(key)): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    return value


def plain_text(text: str) -> str:
    """The text, with each lone surrogate as its escape."""
    return text if text.isascii() else text.encode("utf-8", errors="backslashreplace").decode("utf-8")


def plain_question(question: Question) -> Question:
    """The same question in sendable words."""
    instructions = plain_text(question.instructions)
    if isinstance(question, Choice):
        options = {plain_text(label): plain_text(text) for label, text in question.options.items()}
        return replace(question, instructions=instructions, options=options)
    if isinstance(question, Score):
        return replace(question, instructions=instructions, levels=tuple(map(plain_text, question.levels)))
    return replace(question, instructions=instructions)


def restored(answer: Answer, question: Question) -> Answer:
    """An answer to the sendable form of a question, with the question's own labels."""
    if not isinstance(answer, Chosen) or not isinstance(question, Choice):
        return answer
    names = {plain_text(label): label for label in question.options}
    shares = {names.get(label, label): share for label, share in answer.probabilities.items()}
    return replace(answer, choice=names.get(answer.choice, answer.choice), probabilities=shares)
