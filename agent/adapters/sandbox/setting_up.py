"""Runs a repository's set-up commands in a box with an opening, then takes what they made away from them.

Nothing set-up wrote is read, followed or run on the host: its folder is measured and sealed, and that is all.
"""

import os
import stat
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from agent.adapters.sandbox.egress import Bounds, Destinations, serving, upstream_of
from agent.adapters.sandbox.opening import CanSetUp, Opening
from agent.domain.environment import Environment
from agent.errors import SandboxError
from agent.ports import Box, Limits, Ran, Sandbox
from agent.verify.command import understand

PLACE = "{env}"
"""What stands for the environment's folder in a set-up command."""

_MEMORY = 4 * 1024**3
_PROCESSES = 512
_FILE_SIZE = 2 * 1024**3
"""Compilers and archives want more than a suite does."""

_CERTIFICATES = (
    "SSL_CERT_FILE",
    "PIP_CERT",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "GIT_SSL_CAINFO",
    "NODE_EXTRA_CA_CERTS",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class WayOut:
    """What set-up may reach, and how: `proxy` is the address of the one this machine has to use, empty without, and
    `certificates` the file of an authority that one needs."""

    destinations: Destinations = field(default_factory=Destinations)
    proxy: str = field(default="", repr=False)
    bounds: Bounds = field(default_factory=Bounds)
    certificates: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SetUp:
    """How set-up ended: the command that failed (None: none did), its run, and what the proxy refused."""

    failed: tuple[str, ...] | None
    ran: Ran | None
    refused: tuple[str, ...] = ()


def run_setup(
    sandbox: Sandbox,
    tree: Path,
    environment: Environment,
    folder: Path,
    commands: Sequence[Sequence[str]],
    *,
    seconds: float,
    way_out: WayOut,
    clock: Callable[[], float] = time.monotonic,
) -> SetUp:
    """Run the commands one after the other, together at most `seconds` long; stop at the first that fails.

    `environment` is the base, which is shown read-only; `folder` must exist and be empty. SandboxError when this
    sandbox cannot do it.
    """
    if not isinstance(sandbox, CanSetUp) or environment.python is None:
        raise SandboxError(f"the {sandbox.name} sandbox cannot run set-up: it has no filtered way to the network")
    deadline = clock() + seconds
    shown = replace(environment, path=(f"{folder}/bin", *environment.path))
    with serving(way_out.destinations, upstream_of(way_out.proxy), way_out.bounds) as egress:
        opening = Opening(folder=folder, egress=egress.folder, python=environment.python)
        with sandbox.open_for_setup(tree, shown, opening) as box:
            variables = _variables(box, folder, way_out.certificates)
            for words in commands:
                ran = _run(box, environment.python, folder, words, variables, deadline - clock())
                if ran.exit_code != 0:
                    return SetUp(failed=tuple(words), ran=ran, refused=tuple(egress.refused))
        return SetUp(failed=None, ran=None, refused=tuple(egress.refused))


def _run(box: Box, python: str, folder: Path, words: Sequence[str], variables: dict[str, str], seconds: float) -> Ran:
    if seconds <= 0:
        return Ran(exit_code=None, output="", seconds=0.0, timed_out=True)
    own = folder / "bin/python"
    # the name alone is looked at: what it leads to is only ever followed inside
    present = str(own) if os.path.lexists(own) else python
    command = understand([word.replace(PLACE, str(folder)) for word in words], present)
    limits = Limits(seconds=seconds, memory=_MEMORY, processes=_PROCESSES, file_size=_FILE_SIZE)
    return box.run(command.argv, limits, {**variables, **dict(command.variables)})


def _variables(box: Box, folder: Path, certificates: Path | None) -> dict[str, str]:
    found = {
        "BENDCODER_ENV": str(folder),
        "VIRTUAL_ENV": str(folder),
        "PIP_NO_INPUT": "1",
        "PIP_NO_CACHE_DIR": "1",  # home lives in memory and is gone with the command
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }
    if certificates is not None:
        try:
            given = box.give("authorities.pem", certificates.read_bytes())
        except OSError as error:
            raise SandboxError(f"SSL_CERT_FILE cannot be read: {error.strerror}; nothing was run") from error
        found.update(dict.fromkeys(_CERTIFICATES, given))
    return found


def seal(folder: Path) -> int:
    """Make a folder set-up wrote readable for every box and writable for none; its size in bytes.

    Follows no link. Sockets, pipes and set-id bits go. SandboxError when it cannot be walked to its end.
    """
    owner = (0, 0) if os.geteuid() == 0 else None
    total = 0
    try:
        for entry in _below(folder):
            status = entry.stat(follow_symlinks=False)
            if owner:
                os.chown(entry.path, *owner, follow_symlinks=False)
            if entry.is_symlink():
                continue
            if stat.S_ISREG(status.st_mode):
                os.chmod(entry.path, 0o555 if status.st_mode & 0o111 else 0o444)  # noqa: PTH101 - a scandir entry
                total += status.st_blocks * 512
            elif not stat.S_ISDIR(status.st_mode):
                os.unlink(entry.path)  # noqa: PTH108 - a scandir entry
    except OSError as error:
        raise SandboxError(
            f"what set-up made cannot be read to its end: {error.strerror}; it was thrown away"
        ) from error
    return total


def _below(folder: Path) -> Iterator["os.DirEntry[str]"]:
    """Everything below, each folder opened up before it is walked."""
    folders = [str(folder)]
    while folders:
        place = folders.pop()
        # no process of set-up is left to swap a folder for a link
        if os.geteuid() == 0:
            os.chown(place, 0, 0, follow_symlinks=False)
        os.chmod(place, 0o755)  # noqa: PTH101, S103 - other ids must read it
        with os.scandir(place) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                yield entry
