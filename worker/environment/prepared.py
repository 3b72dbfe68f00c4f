"""Prepares where a repository's suite runs, once per job: set-up when there is one, and proof that it tests the tree.

What set-up made is never read on the host: the Environment is put together from our own paths.
"""

import hashlib
import json
import os
from dataclasses import replace
from pathlib import Path

from agent.adapters.sandbox.probe import outside_modules
from agent.adapters.sandbox.setting_up import PLACE, SetUp, WayOut, run_setup, seal
from agent.domain.environment import Environment
from agent.errors import SandboxError
from agent.ports import Checkout, Checkouts, Sandbox
from worker.environment.interpreter import environment_of
from worker.environment.store import EnvironmentStore
from worker.errors import EnvironmentSetupError
from worker.ports import Environments

SETUP_SECONDS = 600.0
LARGEST = 4 * 1024**3
"""Bytes one environment may have."""

_VERSION = 1
"""Raised when an environment made by an earlier bendcoder must not be used any more."""

_OUTPUT = 20_000
"""Characters of a failed command's output that are handed on: its end."""

Commands = tuple[tuple[str, ...], ...]


class PreparedEnvironments(Environments):
    """An environment for each repository with `setup`, and for all others the interpreter of this installation.

    `python` is its absolute path; `store` keeps what set-up made (None: set-up is refused); `seconds` is the most a
    set-up may take.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        python: str,
        *,
        store: EnvironmentStore | None = None,
        way_out: WayOut | None = None,
        seconds: float = SETUP_SECONDS,
        largest: int = LARGEST,
    ) -> None:
        self._sandbox, self._python = sandbox, python
        self._store = store
        self._way_out = way_out or WayOut()
        self._seconds, self._largest = seconds, largest

    def prepare(
        self, checkouts: Checkouts, setup: Commands | None, verify: tuple[str, ...], seconds: float | None = None
    ) -> Environment:
        """The Environment for this repository; EnvironmentSetupError when set-up fails or it would not test the tree.

        `seconds`, the repository's own limit, can only lower ours. What set-up made is held until the next call.
        """
        environment = environment_of(self._python)
        if setup is not None:
            try:
                environment = self._set_up(checkouts, environment, setup, min(self._seconds, seconds or self._seconds))
            except SandboxError as error:
                raise EnvironmentSetupError(f"`setup` could not be run: {error.args[0]}", "") from error
        elif self._store is not None:
            self._store.release()
        refuse_outside_modules(self._sandbox, checkouts, environment, verify)
        return environment

    def _set_up(self, checkouts: Checkouts, base: Environment, setup: Commands, seconds: float) -> Environment:
        store = self._store
        if store is None:
            raise SandboxError("this installation has no folder for environments")
        with checkouts.base() as checkout:
            digest = self._digest(checkout, base, setup)
            folder = store.get(digest, lambda place: self._make(checkout, base, setup, place, seconds))
        return made(base, folder)

    def _digest(self, checkout: Checkout, base: Environment, setup: Commands) -> str:
        """Names everything set-up starts from; two repositories with the same of it would get the same."""
        facts = [_VERSION, checkout.tree, setup, self._sandbox.name, base.python, base.readonly]
        return hashlib.sha256(json.dumps(facts).encode("utf-8", "surrogateescape")).hexdigest()[:32]

    def _make(self, checkout: Checkout, base: Environment, setup: Commands, folder: Path, seconds: float) -> int:
        ended = run_setup(self._sandbox, checkout.path, base, folder, setup, seconds=seconds, way_out=self._way_out)
        if ended.failed is not None:
            raise _failure(ended, seconds)
        size = seal(folder)
        if size > self._largest:
            raise EnvironmentSetupError(
                f"`setup` made {size // 1024**2} MB in {PLACE}, more than the {self._largest // 1024**2} MB allowed."
                " Nothing of it was kept. Install less, or ask the operator.",
                "",
            )
        return size


def made(base: Environment, folder: Path) -> Environment:
    """The Environment of a folder set-up made. Only whether `bin/python` is there is asked of it: links and
    `pyvenv.cfg` are foreign text, and following them would show foreign code what of the host they name."""
    own = folder / "bin/python"
    return replace(
        base,
        python=str(own) if os.path.lexists(own) else base.python,
        readonly=(*base.readonly, str(folder)),
        path=(f"{folder}/bin", *base.path),
        variables=tuple({**dict(base.variables), "VIRTUAL_ENV": str(folder), "BENDCODER_ENV": str(folder)}.items()),
    )


def _failure(ended: SetUp, seconds: float) -> EnvironmentSetupError:
    words = " ".join(ended.failed or ())
    ran = ended.ran
    output = ran.output if ran else ""
    how = f"ended with exit code {ran.exit_code}" if ran and not ran.timed_out else f"did not end within {seconds:g} s"
    refused = "".join(f"bendcoder: {sentence}\n" for sentence in ended.refused)
    return EnvironmentSetupError(
        f"`setup` in .github/bendcoder.yml failed: `{words[:200].replace('`', '?')}` {how}. No suite ran.",
        (output[-_OUTPUT:] + ("\n" if refused and not output.endswith("\n") else "") + refused),
    )


def refuse_outside_modules(
    sandbox: Sandbox, checkouts: Checkouts, environment: Environment, verify: tuple[str, ...]
) -> None:
    """EnvironmentSetupError when the suite imports modules of the repository from somewhere else than the tree."""
    try:
        with checkouts.base() as base, sandbox.open(base.path, environment) as box:
            found = outside_modules(box, base.path, environment, verify)
    except SandboxError as error:
        raise EnvironmentSetupError(f"the environment does not fit the sandbox: {error.args[0]}", "") from error
    if found:
        names = ", ".join(f"{module} ({origin})" for module, origin in found[:5])
        raise EnvironmentSetupError(
            f"the suite would not test the tree: {names} is imported from outside of it. Nothing was changed."
            " Uninstall that copy from the environment, or install the project from the tree's own path.",
            "",
        )
