"""pytest, with a plugin of ours that names each test exactly and seals the JUnit report. No IO.

What is added to a command, and why (the same on both sides, so base and change are compared like with like):
`-p bendcoder_nodeid --junit-xml … -o junit_family=xunit1` for exact per-test results; `--continue-on-collection-errors
--maxfail=0` so that the suite runs to its end whatever its configuration says. Order-shuffling plugins stay on: our
plugin fixes their seed instead, because `-p no:randomly` would make a configured `--randomly-seed` an unknown option.
For the same reason pytest's cache stays on (`--ff`, `cache_dir`): it lies in a tree that is thrown away after the run.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from agent.domain.suite import SuiteRun
from agent.ports import Ran
from agent.verify.frameworks.protocol import SELECT, Launch, Room
from agent.verify.ids import selectors
from agent.verify.junit import read_run

PLUGIN = "bendcoder_nodeid"
TRACER = "bendcoder_tracer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pytest:
    """pytest 5.4 to 9."""

    name: str = "pytest"
    per_test: bool = True
    traces: bool = True
    output: int = 200_000

    def narrows(self, ids: Sequence[str]) -> bool:  # noqa: ARG002 - every test has a node id
        """Always."""
        return True

    def launch(self, argv: tuple[str, ...], room: Room, ids: Sequence[str] | None, *, traced: bool = False) -> Launch:
        """The same command with our plugins and the report outside of the tree."""
        present = room.search_path
        variables = {"PYTHONPATH": f"{room.inside}:{present}" if present else room.inside}
        files: dict[str, bytes] = {}
        if ids is not None:
            variables["BENDCODER_SELECT"] = room.select
            files[SELECT] = json.dumps(selectors(ids)).encode()
        plugins = (PLUGIN, TRACER) if traced else (PLUGIN,)
        return Launch(argv=with_options(argv, room.report, plugins), variables=variables, files=files)

    def read(self, ran: Ran, report: bytes | None, *, tree: str = "", partial: bool = False) -> SuiteRun:  # noqa: ARG002 - ids are relative
        """The sealed report."""
        return read_run(ran, report, partial=partial)


def with_options(argv: tuple[str, ...], report: str, plugins: Sequence[str] = (PLUGIN,)) -> tuple[str, ...]:
    """The pytest command with our options: before a `--`, else at the end, where the last one wins."""
    ours = [
        *(word for plugin in plugins for word in ("-p", plugin)),
        f"--junit-xml={report}",
        "-o",
        "junit_family=xunit1",
        "--continue-on-collection-errors",
        "--maxfail=0",
    ]
    end = argv.index("--") if "--" in argv else len(argv)
    return (*argv[:end], *ours, *argv[end:])
