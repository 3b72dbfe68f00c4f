"""What tests the repository and where: commands and environment of a local delegation, checked before use."""

import sys
from dataclasses import dataclass
from pathlib import Path

from agent.domain.environment import Environment
from agent.domain.task import Commands
from agent.errors import WorkspaceError
from agent.ports import Workspace
from deploy.delegate.request import SUITE_UNUSABLE, CannotStart, Request
from worker import repo_config
from worker.environment import detect_verify, environment_of

CHECK_SECONDS = 60.0
SUITE_SECONDS = 900.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Configured:
    """The repository's own settings, with the person's options over them; times in seconds."""

    commands: Commands
    check_seconds: float
    suite_seconds: float
    protected: tuple[str, ...]


def configured(request: Request, workspace: Workspace) -> Configured:
    """Options, then `.github/bendcoder.yml` as committed, then what the files suggest; CannotStart without a suite."""
    config = repo_config.parse(_content(workspace, repo_config.PATH))
    if config.setup is not None and request.env is None and _interpreter(request.verify) is None:
        raise CannotStart(
            f"{repo_config.PATH} names a `setup` command, which delegate does not run. Do by hand what it would do and "
            "name the virtual environment with --env."
        )
    paths = [entry.path for entry in workspace.entries()]
    verify = request.verify or config.verify or detect_verify(paths, lambda path: _content(workspace, path))
    if verify is None:
        raise CannotStart(
            "No test suite was recognised. Name its command with --verify, or as `verify` in .github/bendcoder.yml.",
            SUITE_UNUSABLE,
        )
    return Configured(
        commands=Commands(verify=verify, check=request.check or config.check),
        check_seconds=config.check_seconds or CHECK_SECONDS,
        suite_seconds=config.suite_seconds or SUITE_SECONDS,
        protected=config.protected,
    )


def environment_for(request: Request, verify: tuple[str, ...]) -> Environment:
    """`--env`, else the environment of an absolute interpreter in the command, else the one that runs bendcoder."""
    if request.env is not None:
        return environment_of(str(request.env.absolute()))
    return environment_of(_interpreter(verify) or sys.executable)


def _interpreter(verify: tuple[str, ...] | None) -> str | None:
    """The virtual environment, or the interpreter, an absolute word of the command belongs to."""
    for word in verify or ():
        path = Path(word)
        if path.is_absolute():
            if (path.parent.parent / "pyvenv.cfg").is_file():
                return str(path.parent.parent)
            if path.name.startswith("python"):
                return word
    return None


def _content(workspace: Workspace, path: str) -> bytes | None:
    try:
        return workspace.read(path)
    except WorkspaceError:
        return None
