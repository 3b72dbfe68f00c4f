"""One pure merge of the operator's ceiling, the repository's file and the command; no IO. Nobody raises a ceiling."""

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

from worker.errors import ConfigError
from worker.repo_config import RepoConfig

DEFAULT_STEPS = 12
STEP_CEILING = 40
KNOWN = ("steps", "base", "model")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ceiling:
    """What the operator allows; times in seconds."""

    steps: int = STEP_CEILING
    default_steps: int = DEFAULT_STEPS
    seconds: float = 1800.0
    check_seconds: float = 60.0
    suite_seconds: float = 900.0
    money: float | None = None
    """In the money of the operator's prices; None: no cap."""
    models: tuple[str, ...] = ()
    """Names a repository or a command may ask for; the first is used when nobody asks."""
    bases: tuple[str, ...] = ()
    """Patterns of branches a command may name besides the default branch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """What one run may use, after everybody had their say."""

    steps: int
    seconds: float
    check_seconds: float
    suite_seconds: float
    money: float | None
    model: str | None
    base: str
    protected: tuple[str, ...]


def merge(ceiling: Ceiling, repo: RepoConfig, asked: Mapping[str, str], default_branch: str) -> Merged:
    """Combine the three; ConfigError with one sentence for the person who asked when a wish cannot be met."""
    unknown = sorted(set(asked) - set(KNOWN))
    if unknown:
        raise ConfigError(f"`{unknown[0]}` is not an option. Known options: {', '.join(KNOWN)}. Nothing ran.")
    most = min(ceiling.steps, repo.steps or ceiling.steps)
    return Merged(
        steps=_steps(asked.get("steps"), most, repo.steps or ceiling.default_steps),
        seconds=ceiling.seconds,
        check_seconds=min(ceiling.check_seconds, repo.check_seconds or ceiling.check_seconds),
        suite_seconds=min(ceiling.suite_seconds, repo.suite_seconds or ceiling.suite_seconds),
        money=ceiling.money,
        model=_model(asked.get("model", repo.model), ceiling.models),
        base=_base(asked.get("base"), ceiling.bases, default_branch),
        protected=repo.protected,
    )


def _steps(asked: str | None, most: int, default: int) -> int:
    if asked is None:
        return min(default, most)
    if not (asked.isascii() and asked.isdigit() and len(asked) <= 6 and 1 <= int(asked) <= most):
        raise ConfigError(f"`steps` must be a whole number from 1 to {most} here. Nothing ran.")
    return int(asked)


def _model(asked: str | None, models: tuple[str, ...]) -> str | None:
    if asked is None:
        return models[0] if models else None
    if asked not in models:
        listed = ", ".join(f"`{name}`" for name in models) or "none: leave `model` out"
        raise ConfigError(f"That `model` is not on this installation's list ({listed}). Nothing ran.")
    return asked


def _base(asked: str | None, patterns: tuple[str, ...], default_branch: str) -> str:
    if asked is None or asked == default_branch:
        return default_branch
    if asked.startswith("-") or not any(fnmatchcase(asked, pattern) for pattern in patterns):
        listed = ", ".join(f"`{name}`" for name in (default_branch, *patterns))
        raise ConfigError(f"`base` must be one of {listed} here. Nothing ran.")
    return asked
