"""Reads what an interpreter needs to be seen with: its virtual environment and its base. Never runs it on the host."""

import os
from collections.abc import Iterator
from pathlib import Path

from agent.domain.environment import Environment
from worker.errors import EnvironmentSetupError

_CONFIG = "pyvenv.cfg"
_CONFIG_LIMIT = 16_384
_MOST_LINKS = 16


def environment_of(python: str) -> Environment:
    """The Environment of an interpreter or of a virtual environment's folder, named by an absolute path.

    Both the virtual environment and its base (its own base included, should it be one of those) are to be mounted
    read-only at their own paths, and so is every folder a link on the way to the program leads through.
    EnvironmentSetupError when there is no interpreter there.
    """
    named = Path(python)
    if not named.is_absolute():
        raise EnvironmentSetupError(f"the interpreter {python!r} must be an absolute path; nothing was run", "")
    program = _program_of(named)
    venv = _venv_of(program)
    seen = [venv, venv.resolve()] if venv else []
    seen += _prefixes(program)
    if venv:
        home = _home_of(venv)
        base = next((path for path in sorted(home.glob("python*")) if os.access(path, os.X_OK)), None)
        if base is None:
            raise EnvironmentSetupError(f"{venv / _CONFIG} names {home}, where no Python is; make it anew", "")
        seen += _prefixes(base)
    shown = tuple(dict.fromkeys(str(path) for path in seen if not _is_system(path)))
    return Environment(
        python=str(program),
        readonly=shown,
        path=(str(program.parent),) if not _is_system(program) else (),
        variables=(("VIRTUAL_ENV", str(venv)),) if venv else (),
    )


def _program_of(named: Path) -> Path:
    """The interpreter itself, its links not followed: the link is what makes it the virtual environment's."""
    candidates = [named / "bin" / name for name in ("python", "python3")] if named.is_dir() else [named]
    for candidate in candidates:
        if candidate.is_file() and os.access(candidate, os.X_OK):
            return candidate
    if named.is_dir():
        raise EnvironmentSetupError(f"{str(named)!r} holds no bin/python; name a virtual environment's folder", "")
    raise EnvironmentSetupError(f"there is no interpreter at {str(named)!r}", "")


def _venv_of(program: Path) -> Path | None:
    folder = program.parent.parent
    return folder if (folder / _CONFIG).is_file() else None


def _home_of(venv: Path) -> Path:
    with (venv / _CONFIG).open(encoding="utf-8", errors="replace") as file:
        for line in file.read(_CONFIG_LIMIT).splitlines():
            key, _, value = line.partition("=")
            if key.strip().lower() == "home" and Path(value.strip()).is_absolute():
                return Path(value.strip())
    raise EnvironmentSetupError(f"{venv / _CONFIG} names no base interpreter; make the environment anew", "")


def _prefixes(program: Path) -> Iterator[Path]:
    """Installation folders of a program and of everything it links to."""
    here = program
    for _ in range(_MOST_LINKS):
        yield here.parent.parent
        # a link may also stand in the middle of the path, e.g. a version folder that points to its newest patch
        yield here.parent.resolve().parent
        if not here.is_symlink():
            return
        here = here.parent / here.readlink()
        here = Path(os.path.normpath(here))
    raise EnvironmentSetupError(f"{str(program)!r} is a circle of links", "")


def _is_system(path: Path) -> bool:
    """Whether every sandbox shows this already."""
    return any(path.is_relative_to(shown) for shown in ("/usr", "/bin", "/lib")) or path == Path("/")
