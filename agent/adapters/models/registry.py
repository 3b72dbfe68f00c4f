"""Model backends by name, from values handed in; reads no environment and never switches backend by itself."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from agent.adapters.models.cassette import (
    Cassette,
    CassetteClassifier,
    CassetteGenerator,
    RecordingClassifier,
    RecordingGenerator,
)
from agent.adapters.models.chat import ChatGenerator
from agent.adapters.models.completions import Price
from agent.adapters.models.fitting import FittingClassifier, release
from agent.adapters.models.http import Reach
from agent.adapters.models.llm import LlmClassifier
from agent.adapters.models.nothing import NothingGenerator
from agent.adapters.models.speaking import Room
from agent.adapters.models.systemone import DEFAULT_MODEL, DEFAULT_URL, SystemOneClassifier
from agent.errors import ModelError
from agent.ports import Classifier, Generator, Screener

CLASSIFIERS = ("embedded", "systemone", "llm", "cassette")
GENERATORS = ("embedded", "chat", "cassette", "nothing")
JEV_PRICE = Price(per_million_in=0.042)
"""The vendor's published price of jev-1.13 at its own address; output is free there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOptions:
    """Which backends a run uses. Keys are kept out of `repr`."""

    classify: str = "embedded"
    classify_url: str = ""
    """Base address of System One or, for `llm`, of an OpenAI-compatible server (empty: Generate's); for `cassette` the
    file to replay."""
    classify_model: str = ""
    """Empty: the pinned one of System One; for `llm` Generate's."""
    classify_key: str = field(default="", repr=False)
    """Of System One; `llm` uses Generate's key."""
    classify_price_in: float | None = None
    classify_price_out: float | None = None
    """Money per million tokens."""
    generate: str = "embedded"
    generate_url: str = ""
    """OpenAI-compatible base address (up to `/v1`); for `cassette` the file to replay."""
    generate_model: str = ""
    generate_models: tuple[tuple[str, str], ...] = ()
    """Role and model, for roles that use another one."""
    generate_key: str = field(default="", repr=False)
    generate_without: tuple[str, ...] = ()
    """Families of repairs the embedded search leaves out, for measuring; ignored by other backends."""
    generate_candidates: int = 1
    """Drafts asked of `chat` at once: further ones cost as much again, and a failed draft's errors help more."""
    generate_max_tokens: int | None = None
    """What a reply may take; None leaves it to the server."""
    generate_window: int | None = None
    """The model's window in tokens; None: prompts keep to what the smallest in use hold."""
    price_in: float | None = None
    price_out: float | None = None
    """Money per million tokens of Generate; with models per role, of the dearest."""
    money: float | None = None
    """The run's cap on money; the loop keeps it, here it is refused when a backend's price is not known."""
    record: str = ""
    """File every exchange is appended to, source code included; empty: none."""
    reach: Reach = field(default_factory=Reach)


@contextmanager
def opened(options: ModelOptions, screener: Callable[[], Screener]) -> Iterator[tuple[Classifier, Generator]]:
    """Both backends for one run; their connections are closed after it. ModelError as the two below."""
    with ExitStack() as stack:
        classifier = classifier_named(options)
        stack.callback(release, classifier)
        generator = generator_named(options, screener)
        stack.callback(release, generator)
        yield classifier, generator


def classifier_named(options: ModelOptions) -> Classifier:
    """The Classify backend; ModelError naming BENDCODER_CLASSIFY when there is no such one or it lacks a setting."""
    found = _classifier(options)
    return RecordingClassifier(found, Cassette(Path(options.record))) if options.record else found


def _classifier(options: ModelOptions) -> Classifier:
    if options.classify == "embedded":
        from agent.adapters.models.embedded import EmbeddedClassifier

        return EmbeddedClassifier()
    if options.classify == "systemone":
        return FittingClassifier(_systemone(options))
    if options.classify == "llm":
        return FittingClassifier(_llm(options))
    if options.classify == "cassette":
        return CassetteClassifier(Cassette(_file(options.classify_url, "BENDCODER_CLASSIFY_URL")))
    raise ModelError(
        f"there is no Classify backend {options.classify!r}: set BENDCODER_CLASSIFY to one of {CLASSIFIERS}"
    )


def generator_named(options: ModelOptions, screener: Callable[[], Screener]) -> Generator:
    """The Generate backend; `screener` is called for the embedded one alone. ModelError names the setting to change."""
    found = _generator(options, screener)
    return RecordingGenerator(found, Cassette(Path(options.record))) if options.record else found


def _generator(options: ModelOptions, screener: Callable[[], Screener]) -> Generator:
    if options.generate == "embedded":
        from agent.adapters.models.embedded import EmbeddedGenerator

        try:
            return EmbeddedGenerator(screener(), time.monotonic, options.generate_without)
        except ValueError as error:
            raise ModelError(str(error)) from error
    if options.generate == "chat":
        return _chat(options)
    if options.generate == "cassette":
        return CassetteGenerator(Cassette(_file(options.generate_url, "BENDCODER_GENERATE_URL")))
    if options.generate == "nothing":
        return NothingGenerator()
    raise ModelError(
        f"there is no Generate backend {options.generate!r}: set BENDCODER_GENERATE to one of {GENERATORS}"
    )


def _systemone(options: ModelOptions) -> Classifier:
    url = options.classify_url or DEFAULT_URL
    price = _price(options.classify_price_in, options.classify_price_out or 0.0)  # output is free at the vendor's
    if price is None and url.rstrip("/") == DEFAULT_URL:
        price = JEV_PRICE
    return SystemOneClassifier(
        url=url,
        model=options.classify_model or DEFAULT_MODEL,
        key=options.classify_key,
        price=_capped(options, price, "BENDCODER_CLASSIFY_PRICE_IN"),
        reach=options.reach,
    )


def _llm(options: ModelOptions) -> Classifier:
    url = options.classify_url or options.generate_url
    model = options.classify_model or options.generate_model
    if not url or not model:
        raise ModelError("llm needs an endpoint and a model: set BENDCODER_CLASSIFY_URL and BENDCODER_CLASSIFY_MODEL")
    price = _price(options.classify_price_in, options.classify_price_out)
    if price is None and (url, model) == (options.generate_url, options.generate_model):
        price = _price(options.price_in, options.price_out)
    return LlmClassifier(
        url=url,
        model=model,
        key=options.generate_key,
        price=_capped(options, price, "BENDCODER_CLASSIFY_PRICE_IN and _OUT"),
        reach=options.reach,
    )


def _chat(options: ModelOptions) -> Generator:
    if not options.generate_url or not options.generate_model:
        raise ModelError("chat needs an endpoint and a model: set BENDCODER_GENERATE_URL and BENDCODER_GENERATE_MODEL")
    return ChatGenerator(
        url=options.generate_url,
        model=options.generate_model,
        models=dict(options.generate_models),
        key=options.generate_key,
        price=_capped(options, _price(options.price_in, options.price_out), "BENDCODER_GENERATE_PRICE_IN and _OUT"),
        candidates=options.generate_candidates,
        size=Room(most=options.generate_max_tokens, window=options.generate_window),
        reach=options.reach,
    )


def _price(price_in: float | None, price_out: float | None) -> Price | None:
    """Known when both sides are: half a price would count half the cost."""
    if price_in is None or price_out is None:
        return None
    return Price(per_million_in=price_in, per_million_out=price_out)


def _capped(options: ModelOptions, price: Price | None, settings: str) -> Price | None:
    """The price; ModelError when there is a cap on money that could not be kept without it."""
    if options.money is not None and price is None:
        raise ModelError(f"a cap on money needs a price: set {settings}, or take BENDCODER_MONEY away")
    return price


def _file(name: str, setting: str) -> Path:
    path = Path(name)
    if not name or not path.is_file():
        raise ModelError(f"the cassette {name!r} is not a file: set {setting} to a recorded one")
    return path
