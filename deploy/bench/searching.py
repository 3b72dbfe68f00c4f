"""Bar of the search tool: a literal search through six thousand files over what ripgrep takes for the same."""

import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from deploy.bench.measure import Measure
from deploy.bench.repositories import folder, repository

FILES = 6_000
_TIMES = 5
_WANTED = "min(row * factor, LIMIT_4711)"


def search() -> Iterator[Measure]:
    """Our search against ripgrep's, both over files that were just written."""
    from agent.tools.grep import Found, grep
    from worker.git.local import LocalRepository

    ripgrep = Path(sys.executable).with_name("rg")
    with folder() as place:
        found = LocalRepository.find(repository(Path(place) / "clone", FILES))
        with found.tree(Path(place) / "room") as tree:
            ours = _seconds(lambda: grep(tree.workspace, _WANTED))
            answer = grep(tree.workspace, _WANTED)
            if not isinstance(answer, Found) or len(answer.matches) != 1:
                raise SystemExit(f"The search of the bench found {answer!r:.200} instead of its one line.")
        words = [str(ripgrep), "--fixed-strings", "--line-number", "-C3", _WANTED, "."]
        theirs = _seconds(lambda: subprocess.run(words, cwd=Path(place) / "clone", check=True, capture_output=True))
    yield Measure(what=f"search: {FILES} files, times ripgrep's", value=ours / theirs, unit="x", budget=3.0)


def _seconds(work: Callable[[], object]) -> float:
    """Median of a few."""
    times = []
    for _ in range(_TIMES):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return statistics.median(times)
