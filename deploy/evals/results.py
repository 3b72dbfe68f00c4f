"""What an evaluation came to, as a file others can read, and two of them compared; unlike ones are never compared.

Whether the result is right (`hidden`) and how the run ended by itself (`ending`) are two questions, and two figures.
"""

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from deploy.evals.hidden import Hidden
from deploy.evals.row import Row
from deploy.evals.task import Task

VERSION = 1
_Z = 1.959964  # of a normal distribution, for intervals that hold 95 of 100 times


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class TaskVersion(_Frozen):
    """What of a task has to be the same for two runs of it to be alike."""

    digest: str
    steps: int
    seconds: float


class Configuration(_Frozen):
    """Everything but the program itself that decides how an evaluation turns out."""

    tasks: Mapping[str, TaskVersion]
    classify: str
    classify_model: str = ""
    generate: str
    generate_model: str = ""
    settings: Mapping[str, str] = {}
    """Further settings of the models that are not the usual ones; no key, no address."""
    sandbox: str

    @property
    def digest(self) -> str:
        """Short, and the same only for the same configuration."""
        return hashlib.sha256(json.dumps(self.model_dump(), sort_keys=True).encode()).hexdigest()[:16]


class Results(_Frozen):
    """One evaluation."""

    version: int = VERSION
    commit: str
    """Of the program that was evaluated."""
    repeat: int
    configuration: Configuration
    rows: tuple[Row, ...]


class UnlikeError(Exception):
    """Two evaluations cannot be compared; `args[0]` names what differs, or what is wrong with the file."""


def versions(tasks: Iterable[Task]) -> dict[str, TaskVersion]:
    """The versions of these tasks by name."""
    return {
        task.name: TaskVersion(digest=task.digest, steps=task.settings.steps, seconds=task.settings.seconds)
        for task in tasks
    }


def read(path: Path) -> Results:
    """An evaluation's file; UnlikeError when it is none."""
    try:
        return Results.model_validate_json(path.read_bytes())
    except OSError as problem:
        raise UnlikeError(f"{path} cannot be read ({problem.strerror})") from problem
    except ValidationError as problem:
        first = problem.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise UnlikeError(f"{path} is no file of results: {place}: {first['msg']}") from problem


def write(results: Results, path: Path) -> None:
    """Write the file whole or not at all."""
    fresh = path.with_name(f".{path.name}.new")
    document = {**results.model_dump(mode="json"), "digest": results.configuration.digest}
    fresh.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8", errors="replace")
    fresh.replace(path)


def refuse_unlike(before: Configuration, now: Configuration) -> None:
    """UnlikeError naming every difference; silent when the two are the same."""
    told = differences(before, now)
    if told:
        raise UnlikeError("the two evaluations are not alike and cannot be compared: " + "; ".join(told))


def differences(before: Configuration, now: Configuration) -> list[str]:
    """What differs, one phrase each."""
    told = []
    for name in ("classify", "classify_model", "generate", "generate_model", "sandbox"):
        old, new = getattr(before, name), getattr(now, name)
        if old != new:
            told.append(f"{name} was {old or 'none'} and is {new or 'none'}")
    for name in sorted({*before.settings, *now.settings}):
        old, new = before.settings.get(name, "usual"), now.settings.get(name, "usual")
        if old != new:
            told.append(f"{name} was {old} and is {new}")
    for name in sorted({*before.tasks, *now.tasks}):
        told += _task_difference(name, before.tasks.get(name), now.tasks.get(name))
    return told


def _task_difference(name: str, old: TaskVersion | None, new: TaskVersion | None) -> list[str]:
    if old is None or new is None:
        return [f"task {name} is only in the {'new' if old is None else 'old'} one"]
    pairs = ((key, getattr(old, key), getattr(new, key)) for key in ("steps", "seconds"))
    told = [f"task {name} had {was:g} {key} and has {now:g}" for key, was, now in pairs if was != now]
    return told or ([f"the files of task {name} have changed"] if old.digest != new.digest else [])


def by_task(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """Rows by task, in the order they come."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row.task, []).append(row)
    return found


def right(rows: Sequence[Row]) -> tuple[int, int]:
    """How many hidden checks passed, of how many that could tell."""
    told = [row.hidden for row in rows if row.hidden in (Hidden.PASS, Hidden.FAIL)]
    return sum(1 for word in told if word is Hidden.PASS), len(told)


def interval(passed: int, of: int) -> tuple[float, float]:
    """Where the true share lies 95 of 100 times: Wilson's score interval, which holds for few attempts as well.

    Wilson 1927, https://doi.org/10.1080/01621459.1927.10502953; nothing tried, nothing known: (0, 1).
    """
    if not of:
        return 0.0, 1.0
    share, weight = passed / of, _Z * _Z / of
    centre = (share + weight / 2) / (1 + weight)
    spread = _Z * math.sqrt(share * (1 - share) / of + weight / (4 * of)) / (1 + weight)
    return max(0.0, centre - spread), min(1.0, centre + spread)
