"""Reads a chat completion's JSON: texts, why each ended, usage, the error inside; must never raise.

Servers differ: content may be a list of parts, reasoning may come beside it or before it in tags, a tool may be called
though none was offered. What cannot be used is named, so that somebody can act on it.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from agent.adapters.models.reading import finite

CUT = "it was cut off at the length limit: write less, or let an operator raise BENDCODER_GENERATE_MAX_TOKENS"
EMPTY = "it holds no text"
ONLY_REASONING = "it holds reasoning and no answer: answer in the reply itself"
TOOL = "it calls a tool though none was offered: answer in text"
FILTERED = "the provider withheld it by a content filter"
BROKEN = "the provider broke off"

_THINK = re.compile(r"\A\s*<(?P<tag>think|thinking|reasoning)>.*?</(?P=tag)>\s*", re.DOTALL | re.IGNORECASE)
_OPEN_THINK = re.compile(r"\A\s*<(think|thinking|reasoning)>", re.IGNORECASE)
_LATE_THINK = re.compile(r"\A.*?^\s*</(think|thinking|reasoning)>\s*$\n?", re.DOTALL | re.IGNORECASE | re.MULTILINE)
_ANSWERING = re.compile(r"^(```|<<<)", re.MULTILINE)
_TOO_LONG = re.compile(
    r"context[ _]?(length|window|size)|maximum context|too many (input )?tokens|prompt is too long|max_tokens_exceeded"
    r"|input (is )?too (long|large)|exceeds? the (model'?s )?(token|context)",
    re.IGNORECASE,
)
_MOST_TOKENS = 10**9  # more is no count


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """One choice: its text, or in `problem` why it cannot be used. `stop` is the server's word for its end."""

    text: str = ""
    stop: str = "unknown"
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """Usage as the server counted it; `money` when it names its own price."""

    tokens_in: int
    tokens_out: int
    money: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """A completion's JSON as far as it could be read."""

    choices: tuple[Spoken, ...] = ()
    usage: Counted | None = None
    model: str = ""
    error: str = ""
    """Text of an error object, at most 2,000 characters: to be matched, never to be shown (it may echo the request)."""
    code: int | None = None
    """The status an error object names, which may differ from HTTP's."""
    readable: bool = True
    """The body was a JSON object."""

    @property
    def too_long(self) -> bool:
        """The error says that the request does not fit the model's window."""
        return _TOO_LONG.search(self.error) is not None


def read_body(raw: bytes) -> Body:
    """Bytes of a reply -> what they say."""
    try:
        value: object = json.loads(raw, parse_constant=lambda _: None)  # NaN and the infinities are no numbers
    except (ValueError, RecursionError):
        return Body(readable=False, error=raw[:2000].decode(errors="replace"))
    if not isinstance(value, Mapping):
        return Body(readable=False)
    found = value.get("choices")
    error, code = _error(value)
    return Body(
        choices=tuple(_spoken(one) for one in found[:64]) if isinstance(found, list) else (),
        usage=_usage(value.get("usage")),
        model=_word(value.get("model")),
        error=error,
        code=code,
    )


def clean(text: str) -> str:
    """The text without reasoning in tags before it, and without what no encoder takes (half of a surrogate pair)."""
    text = text.encode("utf-8", errors="replace").decode("utf-8")
    whole = _THINK.sub("", text, count=1)
    if whole != text:
        return whole
    if _OPEN_THINK.match(text):
        return ""  # reasoning that never ended
    late = _LATE_THINK.match(text)  # some templates put the opening tag into the prompt
    return text[late.end() :] if late and not _ANSWERING.search(late[0]) else text


def _spoken(raw: object) -> Spoken:
    option = raw if isinstance(raw, Mapping) else {}
    message = option.get("message")
    message = message if isinstance(message, Mapping) else {}
    stop = _word(option.get("finish_reason")) or "unknown"
    text = clean(_content(message.get("content")))
    problem = _problem(text, stop, message, broken="error" in option and option["error"] is not None)
    return Spoken(text="" if problem else text, stop=stop, problem=problem)


def _problem(text: str, stop: str, message: Mapping[object, object], *, broken: bool) -> str:
    if stop in ("length", "max_tokens"):
        return CUT  # half an edit is no edit
    if stop == "content_filter" or (not text.strip() and message.get("refusal")):
        return FILTERED
    if broken or stop == "error":
        return BROKEN
    if text.strip():
        return ""
    if message.get("tool_calls") or message.get("function_call"):
        return TOOL
    thought = any(message.get(name) for name in ("reasoning_content", "reasoning", "reasoning_details", "thinking"))
    return ONLY_REASONING if thought or _content(message.get("content")).strip() else EMPTY


def _content(raw: object) -> str:
    """Text of a message: a string, or the text parts of a list, in order; reasoning and images are left out."""
    if isinstance(raw, str):
        return raw
    if not isinstance(raw, list):
        return ""
    parts = [part if isinstance(part, str) else _part(part) for part in raw]
    return "".join(parts)


def _part(raw: object) -> str:
    if not isinstance(raw, Mapping) or raw.get("type", "text") not in ("text", "output_text"):
        return ""
    text = raw.get("text")
    return text if isinstance(text, str) else ""


def _usage(raw: object) -> Counted | None:
    if not isinstance(raw, Mapping):
        return None
    tokens_in = _count(raw.get("prompt_tokens", raw.get("input_tokens")))
    tokens_out = _count(raw.get("completion_tokens", raw.get("output_tokens")))
    if tokens_in is None and tokens_out is None:
        return None
    cost = raw.get("cost")
    return Counted(tokens_in=tokens_in or 0, tokens_out=tokens_out or 0, money=_money(cost))


def _count(raw: object) -> int | None:
    """A token count; a number that cannot be one is none."""
    if isinstance(raw, bool) or not isinstance(raw, int | float) or not 0 <= raw < _MOST_TOKENS:
        return None
    return int(raw)


def _money(raw: object) -> float | None:
    number = finite(raw)
    return number if number is not None and number >= 0 else None


def _error(value: Mapping[object, object]) -> tuple[str, int | None]:
    """Text and status of an error object: `error` as text or object, `detail`, `message`."""
    raw = value.get("error") or value.get("detail")
    if raw is None and not value.get("choices"):
        raw = value.get("message")
    if raw is None:
        return "", None
    code = raw.get("code") if isinstance(raw, Mapping) else None
    number = code if isinstance(code, int) and not isinstance(code, bool) and 100 <= code < 600 else None
    return (raw if isinstance(raw, str) else json.dumps(raw, default=str))[:2000], number


def _word(raw: object) -> str:
    """A short printable word of the server's; anything else is none."""
    return raw if isinstance(raw, str) and len(raw) <= 100 and raw.isprintable() else ""
