"""The command line options by which a person chooses models, shared by `delegate` and `eval`; must not open a model."""

from typing import Annotated

import typer

_WITHOUT = "Kinds of repair the embedded search leaves out, separated by commas; for measuring what the others do."

Classify = Annotated[
    str, typer.Option(envvar="BENDCODER_CLASSIFY", help="Who decides: embedded, systemone, llm or cassette.")
]
ClassifyUrl = Annotated[str, typer.Option(envvar="BENDCODER_CLASSIFY_URL", help="Address of that backend.")]
ClassifyModel = Annotated[str, typer.Option(envvar="BENDCODER_CLASSIFY_MODEL", help="Its model.")]
ClassifyKey = Annotated[str, typer.Option(envvar="TYPESAFE_API_KEY", hidden=True)]
Generate = Annotated[
    str, typer.Option(envvar="BENDCODER_GENERATE", help="Who writes: embedded, chat, cassette or nothing.")
]
GenerateUrl = Annotated[str, typer.Option(envvar="BENDCODER_GENERATE_URL", help="Address of that backend.")]
GenerateModel = Annotated[str, typer.Option(envvar="BENDCODER_GENERATE_MODEL", help="Its model.")]
GenerateKey = Annotated[str, typer.Option(envvar="OPENROUTER_API_KEY", hidden=True)]
PriceIn = Annotated[
    float | None, typer.Option(envvar="BENDCODER_GENERATE_PRICE_IN", min=0, help="Money per million tokens read.")
]
PriceOut = Annotated[
    float | None, typer.Option(envvar="BENDCODER_GENERATE_PRICE_OUT", min=0, help="And per million written.")
]
Money = Annotated[
    float | None, typer.Option(envvar="BENDCODER_MONEY", min=0, help="Cap of a run, in the money of the prices.")
]
Without = Annotated[str, typer.Option(metavar="FAMILY,FAMILY", help=_WITHOUT)]


def families(without: str) -> tuple[str, ...]:
    """The kinds of repair named in one option's value."""
    return tuple(word.strip() for word in without.split(",") if word.strip())
