"""Screener adapter: many drafts of one anchor against a few tests, in one sandboxed command.

What it returns is a hint: nothing is kept on its word. It must not touch the workspace; each call gets a clean tree.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from agent.domain.edit import Draft
from agent.domain.environment import Environment
from agent.domain.task import Options
from agent.ports import Box, Checkouts, Limits, Sandbox, Screened, WriteRequest
from agent.verify.command import Command, understand

WINDOW = 1.5  # seconds to go on after the first pass: a better survivor is usually near
MORE = 300  # drafts to judge after the first pass before the window may close, on a busy machine
LONGEST = 6.0  # seconds after which it closes whatever was judged
TESTS = 200  # passing tests run per draft at most, the quickest
FEW, ALL = 12, 3000  # drafts up to which each is held against this many instead, and no first pass ends the search
JOB, REPORT = "screen.json", "screen.jsonl"
UNTRIED = Screened(passed=False, tried=False)
GRACE = 3.0  # seconds for starting the interpreter and importing pytest, outside the search's own time


class BoxScreener:
    """Runs `bendcoder_screener` in a box on the base plus the changes so far."""

    def __init__(self, sandbox: Sandbox, checkouts: Checkouts, environment: Environment, options: Options) -> None:
        self._sandbox = sandbox
        self._checkouts = checkouts
        self._environment = environment
        self._options = options

    def try_all(
        self, request: WriteRequest, drafts: Sequence[Draft], seconds: float, enough: int
    ) -> tuple[Screened, ...]:
        """One result per draft, in order; untried ones when time ran out or `enough` passed.

        Many drafts: stops soon after the first pass as well (probes do not count), and each is held against some of
        the passing tests; a few drafts are held against all of them. All untried when no pytest
        runs the tests, no test is red, or the anchor does not lie in the source.
        """
        command = understand(self._options.commands.verify, self._environment.python)
        offset = place(request)
        anchor = request.anchor
        few = len(drafts) <= FEW
        nothing = not request.failing or not drafts or seconds <= 0
        if anchor is None or offset is None or nothing or not command.as_pytest:
            return (UNTRIED,) * len(drafts)
        job = {
            "path": anchor.path,
            "source": request.source.decode("latin-1"),
            "edits": [smallest(anchor.old, draft.text, offset) for draft in drafts],
            "failing": request.failing,
            "passing": request.passing[: ALL if few else TESTS],
            "seconds": seconds,
            "measuring": seconds / 2 if few else seconds / 5,
            "enough": enough,
            "window": [seconds, 0, seconds] if few else [WINDOW, MORE, LONGEST],
            "lines": [anchor.begin, anchor.end],
            "probes": [place for place, draft in enumerate(drafts) if draft.probe],
        }
        with (
            self._checkouts.of(request.changes) as checkout,
            self._sandbox.open(checkout.path, self._environment) as box,
        ):
            self._run(box, command, job, seconds + GRACE)
            return results(box.collect(REPORT) or b"", len(drafts))

    def _run(self, box: Box, command: Command, job: Mapping[str, object], seconds: float) -> None:
        inside = box.give(JOB, json.dumps(job, separators=(",", ":")).encode("ascii"))
        present = dict(self._environment.variables).get("PYTHONPATH", "")
        variables = {
            **dict(command.variables),
            "BENDCODER_SCREEN_JOB": inside,
            "BENDCODER_SCREEN_REPORT": f"{box.reports}/{REPORT}",
            "PYTHONPATH": command.search_path(box.inside, present),
            "PYTHONHASHSEED": str(self._options.hash_seed),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        box.run(_argv(command.as_pytest), Limits(seconds=seconds), variables)


def _argv(words: Sequence[str]) -> tuple[str, ...]:
    """The suite's command with our plugin: before a `--`, else at the end."""
    end = words.index("--") if "--" in words else len(words)
    ours = ("-p", "bendcoder_screener", "-p", "no:cacheprovider", "--capture=no", "--maxfail=0")
    return (*words[:end], *ours, *words[end:])


def place(request: WriteRequest) -> int | None:
    """Byte offset of the anchor in the source; None when its bytes do not stand at its lines."""
    anchor = request.anchor
    if anchor is None:
        return None
    lines = request.source.split(b"\n")
    start = sum(len(line) + 1 for line in lines[: anchor.begin - 1])
    return start if request.source[start : start + len(anchor.old)] == anchor.old else None


def smallest(old: bytes, new: bytes, offset: int) -> tuple[int, int, str]:
    """The smallest replaced range: file offsets and the text put there, bytes as latin-1."""
    most = min(len(old), len(new))
    front = next((i for i in range(most) if old[i] != new[i]), most)
    most -= front
    back = next((i for i in range(most) if old[-1 - i] != new[-1 - i]), most)
    return offset + front, offset + len(old) - back, new[front : len(new) - back].decode("latin-1")


def results(report: bytes, count: int) -> tuple[Screened, ...]:
    """Read the report's lines, whatever a hostile test may have added to them; last line of a draft wins."""
    found = [UNTRIED] * count
    records = Records()
    for data in _lines(report):
        number, status, words = data.get("i"), data.get("s"), data.get("d")
        if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < count:
            continue
        if isinstance(words, dict):
            records.add(number, words)
        elif isinstance(status, str) and status != "slow":
            extra = data.get("x")
            found[number] = Screened(
                passed=status == "pass", timed_out=status == "time", extra=extra if isinstance(extra, int) else 0
            )
    known = [number for number, one in enumerate(found) if one.passed and number in records.words]
    for number, behaviour in zip(known, records.behaviours(known), strict=True):
        found[number] = replace(found[number], behaviour=behaviour)
    return tuple(found)


class Records:
    """What drafts did in the tests: by draft and test a word; tests in which one draft did two things are left out."""

    def __init__(self) -> None:
        self.words: dict[int, dict[str, str]] = {}
        self._unsteady: set[str] = set()

    def add(self, number: int, words: Mapping[object, object]) -> None:
        """Take in one record; a second one of the same draft shows which tests depend on chance."""
        clean = {test: word for test, word in words.items() if isinstance(test, str) and isinstance(word, str)}
        before = self.words.setdefault(number, clean)
        self._unsteady.update(test for test in before.keys() | clean.keys() if before.get(test) != clean.get(test))

    def behaviours(self, numbers: Sequence[int]) -> tuple[str, ...]:
        """One word per draft, equal for drafts that did the same in every test all of them were recorded in."""
        common = set.intersection(*(set(self.words[number]) for number in numbers)) if numbers else set()
        tests = sorted(common - self._unsteady)
        return tuple(
            hashlib.sha256(" ".join(self.words[number][test] for test in tests).encode()).hexdigest()[:16]
            if tests
            else ""
            for number in numbers
        )


def _lines(report: bytes) -> Iterator[dict[str, object]]:
    for line in report.splitlines():
        try:
            data = json.loads(line)
        except (ValueError, RecursionError):
            continue  # a line cut off by the kill
        if isinstance(data, dict):
            yield data
