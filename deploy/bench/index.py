"""Bars of the index: ranking six thousand files against a goal, at first sight and when their blobs are known."""

import statistics
import time
from collections.abc import Iterator
from pathlib import Path

from deploy.bench.measure import Measure
from deploy.bench.repositories import folder, repository

FILES = 6_000
_WARM = 5
_GOAL = "The total of Keeper4711 is too small\n\n`scale_4711` leaves out the last row."
_WANTED = "m31/f4711.py"


def ranking() -> Iterator[Measure]:
    """Processor time until the files to read are ranked and described: of the first run, and of those after it.

    The first one reads, counts and remembers every text; the others, of whose times the median is taken, read none.
    They find nothing of the run before them but the file, as in a new process. It is the work of one thread on files
    in memory, so processor time is what a person waits where nothing else runs.
    """
    from agent.adapters.index.sqlite import SqliteMemory
    from agent.loop.listing import Listing
    from agent.loop.notebook import Notebook
    from worker.git.local import LocalRepository

    times = []
    with folder() as place:
        found = LocalRepository.find(repository(Path(place) / "clone", FILES))
        for _ in range(1 + _WARM):
            with found.tree(Path(place) / "room") as tree:
                began = time.process_time()
                memory = SqliteMemory(Path(place) / "memory.sqlite")
                options = Listing(tree.workspace, _GOAL, Notebook(), memory).to_read()
                times.append(time.process_time() - began)
            if next(iter(options)) != _WANTED:
                raise SystemExit(f"The index of the bench puts {next(iter(options))} first instead of {_WANTED}.")
    cold, *later = times
    warm = statistics.median(later) * 1000
    yield Measure(what=f"index: {FILES} files unseen", value=cold, unit="s", budget=1.0)
    yield Measure(what=f"index: {FILES} files known by their blobs", value=warm, unit="ms", budget=100)
