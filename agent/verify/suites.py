"""Runs a repository's suite on clean checkouts and brings back facts. Must not judge them.

Each run has a checkout, a home, a /tmp and a report directory of its own; the report lies outside the tree. On both
sides of a comparison everything is the same but the tree.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from agent.domain.edit import Change
from agent.domain.environment import Environment
from agent.domain.suite import Spectrum, SuiteRun
from agent.domain.task import Options
from agent.ports import Box, Checkout, Checkouts, Limits, Ran, Sandbox, TraceSink
from agent.records import read_back, written_down
from agent.verify import fingerprint
from agent.verify.command import Command, understand
from agent.verify.fingerprint import Touched
from agent.verify.frameworks.npm import PACKAGE, PACKAGE_LIMIT, runs_a_script
from agent.verify.frameworks.protocol import REPORT, Room
from agent.verify.frameworks.reading import REPORT_LIMIT
from agent.verify.frameworks.record import SEAL
from agent.verify.traces import TRACE_LIMIT, read_trace

ORDER_SEED = "20111"
"""Seed for plugins that shuffle tests: any number, as long as base and final get the same one."""
LEAST_SECONDS = 1.0
"""A run that would get less time than this is not started."""

_TRACE, _ONLY = "bendcoder-trace.jsonl", "bendcoder-only.json"

_FIND = """import importlib.util, sys
for name in sys.argv[1:]:
    spec = importlib.util.find_spec(name) if name.isidentifier() else None
    if spec is not None and spec.origin is not None:
        print("found", name)
"""

Changes = tuple[Change, ...]
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """One run of the suite with what the tree was and what became of it."""

    run: SuiteRun
    tree: str
    touched: Touched
    files: frozenset[str]
    """Paths of the clean tree."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrow:
    """One run of a part, with the tree it ran on."""

    run: SuiteRun
    tree: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Traced:
    """One run with the tracer, and what the tracer saw."""

    run: SuiteRun
    tree: str
    spectrum: Spectrum


class Suites:
    """Everything that is run for a verdict goes through here, and into the trace."""

    def __init__(
        self, *, sandbox: Sandbox, checkouts: Checkouts, environment: Environment, options: Options, trace: TraceSink
    ) -> None:
        self._sandbox = sandbox
        self._checkouts = checkouts
        self._environment = environment
        self._options = options
        self._trace = trace
        self._command: Command | None = None

    @property
    def command(self) -> Command:
        """What the verify command is; for `npm test` and its like what the script of the base runs."""
        if self._command is None:
            words, python = self._options.commands.verify, self._environment.python
            self._command = understand(words, python)
            if runs_a_script(self._command.argv):
                self._command = understand(words, python, self._package())
        return self._command

    def full(self, changes: Changes, seconds: float, what: str) -> Observed:
        """The whole suite on base and changes."""
        known = self._recall(Observed, about := call(what, changes))
        if known is None:
            with self._tree(changes) as checkout, self._box(checkout) as box:
                before = fingerprint.stamps(checkout.path)
                run = self._run(box, None, self._limit(seconds))
                touched = fingerprint.compare(before, fingerprint.stamps(checkout.path))
            known = Observed(run=run, tree=checkout.tree, touched=touched, files=frozenset(before))
        self._record(known, known.run, known.tree, what, about)
        return known

    def some(self, changes: Changes, ids: Sequence[str], seconds: float, what: str, turn: int = 0) -> SuiteRun:
        """These tests alone; the whole suite where the command cannot be narrowed. `turn`: added to the hash seed."""
        known = self._recall(Narrow, about := call(what, changes, ids))
        if known is None:
            with self._tree(changes) as checkout, self._box(checkout) as box:
                run = self._run(box, ids, self._limit(seconds), turn=turn)
            known = Narrow(run=run, tree=checkout.tree)
        self._record(known, known.run, known.tree, what, about, ids)
        return known.run

    def spectrum(
        self, changes: Changes, ids: Sequence[str] | None, seconds: float, only: Sequence[str] | None = None
    ) -> Spectrum:
        """Lines per test from a run with the tracer; `only` restricts it to some files and traces those to the end."""
        if not self.command.framework.traces:
            return Spectrum(problem=f"lines per test cannot be had from {self.command.framework.name}")
        known = self._recall(Traced, about := call("spectrum", changes, ids, only))
        if known is None:
            known = self._traced(changes, ids, seconds, only)
        self._record(known, known.run, known.tree, "spectrum", about, ids)
        return known.spectrum

    def _traced(
        self, changes: Changes, ids: Sequence[str] | None, seconds: float, only: Sequence[str] | None
    ) -> Traced:
        variables: dict[str, str] = {}
        with self._tree(changes) as checkout, self._box(checkout) as box:
            variables["BENDCODER_TRACE_OUT"] = f"{box.reports}/{_TRACE}"
            if only is not None:
                variables["BENDCODER_TRACE_ONLY"] = box.give(_ONLY, json.dumps(sorted(only)).encode())
                variables |= {"BENDCODER_TRACE_EVENTS": "5000000", "BENDCODER_TRACE_SECONDS": "20"}
            run = self._run(box, ids, self._limit(seconds), traced=variables)
            spectrum = read_trace(box.collect(_TRACE, TRACE_LIMIT))
        return Traced(run=run, tree=checkout.tree, spectrum=spectrum)

    def importable(self, names: Iterable[str], seconds: float) -> frozenset[str]:
        """Of these names, those the base's interpreter finds a module for; all of them when it cannot be asked."""
        wanted = sorted(names)
        known = self._recall(Narrow, about := call("names", (), wanted))
        if known is None:
            argv = (self._environment.python or "python3", "-c", _FIND, *wanted)
            with self._checkouts.base() as checkout, self._box(checkout) as box:
                ran = box.run(argv, Limits(seconds=seconds), self._variables(dict(self.command.variables)))
            known = Narrow(run=_exit_code_only(ran), tree=checkout.tree)
        self._record(known, known.run, known.tree, "names", about, wanted)
        lines = known.run.output.splitlines()
        said = {line.removeprefix("found ") for line in lines if line.startswith("found ")}
        return frozenset(said & set(wanted)) if known.run.exit_code == 0 else frozenset(wanted)

    def check(self, changes: Changes, path: str, seconds: float) -> SuiteRun | None:
        """The cheaper per-file command, exit code only; None when the repository has none."""
        if self._options.commands.check is None:
            return None
        words = tuple(word.replace("{file}", path) for word in self._options.commands.check)
        if words == self._options.commands.check:
            words = (*words, path)
        command = understand(words, self._environment.python)
        limit = min(seconds, self._options.timeouts.check)
        known = self._recall(Narrow, about := call("check", changes, (path,)))
        if known is None:
            with self._tree(changes) as checkout, self._box(checkout) as box:
                ran = box.run(command.argv, Limits(seconds=limit), self._variables(dict(command.variables)))
            known = Narrow(run=_exit_code_only(ran), tree=checkout.tree)
        self._record(known, known.run, known.tree, "check", about)
        return known.run

    def _package(self) -> bytes | None:
        """The package.json of the base; a link is none."""
        with self._checkouts.base() as checkout:
            path = Path(checkout.path) / PACKAGE
            plain = path.is_file() and not path.is_symlink() and path.stat().st_size <= PACKAGE_LIMIT
            return path.read_bytes() if plain else None

    def _tree(self, changes: Changes) -> AbstractContextManager[Checkout]:
        return self._checkouts.of(changes) if changes else self._checkouts.base()

    def _box(self, checkout: Checkout) -> AbstractContextManager[Box]:
        return self._sandbox.open(Path(checkout.path), self._environment)

    def _limit(self, seconds: float) -> float:
        return max(0.1, min(seconds, self._options.timeouts.suite))

    def _run(
        self,
        box: Box,
        ids: Sequence[str] | None,
        seconds: float,
        traced: Mapping[str, str] | None = None,
        turn: int = 0,
    ) -> SuiteRun:
        """One run in a fresh box; `traced`: what the tracer is told, None for a run without it."""
        command, framework = self.command, self.command.framework
        present = dict(self._environment.variables) | dict(command.variables)
        room = Room(reports=box.reports, inside=box.inside, search_path=present.get("PYTHONPATH", ""))
        narrowed = list(ids) if ids is not None and framework.narrows(ids) else None
        launch = framework.launch(command.argv, room, narrowed, traced=traced is not None)
        for name, content in launch.files.items():
            box.give(name, content)
        seed = {"PYTHONHASHSEED": str(self._options.hash_seed + turn)} if turn else {}
        variables = self._variables({**seed, **dict(command.variables), **(traced or {}), **launch.variables})
        ran = box.run(launch.argv, Limits(seconds=seconds, output=framework.output, keep=SEAL), variables)
        return framework.read(ran, box.collect(REPORT, REPORT_LIMIT), tree=box.tree, partial=narrowed is not None)

    def _variables(self, extra: Mapping[str, str]) -> dict[str, str]:
        return {
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONHASHSEED": str(self._options.hash_seed),
            "BENDCODER_SEED": ORDER_SEED,
            **extra,
        }

    def _recall(self, kind: type[T], about: str) -> T | None:
        """What this very run of foreign code came to in an earlier life of the run."""
        return read_back(kind, self._trace.recall("suite", about))

    def _record(
        self, whole: object, run: SuiteRun, tree: str, what: str, about: str, ids: Sequence[str] | None = None
    ) -> None:
        counts: dict[str, int] = {}
        for case in run.cases or ():
            counts[case.status.value] = counts.get(case.status.value, 0) + 1
        self._trace.emit(
            "suite",
            0,
            {
                "what": what,
                "about": about,
                "tree": tree,
                "ids": list(ids)[:200] if ids is not None else None,
                "exit_code": run.exit_code,
                "timed_out": run.timed_out,
                "seconds": round(run.seconds, 3),
                "counts": counts,
                "red": sorted(run.red())[:200],
                "problem": run.report_problem,
                "record": written_down(whole),
            },
        )


def call(what: str, changes: Changes, *further: Sequence[str] | None) -> str:
    """The name of one run of foreign code: the same words only for the same tests on the same bytes."""
    digest = hashlib.sha256(what.encode())
    for change in changes:
        after = b"" if change.after is None else hashlib.sha256(change.after).digest()
        digest.update(b"%b\0%d\0%b" % (change.path.encode(errors="surrogateescape"), change.mode, after))
    digest.update(json.dumps(further).encode())
    return f"{what} {digest.hexdigest()[:32]}"


def _exit_code_only(ran: Ran) -> SuiteRun:
    return SuiteRun(exit_code=ran.exit_code, timed_out=ran.timed_out, seconds=ran.seconds, output=ran.output)
