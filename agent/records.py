"""Writes values of the agent down as JSON text and reads them back; must not know what they are for.

What cannot be written or read back whole is absent, never half: a run that goes on from its trace then does that step
again.
"""

from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError, to_json

T = TypeVar("T")
_ADAPTERS: dict[type, TypeAdapter[Any]] = {}


def written_down(value: object) -> str:
    """The value as JSON; empty when it holds something JSON cannot (a lone surrogate from a hostile text).

    Sets are written in order: another process hashes texts otherwise, and the same outcome must give the same words.
    """
    try:
        return to_json(
            _ordered(_adapter(type(value)).dump_python(value)), bytes_mode="base64", inf_nan_mode="null"
        ).decode()
    except (PydanticSerializationError, UnicodeError, ValueError):
        return ""


def read_back(kind: type[T], text: str | None) -> T | None:
    """The value of this type that `written_down` was given; None when the text is absent or is no such value."""
    if not text:
        return None
    try:
        return _adapter(kind).validate_json(text)
    except ValidationError:
        return None


def _ordered(value: object) -> object:
    if isinstance(value, dict):
        return {key: _ordered(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_ordered(one) for one in value]
    return sorted(value, key=lambda one: (str(type(one)), one)) if isinstance(value, frozenset | set) else value


def _adapter(kind: type[T]) -> TypeAdapter[T]:
    """The codec of a type, made once: making one costs a thousand times what using it does."""
    if kind not in _ADAPTERS:
        _ADAPTERS[kind] = TypeAdapter(kind)
    return _ADAPTERS[kind]
