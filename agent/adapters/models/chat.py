"""Generate over any OpenAI-compatible `/chat/completions`, by httpx; returns text as drafts and claims nothing of it.

Every billed call is counted, malformed replies included. Retries have full jitter, obey Retry-After up to a cap and end
at a deadline. The key is in the client's header and nowhere else.
"""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass

import httpx
from pydantic import BaseModel, ConfigDict, ValidationError
from tenacity import RetryCallState, Retrying, retry_if_exception_type, stop_after_attempt, stop_after_delay

from agent.domain.edit import Draft
from agent.edits.reply import draft_of
from agent.errors import ModelError
from agent.ports import WriteRequest, Written

RETRY_STATUSES = frozenset({408, 425, 429, 500, 502, 503, 504, 529})
BASE_SECONDS, CAP_SECONDS, TRIES = 0.5, 30.0, 4
DEFAULT_SECONDS = 120.0
ROOM = 96_000
"""Characters: some 24,000 tokens, which the smallest windows in use hold beside an answer."""


class _Loose(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _Message(_Loose):
    content: str | None = None


class _Option(_Loose):
    message: _Message = _Message()
    finish_reason: str | None = None


class _Usage(_Loose):
    prompt_tokens: int = 0
    completion_tokens: int = 0


class _Reply(_Loose):
    choices: tuple[_Option, ...] = ()
    usage: _Usage | None = None
    model: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """Money per million tokens, in and out."""

    per_million_in: float
    per_million_out: float

    def of(self, tokens_in: int, tokens_out: int) -> float:
        """Cost of one call."""
        return (tokens_in * self.per_million_in + tokens_out * self.per_million_out) / 1_000_000


class _TryAgainError(Exception):
    """A failure worth another try; `wait` in seconds when the server named one."""

    def __init__(self, reason: str, wait: float | None = None) -> None:
        super().__init__(reason, wait)
        self.reason, self.wait = reason, wait


class ChatGenerator:
    """`agent.ports.Generator` over one OpenAI-compatible endpoint."""

    repairs = True
    prose = True
    room = ROOM

    def __init__(
        self,
        *,
        url: str,
        model: str,
        key: str,
        price: Price | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._client = httpx.Client(
            base_url=url.rstrip("/"), headers=headers, timeout=httpx.Timeout(DEFAULT_SECONDS, connect=10.0)
        )
        self._model, self._price, self._sleep = model, price, sleep
        self.label = f"chat {model}"

    def close(self) -> None:
        """Close the connection pool."""
        self._client.close()

    def write(self, request: WriteRequest, n: int) -> Written:
        """Ask once for `n` choices; ModelError when the endpoint cannot be used, with the setting to change."""
        started = time.monotonic()
        body = {
            "model": self._model,
            "messages": [{"role": role, "content": text} for role, text in request.messages],
            "n": n,
        }
        if n == 1:
            del body["n"]  # not every server knows it
        reply = self._read(self._post(body, request.seconds))
        usage = reply.usage or _Usage()
        money = self._price.of(usage.prompt_tokens, usage.completion_tokens) if self._price else None
        drafts = tuple(draft for option in reply.choices if (draft := _draft(option, request)) is not None)
        stops = {option.finish_reason or "unknown" for option in reply.choices} or {"malformed"}
        return Written(
            drafts=drafts,
            tokens=usage.prompt_tokens + usage.completion_tokens,
            money=money,
            seconds=time.monotonic() - started,
            stop=", ".join(sorted(stops)),
            model=f"chat/{reply.model or self._model}",
            note="" if drafts else "the reply held no usable text",
        )

    def _post(self, body: dict[str, object], seconds: float) -> httpx.Response:
        attempts = Retrying(
            retry=retry_if_exception_type(_TryAgainError),
            stop=stop_after_attempt(TRIES) | stop_after_delay(seconds),
            wait=_full_jitter,
            sleep=self._sleep,
            reraise=True,
        )
        try:
            return attempts(self._once, body, seconds)
        except _TryAgainError as error:
            raise ModelError(f"Generate failed after {TRIES} tries: {error.reason}") from None

    def _once(self, body: dict[str, object], seconds: float) -> httpx.Response:
        try:
            response = self._client.post("/chat/completions", json=body, timeout=max(1.0, seconds))
        except httpx.TransportError as error:
            raise _TryAgainError(f"{type(error).__name__}: check BENDCODER_GENERATE_URL") from None
        if response.status_code in RETRY_STATUSES:
            raise _TryAgainError(f"status {response.status_code}", _retry_after(response))
        if response.status_code in (401, 403):
            raise ModelError(f"Generate refused the key (status {response.status_code}): check OPENROUTER_API_KEY")
        if response.is_error:
            raise ModelError(
                f"Generate answered {response.status_code}: check BENDCODER_GENERATE_URL and BENDCODER_GENERATE_MODEL"
            )
        return response

    @staticmethod
    def _read(response: httpx.Response) -> _Reply:
        try:
            return _Reply.model_validate_json(response.content)
        except ValidationError:
            return _Reply()


def _draft(option: _Option, request: WriteRequest) -> Draft | None:
    """A choice's text as a draft; None when empty or cut off by the length limit (half an edit is no edit)."""
    text = option.message.content
    if not text or option.finish_reason == "length":
        return None
    if request.role != "draft":
        return Draft(text=text.encode(errors="replace"))
    return draft_of(text, request.anchor)


def _retry_after(response: httpx.Response) -> float | None:
    value = response.headers.get("retry-after", "")
    return min(CAP_SECONDS, float(value)) if value.isascii() and value.replace(".", "", 1).isdigit() else None


def _full_jitter(state: RetryCallState) -> float:
    """Uniform between nothing and the doubled base, capped; the server's own wish comes first."""
    error = state.outcome.exception() if state.outcome else None
    if isinstance(error, _TryAgainError) and error.wait is not None:
        return error.wait
    return random.uniform(0.0, min(CAP_SECONDS, BASE_SECONDS * 2**state.attempt_number))  # noqa: S311  # jitter, no secret
