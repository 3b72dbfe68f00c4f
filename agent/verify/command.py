"""The repository's own test command, understood: is it pytest, and how is it run so that it can be judged. No IO.

What is added to a pytest command, and why (the same on both sides, so base and change are compared like with like):
`-p bendcoder_nodeid --junit-xml … -o junit_family=xunit1` for exact per-test results; `--continue-on-collection-errors
--maxfail=0` so that the suite runs to its end whatever its configuration says. Order-shuffling plugins stay on: our
plugin fixes their seed instead, because `-p no:randomly` would make a configured `--randomly-seed` an unknown option.
For the same reason pytest's cache stays on (`--ff`, `cache_dir`): it lies in a tree that is thrown away after the run.

`python`, `python3` and `pytest` mean the Environment's interpreter when there is one: `pytest …` becomes
`<python> -m pytest …`, which differs from the script by the tree on `sys.path` alone.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

_ASSIGNMENT = re.compile(r"^[A-Za-z_][A-Za-z0-9_]*=")
_PYTHON = re.compile(r"^python(?:\d(?:\.\d+)?)?$")
_PYTEST = ("pytest", "py.test")
_MODULES = (*_PYTEST, "coverage")

PLUGIN = "bendcoder_nodeid"
TRACER = "bendcoder_tracer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A test command ready to be run in a box."""

    argv: tuple[str, ...]
    variables: tuple[tuple[str, str], ...] = ()
    """Assignments that stood before the command, as a shell would read them (`PYTHONPATH=src pytest`)."""
    pytest: bool = False
    """Per-test results can be had; any other command gives its exit code only."""

    def judged(self, report: str, plugins: Sequence[str] = (PLUGIN,)) -> tuple[str, ...]:
        """The pytest command with our options: before a `--`, else at the end, where the last one wins."""
        ours = [
            *(word for plugin in plugins for word in ("-p", plugin)),
            f"--junit-xml={report}",
            "-o",
            "junit_family=xunit1",
            "--continue-on-collection-errors",
            "--maxfail=0",
        ]
        end = self.argv.index("--") if "--" in self.argv else len(self.argv)
        return (*self.argv[:end], *ours, *self.argv[end:])

    def search_path(self, inside: str, present: str) -> str:
        """PYTHONPATH with our read-only modules first; `present` is what the Environment sets."""
        own = dict(self.variables).get("PYTHONPATH", present)
        return f"{inside}:{own}" if own else inside


def understand(words: Sequence[str], python: str | None) -> Command:
    """Split off assignments, put the Environment's interpreter in place and see whether this is pytest."""
    rest = list(words)
    if rest and PurePosixPath(rest[0]).name == "env" and len(rest) > 1 and not rest[1].startswith("-"):
        rest = rest[1:]
    variables: list[tuple[str, str]] = []
    while rest and _ASSIGNMENT.match(rest[0]):
        name, _, value = rest.pop(0).partition("=")
        variables.append((name, value))
    argv = _with_interpreter(tuple(rest), python)
    return Command(argv=argv, variables=tuple(variables), pytest=_is_pytest(argv))


def _with_interpreter(argv: tuple[str, ...], python: str | None) -> tuple[str, ...]:
    if not argv or python is None or "/" in argv[0]:
        return argv
    if _PYTHON.match(argv[0]):
        return (python, *argv[1:])
    if argv[0] in _MODULES:
        module = "pytest" if argv[0] in _PYTEST else argv[0]
        return (python, "-m", module, *argv[1:])
    return argv


def _is_pytest(argv: tuple[str, ...]) -> bool:
    if not argv:
        return False
    name = PurePosixPath(argv[0]).name
    if name in _PYTEST:
        return True
    if name == "coverage":
        return _covers_pytest(argv[1:])
    return bool(_PYTHON.match(name)) and _runs_pytest(argv[1:])


def _runs_pytest(words: tuple[str, ...]) -> bool:
    """Interpreter arguments that end in `-m pytest`, without a flag that would hide our plugin (`-I`, `-E`)."""
    place = 0
    while place < len(words) and words[place].startswith("-"):
        word = words[place]
        if word == "-m":
            module = words[place + 1] if place + 1 < len(words) else ""
            return module in _PYTEST or (module == "coverage" and _covers_pytest(words[place + 2 :]))
        if word in ("-W", "-X"):
            place += 1
        elif not word.startswith(("-W", "-X")) and set("IEc") & set(word):
            return False
        place += 1
    return False


def _covers_pytest(words: tuple[str, ...]) -> bool:
    """`run … -m pytest`, as coverage takes it."""
    if not words or words[0] != "run" or "-m" not in words:
        return False
    place = words.index("-m") + 1
    return place < len(words) and words[place] in _PYTEST


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
