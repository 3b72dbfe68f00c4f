"""Model backends by name, from values handed in; reads no environment and never switches backend by itself."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from agent.adapters.models.cassette import Cassette, CassetteClassifier, CassetteGenerator
from agent.adapters.models.chat import ChatGenerator, Price
from agent.adapters.models.nothing import NothingGenerator
from agent.adapters.models.systemone import DEFAULT_MODEL, DEFAULT_URL, SystemOneClassifier
from agent.errors import ModelError
from agent.ports import Classifier, Generator, Screener

CLASSIFIERS = ("embedded", "systemone", "cassette")
GENERATORS = ("embedded", "chat", "cassette", "nothing")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOptions:
    """Which backends a run uses. Keys are kept out of `repr`."""

    classify: str = "embedded"
    classify_url: str = ""
    """System One base address; for `cassette` the file to replay."""
    classify_model: str = ""
    classify_key: str = field(default="", repr=False)
    generate: str = "embedded"
    generate_url: str = ""
    """OpenAI-compatible base address (up to `/v1`); for `cassette` the file to replay."""
    generate_model: str = ""
    generate_key: str = field(default="", repr=False)
    generate_without: tuple[str, ...] = ()
    """Families of repairs the embedded search leaves out, for measuring; ignored by other backends."""
    price_in: float | None = None
    price_out: float | None = None
    """Money per million tokens."""


def classifier_named(options: ModelOptions) -> Classifier:
    """The Classify backend; ModelError naming BENDCODER_CLASSIFY when there is no such one or it lacks a setting."""
    if options.classify == "embedded":
        from agent.adapters.models.embedded import EmbeddedClassifier

        return EmbeddedClassifier()
    if options.classify == "systemone":
        return SystemOneClassifier(
            url=options.classify_url or DEFAULT_URL,
            model=options.classify_model or DEFAULT_MODEL,
            key=options.classify_key,
        )
    if options.classify == "cassette":
        return CassetteClassifier(Cassette(_file(options.classify_url, "BENDCODER_CLASSIFY_URL")))
    raise ModelError(
        f"there is no Classify backend {options.classify!r}: set BENDCODER_CLASSIFY to one of {CLASSIFIERS}"
    )


def generator_named(options: ModelOptions, screener: Callable[[], Screener]) -> Generator:
    """The Generate backend; `screener` is called for the embedded one alone. ModelError names the setting to change."""
    if options.generate == "embedded":
        from agent.adapters.models.embedded import EmbeddedGenerator

        try:
            return EmbeddedGenerator(screener(), time.monotonic, options.generate_without)
        except ValueError as error:
            raise ModelError(str(error)) from error
    if options.generate == "chat":
        if not options.generate_url or not options.generate_model:
            raise ModelError(
                "chat needs an endpoint and a model: set BENDCODER_GENERATE_URL and BENDCODER_GENERATE_MODEL"
            )
        priced = options.price_in is not None and options.price_out is not None
        price = (
            Price(per_million_in=options.price_in or 0.0, per_million_out=options.price_out or 0.0) if priced else None
        )
        return ChatGenerator(
            url=options.generate_url, model=options.generate_model, key=options.generate_key, price=price
        )
    if options.generate == "cassette":
        return CassetteGenerator(Cassette(_file(options.generate_url, "BENDCODER_GENERATE_URL")))
    if options.generate == "nothing":
        return NothingGenerator()
    raise ModelError(
        f"there is no Generate backend {options.generate!r}: set BENDCODER_GENERATE to one of {GENERATORS}"
    )


def _file(name: str, setting: str) -> Path:
    path = Path(name)
    if not name or not path.is_file():
        raise ModelError(f"the cassette {name!r} is not a file: set {setting} to a recorded one")
    return path
