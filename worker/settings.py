"""The worker's settings from environment and secret files; the one place of the worker that reads either."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Self
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import NoDecode

from worker.contract.names import PREFIX, unknown
from worker.errors import ConfigError
from worker.model_settings import ModelSettings

Listed = Annotated[tuple[str, ...], NoDecode]
"""Comma or space separated words."""


class WorkerSettings(ModelSettings):
    """Everything a worker process can be told; frozen, read once, refused at start when it cannot work."""

    redis_url: SecretStr = SecretStr("redis://127.0.0.1:6379/0")
    """The queue and the records; may hold a password."""
    label: str = "bendcoder"
    allow: Listed = ()
    """Owners or owner/repo that may use this installation; empty refuses everyone."""
    bot_ids: Annotated[tuple[int, ...], NoDecode] = ()
    """User ids of bots that may delegate; everybody else must be a person."""

    app_id: str = ""
    app_private_key: SecretStr = SecretStr("")
    app_private_key_file: Path | None = None
    github_api_url: str = "https://api.github.com"
    github_web_url: str = "https://github.com"
    git_url: str = ""
    """Base address of git over HTTP; empty: the web address."""
    public_url: str = ""
    """Where people reach the public process; empty: nothing links there."""

    models: Listed = ()
    """Model names a repository or a command may ask of Generate, besides GENERATE_MODEL."""
    bases: Listed = ("release/*", "develop")
    """Patterns of branches a command may name besides the default branch."""

    sandbox: str = "bubblewrap"
    steps: int = Field(default=40, ge=1, le=40)
    """Ceiling of steps; a run that names none takes 12 or this, whichever is less."""
    seconds: float = Field(default=1800.0, gt=0, le=6 * 3600)
    """Wall clock of one run, baseline and verdict inside."""
    setup_seconds: float = Field(default=600.0, gt=0, le=3600)
    """Wall clock of a repository's `setup`; its own `timeouts.setup` can only lower it."""
    environments_gb: float = Field(default=10.0, gt=0)
    """Disk all environments made by `setup` may take, besides those in use."""
    data_dir: Path = Path("~/.local/share/bendcoder")
    max_parallel: int = Field(default=2, ge=1)
    lease_seconds: float = Field(default=10.0, gt=0)

    @field_validator("allow", "models", "bases", mode="before")
    @classmethod
    def _words(cls, value: object) -> object:
        return tuple(value.replace(",", " ").split()) if isinstance(value, str) else value

    @field_validator("bot_ids", mode="before")
    @classmethod
    def _numbers(cls, value: object) -> object:
        return tuple(int(word) for word in value.replace(",", " ").split()) if isinstance(value, str) else value

    @field_validator("github_api_url", "github_web_url", "git_url")
    @classmethod
    def _address(cls, value: str) -> str:
        parts = urlsplit(value)
        if value and (parts.scheme not in ("http", "https") or not parts.hostname or parts.username):
            raise ValueError("must be an http or https address without a user name")
        return value.rstrip("/")

    @field_validator("data_dir")
    @classmethod
    def _home(cls, value: Path) -> Path:
        return value.expanduser().resolve()

    @model_validator(mode="after")
    def _keys(self) -> Self:
        if self.app_private_key.get_secret_value() and self.app_private_key_file:
            raise ValueError(f"set {PREFIX}APP_PRIVATE_KEY or {PREFIX}APP_PRIVATE_KEY_FILE, not both")
        if not self.app_id:
            raise ValueError(f"{PREFIX}APP_ID is missing: the number of the GitHub App")
        if "PRIVATE KEY" not in self.private_key:
            raise ValueError(f"{PREFIX}APP_PRIVATE_KEY (or its _FILE) is missing: the App's private key in PEM form")
        return self

    @property
    def private_key(self) -> str:
        """The App's key in PEM form, from the variable (`\\n` for line ends allowed) or the file."""
        if self.app_private_key_file:
            return self.app_private_key_file.read_text(encoding="utf-8")
        return self.app_private_key.get_secret_value().replace("\\n", "\n")

    @property
    def git_base(self) -> str:
        """Where git is spoken."""
        return self.git_url or self.github_web_url

    @property
    def network(self) -> dict[str, str]:
        """What git needs behind a proxy or a private certificate authority."""
        found = {
            "https_proxy": self.https_proxy,
            "http_proxy": self.http_proxy,
            "no_proxy": self.no_proxy,
            "GIT_SSL_CAINFO": self.ssl_cert_file,
        }
        return {name: value for name, value in found.items() if value}

    @property
    def secrets(self) -> tuple[str, ...]:
        """Values that must never leave: what the redactor is told first."""
        keys = (self.typesafe_api_key.get_secret_value(), self.openrouter_api_key.get_secret_value())
        proxies = (urlsplit(one).password or "" for one in (self.https_proxy, self.http_proxy))
        return tuple(value for value in (self.private_key, *keys, *proxies) if value)


def load(environment: Mapping[str, str]) -> WorkerSettings:
    """The settings of this process's environment, which is passed in to be checked for misspelt names.

    Raises ConfigError with one sentence for the operator; no value is ever in it.
    """
    strangers = unknown(list(environment))
    if strangers:
        raise ConfigError(f"No part of bendcoder knows {', '.join(strangers)}. Correct the name or take it out.")
    try:
        settings = WorkerSettings()
    except ValidationError as error:
        named = ", ".join(f"{_name(fault['loc'])}{fault['msg']}" for fault in error.errors())
        raise ConfigError(f"These settings do not fit: {named}.") from None  # the chained error would show values
    except OSError as error:
        raise ConfigError(f"{PREFIX}APP_PRIVATE_KEY_FILE cannot be read: {type(error).__name__}.") from None
    return settings


def _name(location: tuple[int | str, ...]) -> str:
    return f"{PREFIX}{str(location[0]).upper()}: " if location else ""
