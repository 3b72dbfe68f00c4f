"""Prepares where a repository's suite runs, once per job: the interpreter, and proof that it tests the tree itself."""

from agent.adapters.sandbox.probe import outside_modules
from agent.domain.environment import Environment
from agent.errors import SandboxError
from agent.ports import Checkouts, Sandbox
from worker.environment.interpreter import environment_of
from worker.errors import EnvironmentSetupError
from worker.ports import Environments


class PreparedEnvironments(Environments):
    """The interpreter of this installation for every repository; `python` is its absolute path."""

    def __init__(self, sandbox: Sandbox, python: str) -> None:
        self._sandbox = sandbox
        self._python = python

    def prepare(self, checkouts: Checkouts, setup: tuple[str, ...] | None, verify: tuple[str, ...]) -> Environment:
        """The Environment for this repository; EnvironmentSetupError when it would not test the tree.

        A `setup` command is refused for now: it needs the network, which a sandbox has no filtered way to yet.
        """
        if setup is not None:
            raise EnvironmentSetupError(
                "`setup` in .github/bendcoder.yml is not available yet: the sandbox has no filtered way to the network."
                " Nothing ran. Remove it, and ask the operator to install what the suite needs beside bendcoder.",
                "",
            )
        environment = environment_of(self._python)
        refuse_outside_modules(self._sandbox, checkouts, environment, verify)
        return environment


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
