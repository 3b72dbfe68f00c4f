"""What one run is asked to do and within which limits; no IO, no defaults from the environment."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """An issue as it was at the trigger; its text is data, never instructions to the code."""

    run_id: str
    title: str
    body: str

    @property
    def goal(self) -> str:
        """Title, blank line, body: what both models are shown."""
        return f"{self.title}\n\n{self.body}".strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Commands:
    """The repository's own commands, already split into words; run without a shell.

    `check` may hold `{file}` as one argument (appended when absent).
    """

    verify: tuple[str, ...]
    check: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Ceilings of a run. `seconds` holds baseline and verdict; `verdict_share` of it is kept for the verdict."""

    steps: int = 12
    seconds: float = 600.0
    tokens: int | None = None
    money: float | None = None
    verdict_share: float = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeouts:
    """Seconds one command may take; a repository's configuration may lower them."""

    check: float = 60.0
    suite: float = 900.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Everything a run may vary in; built by one merge of ceiling, repository and command."""

    commands: Commands
    budget: Budget = field(default_factory=Budget)
    timeouts: Timeouts = field(default_factory=Timeouts)
    protected: tuple[str, ...] = ()
    """Extra path globs no edit may touch, besides the built-in ones."""
    hash_seed: int = 0
    """PYTHONHASHSEED of every judged suite run, the same on both sides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """All that a run depends on besides the base's bytes and what models and suite answer: kept in its trace."""

    title: str
    body: str
    options: Options
    python: str | None
    """The Environment's interpreter: it is part of how the suite is run."""
    classify: str
    floors: str
    """Name of the profile Classify's answers were held against."""
    generate: str
    repairs: bool
    prose: bool
    room: int
    sandbox: str
