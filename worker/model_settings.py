"""Settings of the two models, shared by the worker and by `delegate`; must hold nothing of GitHub or the queue.

Prices, models per role and what a proxy needs stand here once, so that both programs read the same names.
"""

from typing import TYPE_CHECKING

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

from worker.contract.names import PREFIX

if TYPE_CHECKING:
    from agent.adapters.models import ModelOptions

ROLES = ("draft", "search", "plan", "reproduce", "answer")


class ModelSettings(BaseSettings):
    """Which models a run uses, what they cost and how they are reached."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, frozen=True, extra="ignore", hide_input_in_errors=True)

    classify: str = "embedded"
    classify_url: str = ""
    classify_model: str = ""
    classify_price_in: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    """Money per million tokens read; without prices no money cap can be kept."""
    classify_price_out: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    generate: str = "embedded"
    generate_url: str = ""
    generate_model: str = ""
    generate_model_draft: str = ""
    """Another model for one role; empty: `generate_model`."""
    generate_model_search: str = ""
    generate_model_plan: str = ""
    generate_model_reproduce: str = ""
    generate_model_answer: str = ""
    generate_price_in: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    generate_price_out: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    generate_candidates: int = Field(default=1, ge=1, le=8)
    """Drafts asked of `chat` at once."""
    generate_max_tokens: int | None = Field(default=None, ge=256)
    """What a reply may take; None leaves it to the server."""
    generate_window: int | None = Field(default=None, ge=4096)
    """The model's window in tokens."""
    money: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    """Cap of one run, in the money of the prices; None: none."""
    record: str = ""
    """File every exchange with a model is appended to, source code included; empty: none."""
    typesafe_api_key: SecretStr = Field(default=SecretStr(""), validation_alias="TYPESAFE_API_KEY")
    openrouter_api_key: SecretStr = Field(default=SecretStr(""), validation_alias="OPENROUTER_API_KEY")

    https_proxy: str = Field(default="", validation_alias="HTTPS_PROXY", repr=False)
    http_proxy: str = Field(default="", validation_alias="HTTP_PROXY", repr=False)
    no_proxy: str = Field(default="", validation_alias="NO_PROXY")
    ssl_cert_file: str = Field(default="", validation_alias="SSL_CERT_FILE")
    """The usual names: model clients and git are handed their values, the forge's client reads them for itself."""

    def options(self) -> "ModelOptions":
        """The same for the agent's registry of backends."""
        from agent.adapters.models import ModelOptions
        from agent.adapters.models.reach import Reach

        roles = {role: str(getattr(self, f"generate_model_{role}")) for role in ROLES}
        return ModelOptions(
            classify=self.classify,
            classify_url=self.classify_url,
            classify_model=self.classify_model,
            classify_key=self.typesafe_api_key.get_secret_value(),
            classify_price_in=self.classify_price_in,
            classify_price_out=self.classify_price_out,
            generate=self.generate,
            generate_url=self.generate_url,
            generate_model=self.generate_model,
            generate_models=tuple((role, model) for role, model in roles.items() if model),
            generate_key=self.openrouter_api_key.get_secret_value(),
            generate_candidates=self.generate_candidates,
            generate_max_tokens=self.generate_max_tokens,
            generate_window=self.generate_window,
            price_in=self.generate_price_in,
            price_out=self.generate_price_out,
            money=self.money,
            record=self.record,
            reach=Reach(
                https_proxy=self.https_proxy,
                http_proxy=self.http_proxy,
                no_proxy=self.no_proxy,
                ca_file=self.ssl_cert_file,
            ),
        )
