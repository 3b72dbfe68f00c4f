"""What set-up made for a repository: which interpreter runs its suite and what of the host it needs to see."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """Where a repository's code runs. Paths are absolute host paths, mounted read-only at their own place."""

    python: str | None = None
    """The interpreter of the suite, e.g. `/venvs/x/bin/python`; None when the repository is not Python."""
    readonly: tuple[str, ...] = ()
    """Directories the sandbox shows read-only at their own paths: the virtual environment, its base, tool folders."""
    path: tuple[str, ...] = ()
    """Directories put before the system's PATH."""
    variables: tuple[tuple[str, str], ...] = ()
    """Extra variables for the repository's commands; never a secret."""
