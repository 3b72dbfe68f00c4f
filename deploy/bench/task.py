"""Bars of one whole run: an own task with a scripted model over real HTTP, from checkout to branch and verdict.

To beat, measured on a task of that size with a scripted model as well: mini-swe-agent 2.4.6 took 6.0 to 7.5 s of wall
time (0.8 s of it tests), 7 model calls and 10,450 tokens; aider 7 to 8 s, 4 to 6 calls and 28,000 to 42,000 tokens.
"""

import shlex
import time
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from shutil import copytree

from deploy.bench.measure import Measure
from deploy.bench.repositories import committed, folder

TASK = Path(__file__).parents[1] / "evals" / "tasks" / "lying-cause"
_MODEL = "scripted"


def task() -> Iterator[Measure]:
    """Seconds besides model and suite, model calls, and tokens sent (four characters each)."""
    from deploy.standin.script import load
    from deploy.standin.server import standin

    with folder() as place, standin(load(TASK / "script.json")) as server:
        seconds, verdict = _ran(Path(place), server.classify_url, server.generate_url)
        record = server.record()
    if verdict != "verified":
        raise SystemExit(f"The task of the bench ended with the verdict {verdict!r} instead of `verified`.")
    asked = [one for one in (record["classify"], record["generate"]) if isinstance(one, Mapping)]
    calls, tokens = (sum(int(one[name]) for one in asked) for name in ("calls", "tokens"))
    yield Measure(what="task: seconds besides model and suite", value=seconds, unit="s", budget=2.0)
    yield Measure(what="task: model calls", value=calls, unit="calls", budget=6)
    yield Measure(what="task: tokens sent", value=tokens, unit="tokens", budget=10_000)


def _ran(place: Path, classify: str, generate: str) -> tuple[float, str]:
    """Seconds of the whole delegation that are neither the suite's nor a model's, and the verdict."""
    from agent.adapters.models.options import ModelOptions
    from agent.trace import read_trace
    from deploy.delegate.request import Request
    from deploy.delegate.session import delegate

    request = Request(
        repo=committed(copytree(TASK / "repo", place / "clone")),
        issue=(TASK / "issue.md").read_bytes(),
        models=ModelOptions(
            classify="systemone", classify_url=classify, classify_model=_MODEL,
            generate="chat", generate_url=generate, generate_model=_MODEL,
        ),
        verify=tuple(shlex.split(tomllib.loads((TASK / "task.toml").read_text(encoding="utf-8"))["verify"])),
        sandbox="local",
        trace=place / "trace.jsonl",
        room=place / "room",
    )  # fmt: skip
    began = time.monotonic()
    ended = delegate(request, follow=lambda *_: None, cancelled=lambda: False)
    wall = time.monotonic() - began
    spent = 0.0
    for record in read_trace(place / "trace.jsonl"):
        took = record.data.get("seconds")
        if record.kind in {"suite", "classify", "generate"} and isinstance(took, int | float):
            spent += took
    judgement = ended.result.judgement
    return wall - spent, judgement.verdict.value if judgement else "none"
