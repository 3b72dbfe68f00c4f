"""A job record as hash fields, one JSON text each, so that scripts can compare and replace a field exactly; no IO."""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from pydantic import TypeAdapter
from pydantic_core import to_json

from worker.contract.job import JobRecord

GIVEN = frozenset(
    {"version", "job_id", "wish", "triggers", "owner", "owners", "attempts", "lease_until", "created", "updated"}
)
"""Fields that only the scripts write."""


SCRIPTED = {"version", "state", "attempts", "owner", "owners"}
"""Fields the scripts read: they are stored even at their defaults, which others are not (each costs on the way)."""


def encode(record: JobRecord) -> dict[str, str]:
    """A new record's fields."""
    values = record.model_dump(exclude_defaults=True) | record.model_dump(include=SCRIPTED)
    return {name: to_json(value).decode() for name, value in values.items()}


def decode(stored: Mapping[str, str]) -> JobRecord:
    """The record behind those fields; pydantic's ValidationError when it is of a version this build does not know."""
    return JobRecord.model_validate_json("{" + ",".join(f"{json.dumps(k)}:{v}" for k, v in stored.items()) + "}")


def encode_some(values: Mapping[str, object]) -> dict[str, str]:
    """Validated fields for an update.

    Raises ValueError for a field that does not exist, does not fit, or is written by the scripts alone.
    """
    for name in values:
        if name in GIVEN or name not in JobRecord.model_fields:
            raise ValueError(f"{name} is not a field an owner may write")
    return {name: _encode_one(name, value) for name, value in values.items()}


def _encode_one(name: str, value: object) -> str:
    adapter = _adapter(name)
    return adapter.dump_json(adapter.validate_python(value)).decode()


@cache
def _adapter(name: str) -> TypeAdapter[object]:
    annotation: Any = JobRecord.model_fields[name].annotation
    return TypeAdapter(annotation)
