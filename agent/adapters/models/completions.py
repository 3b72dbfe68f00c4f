"""Speaks `/chat/completions` to any compatible server: retries, parameters a server refuses, and what it all cost.

Every reply that may be billed is counted: malformed ones, failed tries that report usage, and, by estimate, those that
report none. It must not judge whether a text is any use.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from agent.adapters.models.http import Endpoint, Reply, UnreachedError
from agent.adapters.models.price import Price
from agent.adapters.models.replies import Body, Counted, read_body
from agent.adapters.models.retrying import (
    RETRY_STATUSES,
    GaveUpError,
    Pace,
    Tried,
    TryAgainError,
    insist,
    wished_wait,
)
from agent.errors import ModelError

PATH = "/chat/completions"
CHARS_PER_TOKEN = 4
"""The usual estimate for English and code."""
_REFUSALS = (400, 404, 405, 415, 422, 501)
_LIMITS = ("max_tokens", "max_completion_tokens", "")
"""Names of the length limit, tried in this order where a server refuses one; the last is none at all."""
_SAYS_N = re.compile(
    r"[`'\"\s.]n[`'\"\s:=,.]|candidate|choices|requested parameters|multiple (completion|output|response)",
    re.IGNORECASE,
)


class TooLongError(ModelError):
    """The request does not fit the model's window; asking again with less of it may help."""


@dataclass(slots=True, kw_only=True)
class Ledger:
    """What one request cost over all its calls."""

    price: Price | None = None
    tokens_in: int = 0
    tokens_out: int = 0
    money: float | None = None
    calls: int = 0
    estimated: int = 0
    """Calls whose usage is an estimate, because the server reported none."""
    tried: Tried = field(default_factory=Tried)

    @property
    def tokens(self) -> int:
        """Both ways."""
        return self.tokens_in + self.tokens_out

    def add(self, usage: Counted | None, sent: int, received: int) -> None:
        """Count one answered call; `sent` and `received` in characters stand in for usage that was not reported."""
        if usage is None:
            usage = Counted(tokens_in=-(-sent // CHARS_PER_TOKEN), tokens_out=-(-received // CHARS_PER_TOKEN))
            self.estimated += 1
        self.calls += 1
        self.tokens_in += usage.tokens_in
        self.tokens_out += usage.tokens_out
        money = usage.money
        if money is None and self.price is not None:
            money = self.price.of(usage.tokens_in, usage.tokens_out)
        if money is not None:
            self.money = (self.money or 0.0) + money

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the trace should know of these numbers."""
        guess = f"usage of {self.estimated} of {self.calls} calls is estimated" if self.estimated else ""
        return tuple(note for note in (self.tried.note, guess) if note)


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """The settings an operator would have to look at, and the reader's name for this client in messages."""

    who: str
    url: str
    model: str
    key: str


@dataclass(slots=True)
class _Manners:
    """What a server takes of one model."""

    limit: int = 0
    """Which of `_LIMITS` it takes."""
    takes_n: bool = True
    takes_system: bool = True


class Completions:
    """One server; remembers for each model which parameters it refused."""

    def __init__(self, *, endpoint: Endpoint, pace: Pace, names: Names) -> None:
        self._endpoint, self._pace, self._names = endpoint, pace, names
        self._manners: defaultdict[str, _Manners] = defaultdict(_Manners)

    def close(self) -> None:
        """Close the connection pool."""
        self._endpoint.close()

    def ask(
        self,
        model: str,
        messages: Sequence[Mapping[str, str]],
        ledger: Ledger,
        seconds: float,
        *,
        n: int = 1,
        most: int | None = None,
    ) -> Body:
        """One answer, asked again where that may help; `most`: tokens it may write. ModelError names the setting."""
        end = self._pace.clock() + seconds
        manners = self._manners[model]
        sent = sum(len(message["content"]) for message in messages)
        for _ in range(len(_LIMITS) + 2):
            body: dict[str, object] = {
                "model": model,
                "messages": list(messages) if manners.takes_system else folded(messages),
                "stream": False,
                **_options(manners, n, most),
            }
            reply, read = self._insist(body, sent, ledger, end - self._pace.clock())
            if reply.status < 300 and (read.choices or not read.readable or not read.error):
                return read
            if not _adapt(manners, reply, read, n, most):
                raise self._refusal(reply, read, ledger)
        raise ModelError(f"{self._names.who} refuses every form of the request: check {self._names.model}")

    def _insist(self, body: Mapping[str, object], sent: int, ledger: Ledger, seconds: float) -> tuple[Reply, Body]:
        try:
            return insist(lambda left: self._once(body, sent, ledger, left), self._pace, seconds, ledger.tried)
        except GaveUpError as error:
            reason = f"{self._names.who} failed after {error.tries} tries: {error.reason}"
        raise ModelError(f"{reason}; check {self._names.url}{_billed(ledger)}")

    def _once(self, body: Mapping[str, object], sent: int, ledger: Ledger, left: float) -> tuple[Reply, Body]:
        failure = UnreachedError("")
        try:
            reply = self._endpoint.post(PATH, body, left)
        except UnreachedError as error:
            failure = error
        else:
            read = read_body(reply.body) if reply.json_like else Body(readable=False)
            if reply.status < 300 or read.usage is not None:
                ledger.add(read.usage, sent, len(reply.body) if read.choices else 0)
            status = reply.status if reply.status >= 300 else (read.code or 200) if not read.choices else 200
            if status in RETRY_STATUSES:
                raise TryAgainError(f"status {status}", wished_wait(reply.headers, self._pace.now()))
            return reply, read
        if not failure.again:
            raise ModelError(f"{self._names.who} cannot be read: {failure.reason}; check {self._names.url}")
        raise TryAgainError(failure.reason)

    def _refusal(self, reply: Reply, read: Body, ledger: Ledger) -> ModelError:
        """The setting to look at, without the body: it may echo the request, and with it source code."""
        names, status = self._names, reply.status if reply.status >= 300 else read.code or reply.status
        if status == 413 or read.too_long:
            return TooLongError(f"{names.who} says that the request is too long for its model: check {names.model}")
        if status in (401, 403):
            return ModelError(f"{names.who} refused the key (status {status}): check {names.key}")
        if status == 402:
            return ModelError(f"{names.who} says that the credit is used up (status 402)")
        if 300 <= status < 400:
            return ModelError(
                f"{names.who} redirects elsewhere (status {status}), which is not followed: check {names.url}"
            )
        return ModelError(f"{names.who} answered {status}: check {names.url} and {names.model}{_billed(ledger)}")


def folded(messages: Sequence[Mapping[str, str]]) -> list[Mapping[str, str]]:
    """The same with leading system messages put before the first other one: some models know no such role."""
    count = next((place for place, one in enumerate(messages) if one["role"] != "system"), len(messages))
    if not count or count == len(messages):
        return list(messages)
    first = messages[count]
    text = "\n\n".join(one["content"] for one in messages[: count + 1])
    return [{"role": first["role"], "content": text}, *messages[count + 1 :]]


def _options(manners: _Manners, n: int, most: int | None) -> dict[str, object]:
    chosen: dict[str, object] = {}
    if n > 1 and manners.takes_n:
        chosen["n"] = n
    if most is not None and _LIMITS[manners.limit]:
        chosen[_LIMITS[manners.limit]] = most
    return chosen


def _adapt(manners: _Manners, reply: Reply, read: Body, n: int, most: int | None) -> bool:
    """Leave out or rename what the server seems to refuse; False when nothing of it is left to try."""
    if reply.status not in _REFUSALS and read.code not in _REFUSALS:
        return False
    text = read.error.lower()
    limited = most is not None and bool(_LIMITS[manners.limit])
    if limited and (read.too_long or "max_tokens" in text or "max_completion_tokens" in text):
        manners.limit = len(_LIMITS) - 1 if read.too_long else manners.limit + 1
        return True
    if n > 1 and manners.takes_n and _SAYS_N.search(text):
        manners.takes_n = False
        return True
    if manners.takes_system and "system" in text and "role" in text:
        manners.takes_system = False
        return True
    return False


def _billed(ledger: Ledger) -> str:
    return f" ({ledger.tokens} tokens were billed on the way)" if ledger.tokens else ""
