"""Bars of the loop itself: what a step costs besides model and suite, and how fast the guards are."""

import statistics
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from deploy.bench.measure import Measure
from deploy.bench.repositories import folder, repository

_EVENTS = frozenset({"mask", "classify", "decision"})
_STEPS = 5000


def guards() -> Iterator[Measure]:
    """Super-steps of the real set of guards a second."""
    from agent.guards.catalogue import guards as catalogue
    from agent.guards.catalogue import program
    from agent.guards.events import BUDGET, Event
    from agent.guards.paths import PathRules

    running = program(catalogue(PathRules()))
    left = Event(BUDGET, {"steps": 10, "seconds": 100.0})
    began = time.perf_counter()
    for _ in range(_STEPS):
        running.ingress(left)
        running.step()
    rate = _STEPS / (time.perf_counter() - began)
    yield Measure(what="guards: super-steps a second", value=rate, unit="/s", budget=10_000, most=False)


def small() -> Iterator[Measure]:
    """What the loop itself takes for a step on a repository of a thousand files."""
    yield from _decisions(1_000, first=250.0, later=10.0)


def large() -> Iterator[Measure]:
    """The same on thirty thousand files."""
    yield from _decisions(30_000, first=1_500.0, later=60.0)


def _decisions(files: int, first: float, later: float) -> Iterator[Measure]:
    """Times of the first decision of the first run, of the next run's, and of a later one; in milliseconds.

    The first run of all has to look into the files; the next one finds their words and names remembered by blob id.
    """
    with folder() as place:
        clone = repository(Path(place) / "clone", files)
        unseen = _steps(Path(place), clone)[0] * 1000
        steps = _steps(Path(place), clone)
    head, *rest = (steps[step] * 1000 for step in sorted(steps))
    yield Measure(what=f"loop: first decision, {files} files unseen", value=unseen, unit="ms", budget=first)
    yield Measure(what=f"loop: first decision, {files} files known by their blobs", value=head, unit="ms", budget=first)
    value = statistics.median(rest)
    yield Measure(what=f"loop: a later decision, {files} files", value=value, unit="ms", budget=later)


def _steps(place: Path, clone: Path) -> dict[int, float]:
    """Step -> seconds between the events of its decision, without those the model took.

    The run looks around as a scripted model over HTTP says; its suite is always red and says nothing.
    """
    from agent.adapters.models.options import ModelOptions
    from agent.trace import read_trace
    from deploy.delegate.request import Request
    from deploy.delegate.session import delegate
    from deploy.standin.script import Say, Script
    from deploy.standin.server import standin

    script = Script(
        says=(Say(action="read_code", read="m7/f7.py"), Say(action="search_code", times=2), Say(action="none"))
    )
    trace = place / "trace.jsonl"
    with standin(script) as server:
        request = Request(
            repo=clone,
            issue=b"# The value of f7 is wrong\n\nmodule m7 should hold 8\n",
            models=ModelOptions(
                classify="systemone", classify_url=server.classify_url, classify_model="scripted", generate="nothing"
            ),
            verify=("python", "-c", "import sys; sys.exit(1)"),
            sandbox="local",
            trace=trace,
            room=place / "room",
            memory=place / "memory.sqlite",
        )
        delegate(request, follow=lambda *_: None, cancelled=lambda: False)
    steps: dict[int, float] = {}
    for before, now in pairwise(read_trace(trace)):
        if now.kind in _EVENTS:
            model = now.data.get("seconds", 0.0) if now.kind == "classify" else 0.0
            spent = now.at - before.at - (model if isinstance(model, float) else 0.0)
            steps[now.step] = steps.get(now.step, 0.0) + spent
    return steps
