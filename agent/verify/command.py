"""The repository's own test command, understood: what framework it is, and on which interpreter it runs. No IO.

`python`, `python3` and `pytest` mean the Environment's interpreter when there is one: `pytest …` becomes
`<python> -m pytest …`, which differs from the script by the tree on `sys.path` alone.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from agent.verify.frameworks.choosing import PYTEST, Known, framework_of
from agent.verify.frameworks.jests import Reported
from agent.verify.frameworks.npm import runs_a_script, script_behind
from agent.verify.frameworks.plain import Plain
from agent.verify.frameworks.pytests import PLUGIN, TRACER, Pytest, with_options
from agent.verify.frameworks.python import COVERAGE, PYTHON
from agent.verify.frameworks.unittests import Unittest

__all__ = ["PLUGIN", "TRACER", "Command", "named_files", "understand"]

_ASSIGNMENT = re.compile(r"^[A-Za-z_][A-Za-z0-9_]*=")
_MODULES = (*PYTEST, COVERAGE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A test command ready to be run in a box."""

    argv: tuple[str, ...]
    framework: Known
    """What its tests are run by, and so what can be known of each of them."""
    variables: tuple[tuple[str, str], ...] = ()
    """Assignments that stood before the command, as a shell would read them (`PYTHONPATH=src pytest`)."""

    @property
    def pytest(self) -> bool:
        """It runs pytest, whose plugins screen and probe."""
        return isinstance(self.framework, Pytest)

    @property
    def as_pytest(self) -> tuple[str, ...]:
        """Words that run the same tests with pytest, for searching alone; empty when none do. pytest may be absent.

        pytest collects what unittest does, under the ids we give it; nothing that is found so is kept on its word.
        """
        if self.pytest:
            return self.argv
        own = isinstance(self.framework, Unittest) and bool(PYTHON.match(PurePosixPath(self.argv[0]).name))
        return (*self.argv[: self.argv.index("-m")], "-m", "pytest") if own else ()

    def judged(self, report: str, plugins: Sequence[str] = (PLUGIN,)) -> tuple[str, ...]:
        """The pytest command with our options."""
        return with_options(self.argv, report, plugins)

    def search_path(self, inside: str, present: str) -> str:
        """PYTHONPATH with our read-only modules first; `present` is what the Environment sets."""
        own = dict(self.variables).get("PYTHONPATH", present)
        return f"{inside}:{own}" if own else inside


def understand(words: Sequence[str], python: str | None, package: bytes | None = None) -> Command:
    """Split off assignments, put the Environment's interpreter in place and see what framework this is.

    `package`: the base's package.json, for `npm test` and its like, in whose place the script behind it is run.
    """
    rest = list(words)
    if rest and PurePosixPath(rest[0]).name == "env" and len(rest) > 1 and not rest[1].startswith("-"):
        rest = rest[1:]
    variables: list[tuple[str, str]] = []
    while rest and _ASSIGNMENT.match(rest[0]):
        name, _, value = rest.pop(0).partition("=")
        variables.append((name, value))
    argv = _with_interpreter(tuple(rest), python)
    script = script_behind(argv, package) if runs_a_script(argv) else None
    inner = framework_of(script) if script else Plain()
    if isinstance(
        inner, Reported
    ):  # found by npm alone, in a folder it puts on the PATH; others hand words on otherwise
        known = replace(inner, through=True) if PurePosixPath(argv[0]).name == "npm" else Plain()
        return Command(argv=argv, variables=tuple(variables), framework=known)
    if script and inner.per_test:
        return Command(argv=script, variables=tuple(variables), framework=inner)
    return Command(argv=argv, variables=tuple(variables), framework=framework_of(argv))


def _with_interpreter(argv: tuple[str, ...], python: str | None) -> tuple[str, ...]:
    if not argv or python is None or "/" in argv[0]:
        return argv
    if PYTHON.match(argv[0]):
        return (python, *argv[1:])
    if argv[0] in _MODULES:
        module = "pytest" if argv[0] in PYTEST else argv[0]
        return (python, "-m", module, *argv[1:])
    return argv


def named_files(argv: Sequence[str], tracked: frozenset[str]) -> frozenset[str]:
    """Tracked files a command names: scripts, configuration, single test files, modules after `-m` or `-p`."""
    found: set[str] = set()
    for place, word in enumerate(argv):
        for part in (word, *word.split("=")[1:]):
            plain = part.split("::", 1)[0].removeprefix("./")
            if plain in tracked:
                found.add(plain)
        if place and argv[place - 1] in ("-m", "-p"):
            dotted = word.replace(".", "/")
            candidates = (f"{dotted}.py", f"{dotted}/__init__.py", f"{dotted}/__main__.py")
            found.update(one for one in candidates if one in tracked)
    return frozenset(found)
