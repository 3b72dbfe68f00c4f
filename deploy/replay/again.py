"""Runs the loop once more along a trace: models and suites answer as they did then, and nothing else answers at all.

What the loop decides on its own (guards, anchors, drafts, the verdict) is done anew and compared event by event.
"""

import shutil
import tempfile
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import agent
from agent.domain.environment import Environment
from agent.domain.profiles import profile_of
from agent.domain.result import RunResult
from agent.domain.task import Setting, Task
from agent.errors import ModelError, SandboxError
from agent.ports import Ports
from agent.records import read_back
from agent.resuming import RESUMED, resumed
from agent.trace import RECORD, beside, read_trace, whole_text
from deploy.delegate.request import CannotStart
from deploy.delegate.session import room
from worker.git import LocalRepository


@dataclass(frozen=True, slots=True, kw_only=True)
class Again:
    """What running along a trace came to."""

    result: RunResult
    events: int
    """Events that were the same as then."""
    difference: str = ""
    """The first thing that was not; empty when everything was."""


def again(path: Path, repository: Path) -> Again:
    """Run along the trace on a copy of the repository's commit; CannotStart when they do not belong together."""
    first = next(read_trace(path), None)
    setting = read_back(Setting, whole_text(path, first.data.get(RECORD)) if first else None)
    if first is None or setting is None:
        raise CannotStart(f"{path} does not begin with a run of this version. Nothing was run.")
    with tempfile.TemporaryDirectory(prefix="bendcoder-replay-") as folder:
        copy = Path(folder) / path.name
        shutil.copyfile(path, copy)
        if beside(path).is_dir():
            shutil.copytree(beside(path), beside(copy))
        local = LocalRepository.find(repository)
        with local.tree(room()) as tree, closing(resumed(copy, first.run, time.time, time.monotonic)) as trace:
            ports = Ports(
                classifier=_Then(setting, setting.classify),
                generator=_Then(setting, setting.generate),
                workspace=tree.workspace,
                checkouts=tree.checkouts,
                sandbox=_Then(setting, setting.sandbox),
                trace=trace,
                clock=trace.now,
                cancelled=lambda: False,
            )
            task = Task(run_id=first.run, title=setting.title, body=setting.body)
            result = agent.run(task, setting.options, Environment(python=setting.python), ports)
        return Again(result=result, events=trace.lived, difference=_difference(copy))


def _difference(copy: Path) -> str:
    told = [record.data for record in read_trace(copy) if record.kind == RESUMED]
    if not told:
        return ""
    return str(told[-1].get("why")) or "the trace ends before its run did"


class _Then:
    """Models and sandbox of a run that is over: known by what they were called, and not to be asked any more."""

    def __init__(self, setting: Setting, label: str) -> None:
        self.label, self.name = label, setting.sandbox
        self.profile = profile_of(*setting.floors.split("/", 1))
        self.repairs, self.prose, self.room = setting.repairs, setting.prose, setting.room

    def ask(self, *_: object) -> NoReturn:
        """Refuse: what Classify said is in the trace, or was never asked."""
        raise ModelError("the trace holds no answer to this question")

    def write(self, *_: object) -> NoReturn:
        """Refuse: the same for Generate."""
        raise ModelError("the trace holds no text for this request")

    def open(self, *_: object) -> NoReturn:
        """Refuse: a replay runs no repository's code."""
        raise SandboxError("the trace holds no outcome of this run of the suite, and a replay runs none")
