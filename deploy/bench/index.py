"""Bars of the index: ranking six thousand files against a goal, at first sight and when their blobs are known."""

import time
from collections.abc import Iterator
from pathlib import Path

from deploy.bench.measure import Measure
from deploy.bench.repositories import folder, repository

FILES = 6_000
_GOAL = "The total of Keeper4711 is too small\n\n`scale_4711` leaves out the last row."
_WANTED = "m31/f4711.py"


def ranking() -> Iterator[Measure]:
    """Seconds until the files to read are ranked and described: by the first run, and by the next one."""
    from agent.adapters.index.sqlite import SqliteMemory
    from agent.loop.listing import Listing
    from agent.loop.notebook import Notebook
    from worker.git.local import LocalRepository

    times = []
    with folder() as place:
        found = LocalRepository.find(repository(Path(place) / "clone", FILES))
        for _ in range(2):
            with found.tree(Path(place) / "room") as tree:
                began = time.perf_counter()
                memory = SqliteMemory(Path(place) / "memory.sqlite")
                options = Listing(tree.workspace, _GOAL, Notebook(), memory).to_read()
                times.append(time.perf_counter() - began)
            if next(iter(options)) != _WANTED:
                raise SystemExit(f"The index of the bench puts {next(iter(options))} first instead of {_WANTED}.")
    cold, warm = times
    yield Measure(what=f"index: {FILES} files unseen", value=cold, unit="s", budget=1.0)
    yield Measure(what=f"index: {FILES} files known by their blobs", value=warm * 1000, unit="ms", budget=100)
