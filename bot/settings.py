"""The public process's settings, from the environment alone; it must not be given what only the worker may hold."""

import os
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from bot.errors import SettingsError
from worker.contract.names import PREFIX, WORKER_SECRETS, unknown


class Settings(BaseSettings):
    """What `bendcoder serve` needs."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, frozen=True, extra="ignore")

    redis_url: SecretStr = SecretStr("redis://127.0.0.1:6379/0")
    """Where jobs are put; may hold a password."""
    webhook_secrets: SecretStr = SecretStr("")
    """One or more secrets, separated by commas: during a rotation the new and the old."""
    webhook_secrets_file: Path | None = None
    """The same from a file, also one a line."""
    label: str = Field(default="bendcoder", min_length=1, max_length=50)
    """The label that hands an issue over, in any case."""
    bot_ids: Annotated[frozenset[int], NoDecode] = frozenset()
    """User ids of bots that may ask; every other bot is ignored."""
    github_web_url: str = "https://github.com"
    """The forge people look at; its host is part of every job's id."""

    @field_validator("bot_ids", mode="before")
    @classmethod
    def _numbers(cls, value: object) -> object:
        return frozenset(value.replace(",", " ").split()) if isinstance(value, str) else value

    @property
    def host(self) -> str:
        """Host (and port, where there is one) of the forge's web address."""
        return urlsplit(self.github_web_url).netloc.rpartition("@")[2].lower()

    def secrets(self) -> tuple[bytes, ...]:
        """The webhook secrets as bytes. Raises SettingsError when there is none."""
        text = self.webhook_secrets.get_secret_value()
        if self.webhook_secrets_file is not None:
            try:
                text += "\n" + self.webhook_secrets_file.read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError) as error:
                raise SettingsError(f"{PREFIX}WEBHOOK_SECRETS_FILE cannot be read: {type(error).__name__}.") from error
        found = tuple(part.strip().encode() for part in text.replace("\n", ",").split(",") if part.strip())
        if not found:
            raise SettingsError(
                f"No webhook secret is set, so every delivery would have to be refused. Set {PREFIX}WEBHOOK_SECRETS "
                f"or {PREFIX}WEBHOOK_SECRETS_FILE to the secret of the app's webhook."
            )
        return found


def load() -> Settings:
    """The settings of this process's environment.

    Raises SettingsError for a misspelt name, a secret of the worker's, a value that does not fit, a missing secret.
    """
    environment = os.environ
    strangers = unknown(list(environment))
    if strangers:
        raise SettingsError(f"No part of bendcoder knows {', '.join(strangers)}. Correct the name or take it out.")
    held = sorted(name for name in environment if name.upper() in WORKER_SECRETS and environment[name])
    if held:
        raise SettingsError(
            f"{', '.join(held)} belongs to the worker; the process that the internet can reach must not hold it. "
            "Start `bendcoder serve` without it."
        )
    try:
        settings = Settings()
    except ValidationError as error:
        named = ", ".join(f"{PREFIX}{str(fault['loc'][0]).upper()} ({fault['msg']})" for fault in error.errors())
        raise SettingsError(f"These settings do not fit: {named}.") from None  # the chained error would show values
    if not settings.host:
        raise SettingsError(f"{PREFIX}GITHUB_WEB_URL must be an address such as https://github.com.")
    settings.secrets()
    return settings
