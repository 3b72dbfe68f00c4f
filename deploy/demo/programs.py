"""The small programs the demo repairs, read from disk; nothing in them says where the bug is or how to mend it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from deploy.delegate.issue import parse

PROGRAMS = Path(__file__).parent / "programs"
SKIPPED = frozenset({"__pycache__", ".pytest_cache"})


class NoProgram(Exception):
    """There is no such program; `args[0]` names those there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A repository with failing tests and an issue somebody wrote about them."""

    name: str
    files: Mapping[str, bytes]
    title: str
    body: str


def names() -> tuple[str, ...]:
    """The built-in programs, sorted."""
    return tuple(sorted(path.parent.name for path in PROGRAMS.glob("*/issue.md")))


def load(name: str) -> Program:
    """A built-in program; NoProgram for any other name."""
    if name not in names():
        raise NoProgram(f"There is no demo program {name!r}; there are {', '.join(names())}.")
    return load_from(PROGRAMS / name)


def load_from(folder: Path) -> Program:
    """A program of a folder with `issue.md` and `repo/`; NoProgram says what is missing."""
    try:
        issue = parse((folder / "issue.md").read_bytes())
    except (OSError, ValueError) as problem:
        raise NoProgram(f"{folder} needs an issue.md with a title: {problem}.") from problem
    repo = folder / "repo"
    files = {
        path.relative_to(repo).as_posix(): path.read_bytes()
        for path in sorted(repo.rglob("*"))
        if path.is_file() and not SKIPPED.intersection(path.parts)
    }
    if not files:
        raise NoProgram(f"{folder} needs a folder repo/ with files in it.")
    return Program(name=folder.name, files=files, title=issue.title, body=issue.body)
