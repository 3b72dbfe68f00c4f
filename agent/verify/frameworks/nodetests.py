"""`node --test …`, with a reporter of ours that writes a sealed record of every test. No IO."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from agent.domain.suite import SuiteRun
from agent.ports import Ran
from agent.verify.frameworks.protocol import SELECT, Launch, Room
from agent.verify.frameworks.record import read_record
from agent.verify.ids import file_of

REPORTER = "bendcoder_nodetest.mjs"

_NODE = re.compile(r"^node(?:js)?$")
_SEPARATE = frozenset(
    {"-r", "--require", "--import", "--loader", "--experimental-loader", "--test-name-pattern", "--test-skip-pattern",
     "--test-reporter", "--test-reporter-destination", "--test-concurrency", "--test-timeout", "--test-shard",
     "-C", "--conditions", "--env-file", "--test-isolation", "--test-coverage-include", "--test-coverage-exclude",
     "--test-global-setup", "--input-type"}
)  # fmt: skip
"""Options of node whose value may stand in the next word."""
_REGEX = re.compile(r"[.*+?^${}()|\[\]\\/]")


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeTest:
    """node's own test runner, as of node 18.15."""

    name: str = "node --test"
    per_test: bool = True
    traces: bool = False
    output: int = 200_000

    def narrows(self, ids: Sequence[str]) -> bool:
        """By file and title; a test whose path is not known cannot be found again."""
        return all(file_of(one) for one in ids)

    def launch(self, argv: tuple[str, ...], room: Room, ids: Sequence[str] | None, *, traced: bool = False) -> Launch:  # noqa: ARG002 - never traced
        """Our options in front of the command's own; what it prints stays as it was."""
        begin, own_reporters = _options(argv)
        options, rest = list(argv[1:begin]), argv[begin:]
        if own_reporters == 1 and not any(word.startswith("--test-reporter-destination") for word in options):
            options.append("--test-reporter-destination=stdout")
        if own_reporters == 0:
            options += ["--test-reporter=spec", "--test-reporter-destination=stdout"]
        options += [f"--test-reporter={room.inside}/{REPORTER}", f"--test-reporter-destination={room.report}"]
        if ids is None:
            return Launch(argv=(argv[0], *options, *rest))
        titles = sorted({one.partition("::")[2].rpartition(" > ")[2] for one in ids} - {""})
        options += [f"--test-name-pattern=/^{_exactly(title)}$/" for title in titles]
        return Launch(
            argv=(argv[0], *options, *sorted({file_of(one) for one in ids})),
            variables={"BENDCODER_SELECT": room.select},
            files={SELECT: json.dumps(sorted(ids)).encode()},
        )

    def read(self, ran: Ran, report: bytes | None, *, tree: str = "", partial: bool = False) -> SuiteRun:  # noqa: ARG002 - ids are relative
        """Exit code 1 is a failed test; of chosen tests alone it may be another one of the same file."""
        run = read_record(ran, report, partial=partial, red=(1,), empty=())
        if partial and run.exit_code == 1 and not run.red() and run.report_problem.startswith("exit code 1"):
            return replace(run, report_problem="")
        return run


def recognise(argv: tuple[str, ...]) -> NodeTest | None:
    """The command when it is `node … --test …`; None for anything else, a watching run as well."""
    if not argv or not _NODE.match(PurePosixPath(argv[0]).name):
        return None
    begin, _ = _options(argv)
    flags = {argv[place] for place in range(1, begin) if argv[place - 1] not in _SEPARATE}
    return NodeTest() if "--test" in flags and "--watch" not in flags else None


def _options(argv: tuple[str, ...]) -> tuple[int, int]:
    """Where node's own options end and how many reporters they name."""
    place, reporters = 1, 0
    while place < len(argv) and argv[place].startswith("-") and argv[place] != "--":
        word = argv[place]
        reporters += word == "--test-reporter" or word.startswith("--test-reporter=")
        place += 2 if word in _SEPARATE else 1
    return min(place, len(argv)), reporters


def _exactly(title: str) -> str:
    """A title as a regular expression of JavaScript that matches nothing else."""
    return _REGEX.sub(lambda found: "\\" + found.group(0), title)
