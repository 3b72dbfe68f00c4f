"""Ties the store, the bare repositories, the addresses and the outbox together; holds no rules of its own."""

from collections import deque
from dataclasses import dataclass, field
from pathlib import Path

from deploy.devhub.calls import CallLog
from deploy.devhub.faults import Faults
from deploy.devhub.git import BareRepository, FileChange
from deploy.devhub.problems import Json
from deploy.devhub.state import Installation, Repository
from deploy.devhub.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Urls:
    """Where this stand-in is reached; no trailing slashes."""

    base: str

    @property
    def api(self) -> str:
        """Root of the REST API."""
        return f"{self.base}/api/v3"

    def repo(self, repo: Repository) -> str:
        """A repository's REST address."""
        return f"{self.api}/repos/{repo.full_name}"

    def page(self, repo: Repository) -> str:
        """A repository's page."""
        return f"{self.base}/{repo.full_name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Emission:
    """One webhook that is due: its event, whom it goes to, and the payload as it was then."""

    event: str
    action: str | None
    installation: Installation
    repository_id: int | None
    payload: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """What lies between two commits; they never change, so it is computed once."""

    changes: list[FileChange]
    commits: int


@dataclass(slots=True, kw_only=True)
class Hub:
    """The stand-in's insides."""

    urls: Urls
    directory: Path
    store: Store = field(default_factory=Store)
    faults: Faults = field(default_factory=Faults)
    calls: CallLog = field(default_factory=CallLog)
    outbox: deque[Emission] = field(default_factory=deque)
    spans: dict[tuple[int, str, str], Span] = field(default_factory=dict)
    """By repository id, base and head."""

    def git(self, repo: Repository) -> BareRepository:
        """The bare repository of a repository (by id, so that renaming moves nothing)."""
        return BareRepository(self.directory / "repositories" / f"{repo.id}.git")
