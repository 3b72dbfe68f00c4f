"""A repository's suite that is judged in this process by what its files hold: thousands of runs where pytest does ten.

It stands in for what a sandbox runs, and for nothing else: workspace, checkouts, reports and their seals are the real
ones. A test says which file must have which SHA-256, so no text that anybody can think of turns a red one green.
"""

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from xml.sax.saxutils import quoteattr

from agent.adapters.workspace.directory import DirectoryCheckouts, DirectoryWorkspace
from agent.domain.edit import Change
from agent.domain.environment import Environment
from agent.ports import Checkout, Entry, Limits, Ran
from agent.verify.frameworks.protocol import REPORT

ENVIRONMENT = Environment(python="python3")
PYTEST = ("pytest",)
SCRIPT = ("./suite",)
CHECK = ("./check", "{file}")
IMPOSSIBLE = "0" * 64
"""The digest of no file anybody has seen."""

_TEST = re.compile(rb'^def (test_\w+)\(\): same\("([^"\n]+)", "([0-9a-f]{64})"\)\r?$')
_HANG, _CRASH, _TORN, _LIE = b"toy: hang", b"toy: crash", b"toy: torn", b"toy: lie"
TRICKS = (_HANG, _CRASH, _TORN, _LIE)
"""What a source may hold that keeps the suite from ending, or from telling the truth."""


def same(name: str, path: str, digest: str) -> bytes:
    """One line of a test file: the test is green when the file at `path` has this SHA-256."""
    return f'def test_{name}(): same("{path}", "{digest}")\n'.encode()


def digest_of(content: bytes) -> str:
    """What a test compares."""
    return hashlib.sha256(content).hexdigest()


class Watch:
    """Seconds that grow by a thousandth each time they are asked for, and by what a hanging suite takes."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        self.seconds += 0.001
        return self.seconds


@dataclass(frozen=True, slots=True)
class _Result:
    id: str
    message: str = ""
    """Why it is red; empty when it passed."""
    reaches: str = ""
    ended: bool = True
    """False: its file could not be read as tests."""


def _results(files: Mapping[str, bytes]) -> list[_Result]:
    found: list[_Result] = []
    for path, content in sorted(files.items()):
        if not (path.rpartition("/")[2].startswith("test_") and path.endswith(".py")):
            continue
        lines = [line for line in content.split(b"\n") if line.strip()]
        tests = [_TEST.match(line) for line in lines]
        if not all(tests):
            found.append(_Result(path, "SyntaxError: this is no test", ended=False))
            continue
        for name, target, wanted in (test.groups() for test in tests if test):
            reached = target.decode(errors="replace")
            right = reached in files and digest_of(files[reached]).encode() == wanted
            message = "" if right else f"AssertionError: {reached} is not what it should be"
            found.append(_Result(f"{path}::{name.decode()}", message, reached))
    return found


@dataclass(slots=True)
class ToyBox:
    """`agent.ports.Box` on a tree of files: nothing is started, nothing is written."""

    root: Path
    watch: Watch
    tree: str = "/toy/tree"
    reports: str = "/toy/reports"
    inside: str = "/toy/inside"
    _given: dict[str, bytes] = field(default_factory=dict)
    _made: dict[str, bytes] = field(default_factory=dict)

    def give(self, name: str, content: bytes) -> str:
        """Keep a file for the run."""
        self._given[name] = content
        return f"{self.reports}/{name}"

    def collect(self, name: str, limit: int = 64 * 1024**2) -> bytes | None:
        """What the run left there."""
        made = self._made.get(name)
        return made if made is not None and len(made) <= limit else None

    def run(self, argv: Sequence[str], limits: Limits, variables: Mapping[str, str] | None = None) -> Ran:
        """The suite, the check, or the question which modules there are, as the command says."""
        told = dict(variables or {})
        if "-c" in argv:
            return Ran(exit_code=0, output="", seconds=0.0, timed_out=False)
        files = dict(_read(self.root))
        if argv[0] == CHECK[0]:
            held = files.get(argv[1], b"")
            return Ran(exit_code=int(b"toy: wrong" in held), output="checked\n", seconds=0.0, timed_out=False)
        held = b"\n".join(content for path, content in files.items() if "test" not in path)
        if _HANG in held:
            self.watch.seconds += limits.seconds
            return Ran(exit_code=None, output="waiting\n", seconds=limits.seconds, timed_out=True)
        if _CRASH in held:
            return Ran(exit_code=139, output="Segmentation fault\n", seconds=0.01, timed_out=False)
        results = self._chosen(_results(files), told)
        red = [one for one in results if one.message]
        code = 0 if _LIE in held else 1 if red else 0 if results else 5
        if argv[0] == SCRIPT[0]:
            return Ran(exit_code=code, output=f"{len(red)} of {len(results)} red\n", seconds=0.01, timed_out=False)
        report = _report(results)
        self._made[REPORT] = report[: len(report) // 2] if _TORN in held else report
        if "BENDCODER_TRACE_OUT" in told:
            self._made[told["BENDCODER_TRACE_OUT"].rpartition("/")[2]] = _trace(results, files)
        return Ran(exit_code=code, output=f"{len(red)} red\n{_seal(results)}", seconds=0.01, timed_out=False)

    def _chosen(self, results: list[_Result], told: Mapping[str, str]) -> list[_Result]:
        if "BENDCODER_SELECT" not in told:
            return results
        wanted = set(json.loads(self._given[told["BENDCODER_SELECT"].rpartition("/")[2]]))
        return [one for one in results if {one.id, one.id.split("::")[0]} & wanted]


def _report(results: Sequence[_Result]) -> bytes:
    rows = []
    for one in results:
        failed = f"<failure message={quoteattr(one.message)}/>" if one.message else ""
        exact = f"<properties><property name='bendcoder_nodeid' value={quoteattr(json.dumps(one.id))}/></properties>"
        file, _, name = one.id.partition("::")
        if one.ended:
            rows.append(f"<testcase file={quoteattr(file)} name='{name}' time='0.01'>{exact}{failed}</testcase>")
        else:
            dotted = file.removesuffix(".py").replace("/", ".")
            said = f"<error message={quoteattr(one.message)}/>"
            rows.append(f"<testcase file={quoteattr(file)} name={quoteattr(dotted)}>{said}</testcase>")
    return f"<testsuites><testsuite>{''.join(rows)}</testsuite></testsuites>".encode()


def _seal(results: Sequence[_Result]) -> str:
    ended = [one for one in results if one.ended]
    red, passed = ([json.dumps(one.id) for one in ended if bool(one.message) is how] for how in (True, False))
    text = "\n\n".join("\n".join(sorted(group)) for group in (red, [], passed))
    return f"bendcoder-seal {len(ended)} {hashlib.sha256(text.encode()).hexdigest()}\n"


def _trace(results: Sequence[_Result], files: Mapping[str, bytes]) -> bytes:
    """Each test runs every line of the file it compares."""
    rows = []
    for one in results:
        if one.ended:
            lines = list(range(1, files.get(one.reaches, b"").count(b"\n") + 1))
            rows.append(json.dumps({"id": one.id, "files": {one.reaches: lines}}) + "\n")
    return "".join(rows).encode()


def _read(root: Path) -> Iterator[tuple[str, bytes]]:
    for here, _, names in os.walk(root):
        for name in names:
            path = Path(here, name)
            if not path.is_symlink():
                yield path.relative_to(root).as_posix(), path.read_bytes()


class ToySandbox:
    """`agent.ports.Sandbox` whose boxes judge files."""

    name = "toy"

    def __init__(self, watch: Watch) -> None:
        self._watch = watch

    @contextmanager
    def open(self, tree: Path, environment: Environment) -> Iterator[ToyBox]:
        """A fresh box."""
        yield ToyBox(tree, self._watch)


class ToyWorkspace(DirectoryWorkspace):
    """The real workspace, except that it searches by itself: a process for each search would take most of the time."""

    def grep(self, text: str, *, ignore_case: bool = False, under: str = "") -> Iterator[str]:
        """As the port says; all that is searched here is small."""
        if not text or "\n" in text or "\0" in text:
            raise ValueError(f"not a piece of one line: {text!r}")
        fold: Callable[[bytes], bytes] = bytes.lower if ignore_case else bytes
        wanted = fold(text.encode())
        paths = [entry.path for entry in self.entries() if entry.path.startswith(under)]
        return iter([path for path in paths if wanted in fold(self.read(path))])

    def lines(self, texts: Sequence[str], *, under: str = "") -> None:
        """None, which is always allowed: there is no hint."""


class ToyCheckouts:
    """Real checkouts; that of the base is made once, because nothing here writes into it."""

    def __init__(self, source: Path, entries: Sequence[Entry], parent: Path) -> None:
        self._fresh = DirectoryCheckouts(source, entries, parent)
        self._open = DirectoryCheckouts(source, entries, parent).base()
        self._base = self._open.__enter__()

    @contextmanager
    def base(self) -> Iterator[Checkout]:
        """The base's files."""
        yield self._base

    @contextmanager
    def of(self, changes: Sequence[Change]) -> Iterator[Checkout]:
        """The base with these changes."""
        with self._fresh.of(changes) as checkout:
            yield checkout

    def close(self) -> None:
        """Remove what was kept."""
        self._open.__exit__(None, None, None)
