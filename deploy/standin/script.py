"""What a scripted model is told to say: a JSON file, read strictly; every mistake is told by file and place."""

from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError, model_validator

Role = Literal["draft", "repair", "search", "plan", "reproduce", "answer", "any"]
Share = Annotated[float, Field(ge=0.0, le=1.0)]
Text = str | tuple[str, ...]
"""One text, or its lines: JSON has no text of several lines one could read."""


class ScriptError(Exception):
    """The script cannot be used; `args[0]` names the file, the place in it, and what is wrong there."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Fault(_Strict):
    """What goes wrong before the real answer is given: so many times, then no more."""

    times: int = Field(default=1, ge=1)
    status: int = Field(default=200, ge=100, le=599)
    retry_after: float | None = Field(default=None, ge=0)
    """Seconds, sent as a header."""
    delay: float = Field(default=0.0, ge=0, le=60)
    """Seconds before anything is sent."""
    body: Text | None = None
    """Sent instead of JSON, e.g. half an object; None with status 200: only the delay."""

    @property
    def fails(self) -> bool:
        """Whether anything but the time is wrong."""
        return self.status != HTTPStatus.OK or self.body is not None


class Lines(_Strict):
    """Lines by their text: whole lines without the space around them, so that a script survives line shifts."""

    first: str = Field(min_length=1)
    last: str = ""
    """Empty: the same line; else the next line with this text from the first on."""
    nth: int = Field(default=1, ge=1)
    """Which of several lines with the text of `first`."""


class When(_Strict):
    """When a say or a reply may be used; everything given must hold."""

    has: tuple[str, ...] = ()
    """Pieces of text that occur in the state, or in the messages."""
    lacks: tuple[str, ...] = ()
    """Pieces of text that do not."""
    state: Mapping[str, JsonValue] = Field(default_factory=dict)
    """Dotted place in the state -> its exact value, e.g. `facts.verification` -> `failed`."""


class Say(_Strict):
    """What Classify answers in one step, and in the picks of lines that follow it."""

    action: str = Field(min_length=1)
    read: str = "none"
    edit: str = "none"
    lines: tuple[int, int] | Lines = (1, 1)
    window: int | None = Field(default=None, ge=1)
    """Any line of the part wanted of a long file; None: told by `lines`."""
    confidence: Share = 0.9
    """Of the action, by TypeSafe's formula over as many options as were offered."""
    sure: Share = 0.95
    """Of every other pick."""
    rest: Mapping[str, Share] = Field(default_factory=dict)
    """Probabilities of runner-up actions; with them, `confidence` is the probability of the action itself."""
    nouls: Mapping[str, Share] = Field(default_factory=dict)
    """By question; unsaid: `needs_code_change` 1, any other 0."""
    scores: Mapping[str, int] = Field(default_factory=dict)
    """By question, a level's number; unsaid: `progress_score` 1, any other 0."""
    picks: Mapping[str, str] = Field(default_factory=dict)
    """By question, the option of any other Choice."""
    missing: tuple[str, ...] = ()
    """Questions left without an answer."""
    when: When = When()
    times: int = Field(default=1, ge=0)
    """Steps this may be said in; 0: any number."""
    fault: Fault | None = None


class Reply(_Strict):
    """What Generate writes in one call."""

    role: Role = "any"
    """What kind of text was asked for, told by the prompt; `draft` is also good for a repair."""
    text: Text = ""
    file: str = ""
    """A file beside the script that holds the text instead."""
    more: tuple[Text, ...] = ()
    """Further drafts of the same call, as far as they were asked for."""
    finish: str = "stop"
    when: When = When()
    times: int = Field(default=1, ge=0)
    fault: Fault | None = None

    @model_validator(mode="after")
    def _one_source(self) -> "Reply":
        if self.file and self.text:
            raise ValueError("give `text` or `file`, not both")
        return self


class Script(_Strict):
    """Everything one stand-in says, in order: the first that may be used and is not used up is next."""

    says: tuple[Say, ...] = ()
    replies: tuple[Reply, ...] = ()


def joined(text: Text) -> str:
    """A text given as lines, in one piece."""
    return text if isinstance(text, str) else "\n".join(text)


def load(path: Path) -> Script:
    """The script of a file; ScriptError with file and place for whatever is wrong."""
    try:
        content = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise ScriptError(f"{path} cannot be read: {problem}") from problem
    try:
        script = Script.model_validate_json(content)
    except ValidationError as problem:
        first = problem.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "the whole"
        raise ScriptError(f"{path}: {place}: {first['msg']}") from problem
    return script.model_copy(update={"replies": tuple(_filled(path, reply) for reply in script.replies)})


def _filled(path: Path, reply: Reply) -> Reply:
    if not reply.file:
        return reply
    target = path.parent / reply.file
    try:
        return reply.model_copy(update={"file": "", "text": target.read_text(encoding="utf-8")})
    except (OSError, UnicodeDecodeError) as problem:
        raise ScriptError(f"{path}: the reply's file {target} cannot be read: {problem}") from problem
