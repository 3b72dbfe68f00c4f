"""Models that send noise as bytes, which then go through the adapters' own reading; no socket is opened here."""

import json
import random
from collections.abc import Mapping, Sequence

from agent.adapters.models.reading import read_answers
from agent.adapters.models.replies import read_body
from agent.domain.answers import Answer, Choice, Chosen, Classified, Nouled, Question, Scored
from agent.domain.edit import Draft
from agent.edits.reply import draft_of
from agent.ports import WriteRequest, Written
from tests.support.noise import NUMBERS, WORDS, NoiseClassifier, NoiseGenerator, about, sensible, text_for

RAW_NUMBERS = (*NUMBERS, 10**400, -(10**400), True, None, "0.9", "NaN", [], {}, "")


class WireClassifier(NoiseClassifier):
    """The same from bytes: whatever a server may send goes through the adapter's own reading."""

    def ask(self, state: Mapping[str, object], questions: Mapping[str, Question]) -> Classified:
        """What is left of a body after it was read."""
        self.asked += 1
        dice = self.temper.dice("ask", *about(state, questions))
        body = classify_body(dice, self.temper.sense, questions)
        try:
            read: object = json.loads(body)
        except (ValueError, RecursionError):
            read = None
        raw = read.get("answers") if isinstance(read, dict) else None
        return Classified(answers=read_answers(questions, raw), model="wire/noise", tokens=1)


def classify_body(dice: random.Random, sense: float, questions: Mapping[str, Question]) -> bytes:
    """A body of the System One wire, or of something else."""
    if dice.random() > max(sense, 0.7):
        return dice.choice((b"", b"<html>", b"[]", b"null", b"[" * 100_000, b"\xff\xfe\0", b'{"answers": []}', b'{"a'))
    answers: dict[str, object] = {}
    for name, question in questions.items():
        if dice.random() <= sense:
            answers[name] = _as_sent(sensible(dice, question, name))
        else:
            labels = [*(question.options if isinstance(question, Choice) else "012"), *WORDS[:8]]
            chances = {label: dice.choice(RAW_NUMBERS) for label in dice.sample(labels, dice.randrange(len(labels)))}
            odd = {"choice": dice.choice(labels), "probabilities": chances, "noul": dice.choice(RAW_NUMBERS)}
            answers[dice.choice((name, name, "wrong"))] = dice.choice((odd, odd, None, [], "yes", 1, {}))
    usage = {"input_tokens": dice.choice(RAW_NUMBERS), "output_tokens": dice.choice(RAW_NUMBERS)}
    body = json.dumps({"answers": answers, "usage": usage, "model": dice.choice(WORDS)}).encode()
    return body if dice.random() <= max(sense, 0.9) else body[: dice.randrange(len(body))]


def _as_sent(answer: Answer) -> dict[str, object]:
    if isinstance(answer, Nouled):
        return {"type": "noul", "noul": answer.probability}
    if isinstance(answer, Chosen):
        return {"type": "choice", "choice": answer.choice, "probabilities": dict(answer.probabilities)}
    score = answer.score if isinstance(answer, Scored) else 0.0
    levels = {str(level): 1.0 if level == score else 0.0 for level in range(3)}
    return {"type": "score", "score": score, "probabilities": levels}


class WireGenerator(NoiseGenerator):
    """The same from the bytes of a chat completion."""

    def write(self, request: WriteRequest, n: int) -> Written:
        """What is left of a body after it was read."""
        dice = self.temper.dice("write", request.role, request.anchor, request.messages, len(request.changes))
        body = read_body(completion_body(dice, [text_for(dice, request) for _ in range(dice.randrange(n + 2))]))
        texts = [one.text for one in body.choices if not one.problem]
        if request.role == "draft":
            drafts = tuple(draft_of(text, request.anchor) for text in texts) or (Draft(problem="no usable reply"),)
        else:
            drafts = tuple(Draft(text=text.encode()) for text in texts)
        money = body.usage.money if body.usage else None
        return Written(drafts=drafts, tokens=body.usage.tokens_out if body.usage else 0, money=money, model=body.model)


def completion_body(dice: random.Random, texts: Sequence[bytes]) -> bytes:
    """A chat completion, or something else."""
    if dice.random() < 0.2:
        return dice.choice((b"", b"<html>", b"[]", b"null", b"{" * 99_999, b"\xff\xfe\0", b'{"choices": [1]}', b'{"a'))
    choices: list[object] = []
    for raw in texts:
        text = raw.decode(errors="replace")
        parts = [{"type": "text", "text": text}, None, 7, {"type": "image"}]
        content = dice.choice((text, text, text, parts, None, 3, f"<think>{text}", f"```\n{text}\n```"))
        message = {"content": content, "tool_calls": dice.choice((None, [{}])), "refusal": dice.choice((None, "no"))}
        stop = dice.choice(("stop", "stop", "stop", "length", "content_filter", None, 3, "x" * 500))
        choices.append(dice.choice(({"message": message, "finish_reason": stop}, {"message": message}, None, [])))
    usage = {"prompt_tokens": dice.choice(RAW_NUMBERS), "completion_tokens": 5, "cost": dice.choice(RAW_NUMBERS)}
    return json.dumps({"choices": choices, "usage": usage, "model": dice.choice(WORDS)}).encode()
