"""Bars of git: how soon a job has its working copy, and a judged run its clean checkout."""

import statistics
import time
from collections.abc import Iterator
from pathlib import Path

from deploy.bench.measure import Measure
from deploy.bench.repositories import folder, repository

TREE_FILES = 1000


def checkouts() -> Iterator[Measure]:
    """From a warm mirror to a ready working copy, and a clean checkout of it with one change."""
    from worker.git.local import LocalRepository

    with folder() as place:
        found = LocalRepository.find(repository(Path(place) / "clone", TREE_FILES))
        began = time.perf_counter()
        with found.tree(Path(place) / "room") as tree:
            value = (time.perf_counter() - began) * 1000
            yield Measure(what=f"git: working copy of {TREE_FILES} files", value=value, unit="ms", budget=200)
            tree.workspace.write("m0/f0.py", b"changed = True\n")
            times = []
            for _ in range(5):
                began = time.perf_counter()
                with tree.checkouts.of(tree.workspace.changes()):
                    times.append((time.perf_counter() - began) * 1000)
            median = statistics.median(times)
            yield Measure(what="git: clean checkout with one change", value=median, unit="ms", budget=200)
