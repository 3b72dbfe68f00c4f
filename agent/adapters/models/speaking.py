"""Gets usable texts out of a chat model: a second try after a cut or empty reply, more calls where `n` is not kept.

It must not know what the texts are for.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agent.adapters.models.completions import CHARS_PER_TOKEN, Completions, Ledger
from agent.adapters.models.replies import CUT, Spoken
from agent.adapters.models.retrying import Pace
from agent.errors import ModelError

Messages = Sequence[Mapping[str, str]]

MORE_TOKENS = 16_384
"""Least room of the second try after a reply that was cut off; reasoning alone can take half of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """Sizes in tokens: the most a reply may take (None: the server's choice), and the window (None: unknown)."""

    most: int | None = None
    window: int | None = None

    def more(self, used: int, prompt: int) -> int:
        """Tokens for a second try: twice the first's, within what the window leaves beside the prompt."""
        wish = max(MORE_TOKENS, 2 * (self.most or used))
        return wish if self.window is None else max(1, min(wish, self.window - prompt))


@dataclass(frozen=True, slots=True)
class Said:
    """Usable texts, best first and none twice; why others could not be used; how each ended; which model it was."""

    texts: tuple[str, ...]
    problems: tuple[str, ...]
    stops: tuple[str, ...]
    model: str


class Speaker:
    """One endpoint's way of giving texts."""

    def __init__(self, completions: Completions, pace: Pace, room: Room) -> None:
        self._completions, self._pace, self._room = completions, pace, room

    def say(self, model: str, messages: Messages, wanted: int, seconds: float, ledger: Ledger) -> Said:
        """Up to `wanted` texts within `seconds`; ModelError when the endpoint cannot be used."""
        talk = _Talk(self._completions, model, messages, ledger, self._pace.clock() + seconds, self._pace)
        most = self._room.most
        talk.ask(wanted, most)
        if not talk.good and talk.time_left():
            if CUT in talk.problems:
                prompt = sum(len(one["content"]) for one in messages) // CHARS_PER_TOKEN
                most = self._room.more(ledger.tokens_out, prompt)
            talk.ask_again(wanted, most)
        while talk.good and len(talk.good) < wanted and talk.time_left():  # servers that refuse or ignore `n`
            if not talk.ask_again(1, most):
                break  # nothing usable, or the same once more: this server samples without chance
        return Said(
            texts=tuple(talk.good[:wanted]),
            problems=tuple(dict.fromkeys(talk.problems)) or (() if talk.good else ("it is no chat completion",)),
            stops=tuple(sorted({one.stop for one in talk.spoken})) or ("malformed",),
            model=talk.answered or model,
        )


class _Talk:
    """One request's calls and what came of them so far."""

    def __init__(
        self, completions: Completions, model: str, messages: Messages, ledger: Ledger, end: float, pace: Pace
    ) -> None:
        self._completions, self._model, self._messages = completions, model, messages
        self._ledger, self._end, self._pace = ledger, end, pace
        self.spoken: list[Spoken] = []
        self.good: list[str] = []
        self.answered = ""

    @property
    def problems(self) -> list[str]:
        return [one.problem for one in self.spoken if one.problem]

    def time_left(self) -> bool:
        return self._pace.clock() < self._end

    def ask(self, n: int, most: int | None) -> bool:
        """One call; whether it brought a usable text that is new."""
        left = self._end - self._pace.clock()
        body = self._completions.ask(self._model, self._messages, self._ledger, left, n=n, most=most)
        self.answered = body.model or self.answered
        self.spoken += body.choices
        fresh = [one.text for one in body.choices if not one.problem and one.text not in self.good]
        self.good += dict.fromkeys(fresh)
        return bool(fresh)

    def ask_again(self, n: int, most: int | None) -> bool:
        """The same, except that an endpoint that fails now leaves what the first call brought."""
        try:
            return self.ask(n, most)
        except ModelError:
            return False
