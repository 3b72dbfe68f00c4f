"""What a person asked of `delegate`, checked; and the one exception for "could not start"."""

from dataclasses import dataclass
from pathlib import Path

from agent.adapters.models.options import ModelOptions

COULD_NOT_START, SUITE_UNUSABLE = "could_not_start", "suite_unusable"


class CannotStart(Exception):
    """Nothing was changed; `args[0]` says why and what to do next, `outcome` is the word for it in the JSON."""

    def __init__(self, reason: str, outcome: str = COULD_NOT_START) -> None:
        super().__init__(reason, outcome)
        self.outcome = outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One local delegation; times in seconds."""

    repo: Path
    issue: bytes
    models: ModelOptions
    steps: int = 12
    seconds: float = 600.0
    verify: tuple[str, ...] | None = None
    """None: the repository's own configuration, then what its files suggest."""
    check: tuple[str, ...] | None = None
    env: Path | None = None
    """Virtual environment of the suite; None: that of an absolute interpreter in `verify`, else our own."""
    sandbox: str = "bubblewrap"
    trace: Path | None = None
    resume: bool = False
    """Go on along `trace` where that run was killed; with another checkout or other options it begins anew."""
    room: Path | None = None
    """Folder for working copies; None: the system's temporary folder."""
    memory: Path | None = None
    """File to remember in what was learnt of blobs, words of their texts included; None: nothing is remembered."""
