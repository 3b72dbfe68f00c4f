"""Backends that ask somebody's server, made from values; loaded only by a run that uses one, for that takes a while.

It must not ask anything: a setting that is missing is a ModelError naming it.
"""

from agent.adapters.models.chat import ChatGenerator
from agent.adapters.models.fitting import FittingClassifier
from agent.adapters.models.llm import LlmClassifier
from agent.adapters.models.options import ModelOptions
from agent.adapters.models.price import Price
from agent.adapters.models.speaking import Room
from agent.adapters.models.systemone import DEFAULT_MODEL, DEFAULT_URL, SystemOneClassifier
from agent.errors import ModelError
from agent.ports import Classifier, Generator

JEV_PRICE = Price(per_million_in=0.042)
"""The vendor's published price of jev-1.13 at its own address; output is free there."""


def systemone(options: ModelOptions) -> Classifier:
    """Classify by System One; JEV_PRICE at the vendor's own address unless another is set."""
    url = options.classify_url or DEFAULT_URL
    price = _price(options.classify_price_in, options.classify_price_out or 0.0)  # output is free at the vendor's
    if price is None and url.rstrip("/") == DEFAULT_URL:
        price = JEV_PRICE
    client = SystemOneClassifier(
        url=url,
        model=options.classify_model or DEFAULT_MODEL,
        key=options.classify_key,
        price=_capped(options, price, "BENDCODER_CLASSIFY_PRICE_IN"),
        reach=options.reach,
    )
    return FittingClassifier(client)


def llm(options: ModelOptions) -> Classifier:
    """Classify by a chat model, Generate's own unless another is set."""
    url = options.classify_url or options.generate_url
    model = options.classify_model or options.generate_model
    if not url or not model:
        raise ModelError("llm needs an endpoint and a model: set BENDCODER_CLASSIFY_URL and BENDCODER_CLASSIFY_MODEL")
    price = _price(options.classify_price_in, options.classify_price_out)
    if price is None and (url, model) == (options.generate_url, options.generate_model):
        price = _price(options.price_in, options.price_out)
    client = LlmClassifier(
        url=url,
        model=model,
        key=options.generate_key,
        price=_capped(options, price, "BENDCODER_CLASSIFY_PRICE_IN and _OUT"),
        reach=options.reach,
    )
    return FittingClassifier(client)


def chat(options: ModelOptions) -> Generator:
    """Generate by any compatible server."""
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
