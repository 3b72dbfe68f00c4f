"""Small real repositories through the real Verifier: real pytest in a real sandbox, on real checkouts."""

import sys
import time
from collections.abc import Mapping
from pathlib import Path

from agent.adapters.sandbox.local import LocalSandbox
from agent.adapters.workspace.directory import DirectoryCheckouts, snapshot
from agent.domain.edit import Change
from agent.domain.environment import Environment
from agent.domain.result import Judgement
from agent.domain.task import Commands, Options
from agent.ports import Clock, Sandbox
from agent.verify.verifier import Verifier

Files = Mapping[str, str | None]

QUICK = Environment(python=sys.executable, variables=(("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1"),))
"""This interpreter without the plugins that happen to be installed beside it: 0.3 s a run in place of 1.5 s."""


class Events:
    """A trace in memory."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, Mapping[str, object]]] = []

    def emit(self, kind: str, step: int, data: Mapping[str, object]) -> None:
        self.seen.append((kind, data))

    def recall(self, kind: str, about: str) -> None:
        """Nothing: every run is its first."""

    def of(self, kind: str) -> list[Mapping[str, object]]:
        return [data for found, data in self.seen if found == kind]


class Repository:
    """A base on disk and what a run did to it."""

    def __init__(
        self,
        folder: Path,
        files: Files,
        verify: tuple[str, ...],
        check: tuple[str, ...] | None = None,
        environment: Environment | None = None,
        sandbox: Sandbox | None = None,
        clock: Clock = time.monotonic,
    ) -> None:
        self.root = folder / "base"
        self.root.mkdir(parents=True)
        for path, text in files.items():
            target = self.root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text or "")
        self.events = Events()
        self.verifier = Verifier(
            sandbox=sandbox or LocalSandbox(folder),
            checkouts=DirectoryCheckouts(self.root, snapshot(self.root, files), parent=folder),
            environment=environment or QUICK,
            options=Options(commands=Commands(verify=verify, check=check)),
            clock=clock,
            trace=self.events,
        )

    def changes(self, files: Files) -> tuple[Change, ...]:
        made = []
        for path, text in sorted(files.items()):
            old = self.root / path
            before = old.read_bytes() if old.is_file() else None
            made.append(Change(path=path, before=before, after=None if text is None else text.encode()))
        return tuple(made)

    def judge(
        self, files: Files, goal: str = "It is wrong.", seconds: float = 120, written: tuple[str, ...] = ()
    ) -> Judgement:
        baseline = self.verifier.baseline(60)
        return self.verifier.judge(baseline, self.changes(files), goal, seconds, written)
