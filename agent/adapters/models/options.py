"""Which backends a run uses, as values; must not open one."""

from dataclasses import dataclass, field

from agent.adapters.models.reach import Reach


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
