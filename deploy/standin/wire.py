"""The two wires a stand-in speaks: reads a request strictly as their owners would, and shapes what goes back."""

import json
from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from deploy.standin.player import tokens
from deploy.standin.script import Fault, joined

MODEL = "scripted"


class _Loose(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _Choice(_Loose):
    type: Literal["choice"]
    instructions: JsonValue = None
    criteria: dict[str, JsonValue] = Field(min_length=2, max_length=255)


class _Score(_Loose):
    type: Literal["score"]
    instructions: JsonValue = None
    criteria: list[str | dict[str, JsonValue] | list[JsonValue]] = Field(min_length=2, max_length=10)


class _Noul(_Loose):
    type: Literal["noul"]
    instructions: JsonValue = None
    criteria: JsonValue = None


class Asked(_Loose):
    """One System One request."""

    model: str = MODEL
    state: str | dict[str, JsonValue] | list[JsonValue]
    questions: dict[str, Annotated[_Choice | _Score | _Noul, Field(discriminator="type")]] = Field(min_length=1)

    def plain(self) -> dict[str, Mapping[str, object]]:
        """The questions as plain data."""
        return {name: question.model_dump() for name, question in self.questions.items()}


class _Message(_Loose):
    role: str
    content: str = ""


class Wanted(_Loose):
    """One chat completion request."""

    model: str = MODEL
    messages: list[_Message] = Field(min_length=1)
    n: int = Field(default=1, ge=1, le=128)


class BadRequestError(Exception):
    """What the wire's owner would refuse; `args[0]` is the list of what is wrong where."""


def read_asked(body: bytes) -> Asked:
    """A System One request; BadRequestError for what its owner would answer with 422."""
    try:
        return Asked.model_validate_json(body)
    except ValidationError as problem:
        raise BadRequestError(_detail(problem)) from problem


def read_wanted(body: bytes) -> Wanted:
    """A chat completion request; BadRequestError likewise."""
    try:
        return Wanted.model_validate_json(body)
    except ValidationError as problem:
        raise BadRequestError(_detail(problem)) from problem


def _detail(problem: ValidationError) -> list[dict[str, object]]:
    return [{"loc": ["body", *error["loc"]], "msg": error["msg"], "type": error["type"]} for error in problem.errors()]


def answers(found: Mapping[str, object], model: str, read: int) -> dict[str, object]:
    """A System One response."""
    usage = {"input_tokens": read, "output_tokens": len(found)}
    return {"model": model, "answers": dict(found), "usage": usage}


def completion(texts: tuple[str, ...], finish: str, read: int) -> dict[str, object]:
    """A chat completion response with one choice per text."""
    written = sum(tokens(text) for text in texts)
    return {
        "id": "scripted",
        "object": "chat.completion",
        "model": MODEL,
        "choices": [
            {"index": place, "message": {"role": "assistant", "content": text}, "finish_reason": finish}
            for place, text in enumerate(texts)
        ],
        "usage": {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written},
    }


def faulty(fault: Fault) -> tuple[int, bytes, dict[str, str]]:
    """Status, body and further headers of a fault."""
    body = json.dumps({"detail": "the script wants this to fail"}) if fault.body is None else joined(fault.body)
    headers = {} if fault.retry_after is None else {"Retry-After": f"{fault.retry_after:g}"}
    return fault.status, body.encode(), headers
