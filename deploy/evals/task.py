"""A task's folder as a value: `task.toml`, `issue.md`, `repo/`, a script, a hidden check; runs nothing of it.

Every mistake is told by file and key: a task that is silently left out would look like progress.
"""

import hashlib
import re
import shlex
import shutil
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from agent.adapters.sandbox.variables import SYSTEM_PATH
from deploy.delegate.issue import parse

SKIPPED = frozenset({"__pycache__", ".pytest_cache"})
CHECKS = ("check.py", "check.sh")
_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]{0,63}")


class TaskError(Exception):
    """A task cannot be used; `args[0]` names file and key, and what is wrong there."""


class Ending(StrEnum):
    """How a run ended, in one word: what a task expects and what a row reports."""

    FIXED = "fixed"
    """Kept edits, verdict `verified`."""
    UNVERIFIED = "unverified"
    FAILING = "failing"
    ANSWERED = "answered"
    UNCHANGED = "unchanged"
    """Completed without an edit."""
    REFUSED = "refused"
    """No kept edit, and every guard of `refused_by` refused something on the way."""
    STALLED = "stalled"
    OUT_OF_BUDGET = "out_of_budget"
    UNUSABLE = "unusable"
    """The suite could not be used."""
    NOT_STARTED = "not_started"
    CANCELLED = "cancelled"
    KILLED = "killed"
    """The attempt did not end within its time and was ended."""
    SKIPPED = "skipped"
    """A program the task needs is not on this machine."""
    BROKEN = "broken"
    """The attempt itself broke: a fault of ours, or of this machine."""


class _Settings(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    title: str = Field(min_length=1)
    expect: Ending
    refused_by: tuple[str, ...] = ()
    """Guards that must refuse something on the way, whatever the end."""
    tags: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    """Programs besides Python; without one the task is skipped, and said to be."""
    steps: int = Field(default=12, ge=1, le=40)
    seconds: float = Field(default=120.0, ge=1, le=3600)
    check_seconds: float = Field(default=60.0, ge=1, le=900)
    verify: tuple[str, ...] = ()
    """Empty: as `delegate` finds it."""
    check: tuple[str, ...] = ()

    @field_validator("verify", "check", mode="before")
    @classmethod
    def _words(cls, value: object) -> object:
        return tuple(shlex.split(value)) if isinstance(value, str) else value

    @model_validator(mode="after")
    def _guards_named(self) -> "_Settings":
        if self.expect is Ending.REFUSED and not self.refused_by:
            raise ValueError("`expect = refused` needs `refused_by`, the guards that have to refuse")
        return self


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One task, checked; its files are read when it runs."""

    name: str
    folder: Path
    settings: _Settings
    digest: str
    """Over every file of the folder: two runs are alike only when it is."""

    @property
    def missing(self) -> tuple[str, ...]:
        """Programs it needs and this machine's suites would not find."""
        return tuple(name for name in self.settings.needs if shutil.which(name, path=":".join(SYSTEM_PATH)) is None)

    @property
    def script(self) -> Path:
        """What the scripted models say, whether it exists or not."""
        return self.folder / "script.json"

    @property
    def hidden(self) -> Path | None:
        """The hidden check, None when there is none."""
        return next((self.folder / name for name in CHECKS if (self.folder / name).is_file()), None)


def find(folders: Sequence[Path], names: Sequence[str] = ()) -> tuple[Task, ...]:
    """The tasks of these folders (each one a task, or a folder of tasks), sorted by name; TaskError says what is wrong.

    `names` picks some of them; every name must be there.
    """
    found: dict[str, Task] = {}
    for folder in folders:
        for place in _places(folder):
            if names and place.name not in names:
                continue
            task = load(place)
            if task.name in found:
                raise TaskError(f"{place}: there is a task {task.name} in {found[task.name].folder} as well")
            found[task.name] = task
    missing = [name for name in names if name not in found]
    if missing:
        raise TaskError(f"there is no task {', '.join(missing)} in {', '.join(map(str, folders))}")
    return tuple(found[name] for name in sorted(found))


def _places(folder: Path) -> Iterator[Path]:
    if (folder / "task.toml").exists():
        yield folder
        return
    if not folder.is_dir():
        raise TaskError(f"{folder} is not a folder")
    places = sorted(path.parent for path in folder.glob("*/task.toml"))
    if not places:
        raise TaskError(f"{folder} holds no task: neither task.toml nor folders with one")
    yield from places


def load(folder: Path) -> Task:
    """One task; TaskError names the file and the key that is wrong."""
    folder = folder.resolve()
    if not _NAME.fullmatch(folder.name):
        raise TaskError(f"{folder}: a task's folder is named with small letters, digits, dots, dashes, underscores")
    settings = _settings(folder / "task.toml")
    try:
        parse((folder / "issue.md").read_bytes())
    except (OSError, ValueError) as problem:
        raise TaskError(f"{folder / 'issue.md'}: {problem}") from problem
    if not any(path.is_file() for path in (folder / "repo").rglob("*")):
        raise TaskError(f"{folder / 'repo'}: a task needs a folder repo/ with files in it")
    if all((folder / name).exists() for name in CHECKS):
        raise TaskError(f"{folder}: there is a check.py and a check.sh; one hidden check is enough")
    return Task(name=folder.name, folder=folder, settings=settings, digest=_digest(folder))


def _settings(path: Path) -> _Settings:
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
        return _Settings.model_validate(document)
    except OSError as problem:
        raise TaskError(f"{path}: {problem.strerror}") from problem
    except ValidationError as problem:
        first = problem.errors()[0]
        key = ".".join(str(part) for part in first["loc"]) or "the whole"
        raise TaskError(f"{path}: {key}: {first['msg']}") from problem
    except ValueError as problem:
        raise TaskError(f"{path}: {problem}") from problem


def files_of(folder: Path) -> Iterator[tuple[str, Path]]:
    """Relative path and place of every file below a folder, sorted, without what interpreters leave behind."""
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder)
        if path.is_file() and not SKIPPED.intersection(relative.parts):
            yield relative.as_posix(), path


def _digest(folder: Path) -> str:
    digest = hashlib.sha256()
    for name, path in files_of(folder):
        content = path.read_bytes()
        digest.update(f"{name}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()[:16]
