"""Requests and answers agree with GitHub's own description of its API, where a copy of that is at hand.

The copy is a third party's file and not part of this project: `BENDCODER_OPENAPI` names it, or it lies in a folder
`shared/github` beside the checkout. Without one these tests do not exist (the githubkit models are checked always).
"""

import json
import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft4Validator
from jsonschema.exceptions import ValidationError

from tests.support.devhub_contract import OPERATIONS, Exchange, Scene, running_scene

UNDESCRIBED = {"issue events", "issues", "branches", "versions", "pull commits", "reactions of issue"}
"""Operations the copy may leave out: it holds a slice of the API."""


def find_description() -> Path | None:
    given = os.environ.get("BENDCODER_OPENAPI")
    if given:
        return Path(given)
    beside = (parent / "shared" / "github" / "openapi-slice.json" for parent in Path(__file__).resolve().parents)
    return next((path for path in beside if path.is_file()), None)


class Description:
    """The OpenAPI document as validators per operation."""

    def __init__(self, path: Path) -> None:
        document = json.loads(path.read_text(encoding="utf-8"))
        self.components = _nullable(document["components"])
        self.operations = [
            (method.upper(), _pattern(template), _nullable(operation))
            for template, methods in document["paths"].items()
            for method, operation in methods.items()
        ]

    def find(self, exchange: Exchange) -> dict[str, Any] | None:
        fitting = [
            (len(pattern.pattern), operation)
            for method, pattern, operation in self.operations
            if method == exchange.method and pattern.fullmatch(exchange.path)
        ]
        return max(fitting, key=lambda row: row[0])[1] if fitting else None

    def validate(self, schema: dict[str, Any], value: object) -> None:
        whole = schema | {"components": self.components}
        errors = list(Draft4Validator(whole).iter_errors(value))
        assert not errors, _told(errors)

    def check(self, exchange: Exchange, operation: dict[str, Any]) -> None:
        wanted = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
        if wanted is not None and exchange.sent:
            self.validate(wanted, json.loads(exchange.sent))
        answers = operation["responses"]
        assert str(exchange.status) in answers, f"{exchange.status} is not among {sorted(answers)}"
        schema = answers[str(exchange.status)].get("content", {}).get("application/json", {}).get("schema")
        if schema is not None:
            self.validate(schema, json.loads(exchange.received))


def _pattern(template: str) -> re.Pattern[str]:
    wide = {"ref", "path", "basehead", "branch"}
    parts = re.split(r"\{(\w+)\}", template)
    source = "".join(
        ("(.*)" if part in wide else "([^/]+)") if index % 2 else re.escape(part) for index, part in enumerate(parts)
    )
    return re.compile(source)


def _nullable(schema: Any) -> Any:
    """OpenAPI 3.0's `nullable` in JSON Schema's words."""
    if isinstance(schema, list):
        return [_nullable(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: _nullable(value) for key, value in schema.items()}
    if made.pop("nullable", False) is not True:
        return made
    return {"anyOf": [made, {"type": "null"}]}


def _told(errors: list[ValidationError]) -> str:
    return "\n".join(f"at {'/'.join(map(str, one.absolute_path))}: {one.message[:300]}" for one in errors[:8])


DESCRIPTION = find_description()

if DESCRIPTION is not None:
    pytestmark = pytest.mark.xdist_group("devhub-openapi")

    @pytest.fixture(scope="module")
    def description() -> Description:
        assert DESCRIPTION is not None
        return Description(DESCRIPTION)

    @pytest.fixture(scope="module")
    def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
        with running_scene(tmp_path_factory.mktemp("openapi")) as made:
            yield made

    @pytest.mark.parametrize("name", OPERATIONS)
    def test_exchange_agrees_with_the_description(scene: Scene, description: Description, name: str) -> None:
        before = len(scene.recorder.exchanges)
        OPERATIONS[name](scene)
        exchanges = scene.recorder.exchanges[before:]
        assert exchanges
        for exchange in exchanges:
            operation = description.find(exchange)
            assert operation is not None or name in UNDESCRIBED, f"{exchange.method} {exchange.path} is not described"
            if operation is not None:
                description.check(exchange, operation)

    def test_the_check_can_fail(scene: Scene, description: Description) -> None:
        OPERATIONS["comment"](scene)
        exchange = scene.recorder.exchanges[-1]
        operation = description.find(exchange)
        assert operation is not None
        broken = json.loads(exchange.received)
        del broken["user"]
        with pytest.raises(AssertionError, match="'user' is a required property"):
            description.check(replace(exchange, received=json.dumps(broken).encode()), operation)
