"""Runs the real agent on tiny repositories with the local sandbox; models are scripted, everything else is real."""

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import agent
from agent.adapters.sandbox.local import LocalSandbox
from agent.adapters.workspace.directory import copies_of
from agent.domain.environment import Environment
from agent.domain.result import RunResult
from agent.domain.task import Budget, Commands, Options, Task
from agent.ports import Classifier, Generator, Ports, Sandbox
from agent.resuming import ResumedTrace, resumed
from agent.trace import JsonLines, Record, read_trace

ENVIRONMENT = Environment(python=sys.executable, variables=(("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1"),))
"""The plugins of this project's own suite take seconds to load and are none of the tiny repositories' business."""
PYTEST = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider")

ADDER = {
    "adder.py": '''"""Adds."""


def add(a, b):
    """The sum."""
    return a - b


def twice(a):
    return a * 2
''',
    "test_adder.py": """from adder import add, twice


def test_add():
    assert add(2, 3) == 5


def test_twice():
    assert twice(4) == 8
""",
}
"""One wrong operator, one red test, one green one."""


def write_tree(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write a small repository."""
    for name, content in files.items():
        target = root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A finished run with its trace and the edited tree as it was left."""

    result: RunResult
    trace: tuple[Record, ...]
    files: Mapping[str, bytes]

    def of(self, kind: str) -> list[Mapping[str, object]]:
        """Data of every record of one kind."""
        return [record.data for record in self.trace if record.kind == kind]


def options(
    *, verify: tuple[str, ...] = PYTEST, check: tuple[str, ...] | None = None, steps: int = 12, seconds: float = 120.0,
    tokens: int | None = None, protected: tuple[str, ...] = (),
) -> Options:  # fmt: skip
    """Options of a run."""
    return Options(
        commands=Commands(verify=verify, check=check),
        budget=Budget(steps=steps, seconds=seconds, tokens=tokens),
        protected=protected,
    )


def run_agent(
    folder: Path,
    classifier: Classifier,
    generator: Generator,
    *,
    goal: str = "add() gives the difference",
    chosen: Options | None = None,
    cancelled: Callable[[], bool] = lambda: False,
    clock: Callable[[], float] = time.monotonic,
    resume: bool = False,
    sandbox: Sandbox | None = None,
) -> Run:
    """Run on a copy of a folder; traces go beside it. `resume`: go on where the trace that lies there ends."""
    trace_path = trace_of(folder)
    with _ports(folder, classifier, generator, trace_path, cancelled, clock, resume) as (ports, root):
        task = Task(run_id="run-1", title=goal, body="")
        ports = replace(ports, sandbox=sandbox or ports.sandbox)
        result = agent.run(task, chosen or options(), ENVIRONMENT, ports)
        files = {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}
    return Run(result=result, trace=tuple(read_trace(trace_path)), files=files)


def trace_of(folder: Path) -> Path:
    """Where the trace of a run on this folder lies."""
    return folder.parent / f"{folder.name}.trace.jsonl"


@contextmanager
def _ports(
    folder: Path,
    classifier: Classifier,
    generator: Generator,
    trace_path: Path,
    cancelled: Callable[[], bool],
    clock: Callable[[], float],
    resume: bool,
) -> Iterator[tuple[Ports, Path]]:
    if resume:
        trace: JsonLines | ResumedTrace = resumed(trace_path, "run-1", time.time, clock)
    else:
        trace_path.unlink(missing_ok=True)
        trace = JsonLines(trace_path, "run-1", time.time)
    with copies_of(folder) as copies, closing(trace):
        yield (
            Ports(
                classifier=classifier,
                generator=generator,
                workspace=copies.workspace,
                checkouts=copies.checkouts,
                sandbox=LocalSandbox(),
                trace=trace,
                clock=trace.now if isinstance(trace, ResumedTrace) else clock,
                cancelled=cancelled,
            ),
            copies.root,
        )


SCRIPT = (sys.executable, "suite.py")
SCRIPTED = {
    "adder.py": ADDER["adder.py"],
    "suite.py": """import sys

from adder import add, twice

print("checking")
sys.exit(0 if add(2, 3) == 5 and twice(4) == 8 else 1)
""",
}
"""The same bug under a suite that tells nothing but its exit code, and takes a fraction of the time."""
