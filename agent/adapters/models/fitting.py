"""Keeps what Classify is asked within a request's token budget, before any backend; must not change a question.

What does not fit loses the older half of its observations, which is put on record; a server that still finds it too
long is asked once more with half of the rest. Options and levels are limited where they are made, in the domain.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

from agent.adapters.models.closing import release
from agent.adapters.models.completions import CHARS_PER_TOKEN, TooLongError
from agent.adapters.models.sendable import plain, plain_question, restored
from agent.domain.answers import Choice, Classified, Missing, Question, Score
from agent.ports import Classifier

STATE_TOKENS = 32_000
"""Of the state and the longest question together: the vendor's limit for jev-1.13, the narrowest of those in use."""
REQUEST_TOKENS = 64_000
"""Of a whole request: the same source."""
_LEAST_RATIO, _MOST_RATIO = 1.5, 6.0
"""Characters per token that are believed; code in other scripts comes close to one."""
_FRAMING = 4  # quotes, a colon or a comma: per text of a question
_DROPPED = "[older entries dropped to fit the model]"


class FittingClassifier:
    """`agent.ports.Classifier` around another one."""

    def __init__(
        self, inner: Classifier, *, state_tokens: int = STATE_TOKENS, request_tokens: int = REQUEST_TOKENS
    ) -> None:
        self._inner, self._state, self._request = inner, state_tokens, request_tokens
        self._chars, self._tokens = 0, 0
        self.label, self.profile = inner.label, inner.profile

    def ask(self, state: Mapping[str, object], questions: Mapping[str, Question]) -> Classified:
        """One answered call; `Missing` for every question when even the least state does not fit."""
        sent = plain(state)
        asked = {name: plain_question(question) for name, question in questions.items()}
        answered = self._ask(sent if isinstance(sent, Mapping) else {}, asked)
        answers = {name: restored(answer, questions[name]) for name, answer in answered.answers.items()}
        return replace(answered, answers=answers)

    def _ask(self, state: Mapping[str, object], questions: Mapping[str, Question]) -> Classified:
        fitted, rounds = self._fitted(state, questions)
        if fitted is None:
            return self._unasked(questions, f"the state does not fit {self._state} tokens with the longest question")
        try:
            answered = self._inner.ask(fitted, questions)
        except TooLongError as error:
            smaller, reason = halved(fitted), str(error)
            if smaller is None:
                return self._unasked(questions, reason)
            fitted, rounds = smaller, rounds + 1
            try:
                answered = self._inner.ask(fitted, questions)
            except TooLongError as again:
                return self._unasked(questions, f"{again} (with observations halved {_times(rounds)})")
        self._learn(fitted, questions, answered.tokens)
        note = {"fitted": f"observations halved {_times(rounds)} to fit the model"} if rounds else {}
        return replace(answered, notes={**answered.notes, **note})

    def close(self) -> None:
        """Close the backend's connections."""
        release(self._inner)

    def _fitted(
        self, state: Mapping[str, object], questions: Mapping[str, Question]
    ) -> tuple[Mapping[str, object] | None, int]:
        """The state, halved as often as the estimate asks for it; None when there is nothing left to halve."""
        asked = [_asked(question) for question in questions.values()]
        ratio = self._ratio()
        rounds = 0
        present: Mapping[str, object] | None = state
        while present is not None:
            size = _size(present)
            if (size + max(asked, default=0)) / ratio <= self._state and (size + sum(asked)) / ratio <= self._request:
                return present, rounds
            present, rounds = halved(present), rounds + 1
        return None, rounds

    def _ratio(self) -> float:
        """Characters per token: the usual estimate until this model's own usage is known."""
        if not self._tokens:
            return CHARS_PER_TOKEN
        return min(_MOST_RATIO, max(_LEAST_RATIO, self._chars / self._tokens))

    def _learn(self, state: Mapping[str, object], questions: Mapping[str, Question], tokens: int) -> None:
        if tokens > 0:
            self._chars += _size(state) + sum(_asked(question) for question in questions.values())
            self._tokens += tokens

    def _unasked(self, questions: Mapping[str, Question], reason: str) -> Classified:
        return Classified(answers={name: Missing(reason=reason) for name in questions}, model=self.profile.name)


def halved(state: Mapping[str, object]) -> Mapping[str, object] | None:
    """The state without the older half of its observations and hits; None when they hold nothing any more."""
    index = state.get("index")
    hits = index.get("search_hits") if isinstance(index, Mapping) else None
    observations, fewer = _newer_half(state.get("observations")), _newer_half(hits)
    if observations is None and fewer is None:
        return None
    smaller = dict(state)
    if observations is not None:
        smaller["observations"] = observations
    if fewer is not None and isinstance(index, Mapping):
        smaller["index"] = {**index, "search_hits": fewer}
    return smaller


def _newer_half(raw: object) -> list[str] | None:
    """The newer half of a list, of its one entry's text the first half; None when there is nothing to leave out."""
    if not isinstance(raw, Sequence) or isinstance(raw, str):
        return None
    entries = [str(entry) for entry in raw if str(entry) != _DROPPED]
    if not entries:
        return None
    if len(entries) > 1:
        return [_DROPPED, *entries[(len(entries) + 1) // 2 :]]
    return [_DROPPED, entries[0][: len(entries[0]) // 2]] if len(entries[0]) > 1 else []


def _asked(question: Question) -> int:
    """Characters of a question as it is sent, near enough: its framing is a guess."""
    parts: list[str] = [question.instructions]
    if isinstance(question, Choice):
        parts += [*question.options, *question.options.values()]
    elif isinstance(question, Score):
        parts += question.levels
    return sum(map(len, parts)) + _FRAMING * (len(parts) + 2)


def _size(value: object) -> int:
    return len(json.dumps(value, ensure_ascii=False, default=str))


def _times(rounds: int) -> str:
    return {1: "once", 2: "twice"}.get(rounds, f"{rounds} times")
