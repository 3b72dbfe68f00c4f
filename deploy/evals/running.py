"""Makes many attempts, each in a process of its own with a hard limit: none can spoil, or hold up, another.

The processes are forked from one clean server that has everything imported, so that an attempt starts in milliseconds
and inherits no thread, descriptor or state of whoever asked for it.
"""

import multiprocessing
import os
import signal
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkServerProcess
from pathlib import Path

from deploy.evals.attempt import Order, serve
from deploy.evals.row import Row, broken_row
from deploy.evals.task import Ending

GRACE = 30.0
"""Seconds beyond a task's own and its check's, after which an attempt is ended: it ends itself well before."""
_TERM_SECONDS = 5.0
_CONTEXT = multiprocessing.get_context("forkserver")

Told = Callable[[Row], None]


@dataclass(slots=True, kw_only=True)
class _Running:
    order: Order
    process: ForkServerProcess
    answer: Connection
    began: float
    limit: float


def run_all(orders: Sequence[Order], jobs: int, told: Told, grace: float = GRACE) -> list[Row]:
    """The rows in the order of the orders; `told` hears of each as it ends. KeyboardInterrupt ends all that run."""
    _CONTEXT.set_forkserver_preload(["deploy.evals.attempt"])
    with tempfile.TemporaryDirectory(prefix="bendcoder-eval-", ignore_cleanup_errors=True) as folder:
        return _run_all(orders, jobs, told, grace, Path(folder))


def _run_all(orders: Sequence[Order], jobs: int, told: Told, grace: float, folder: Path) -> list[Row]:
    waiting = list(enumerate(orders))[::-1]
    running: dict[int, _Running] = {}
    rows: dict[int, Row] = {}
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                place, order = waiting.pop()
                running[place] = _start(order, grace, folder / str(place))
            for place in _ended(running):
                rows[place] = _row(running.pop(place))
                told(rows[place])
    finally:
        for left in running.values():
            _stop(left.process)
    return [rows[place] for place in sorted(rows)]


def _start(order: Order, grace: float, folder: Path) -> _Running:
    folder.mkdir()
    ours, theirs = _CONTEXT.Pipe(duplex=False)
    process = _CONTEXT.Process(target=serve, args=(order, folder, theirs), daemon=False)
    process.start()
    theirs.close()
    began, settings = time.monotonic(), order.task.settings
    limit = began + settings.seconds + settings.check_seconds + grace
    return _Running(order=order, process=process, answer=ours, began=began, limit=limit)


def _ended(running: dict[int, _Running]) -> list[int]:
    """Wait for the next to end or to reach its limit."""
    nearest = min(one.limit for one in running.values())
    ready = set(wait([one.answer for one in running.values()], max(0.0, nearest - time.monotonic())))
    now = time.monotonic()
    return [place for place, one in running.items() if one.answer in ready or now >= one.limit]


def _row(ended: _Running) -> Row:
    task, attempt, seconds = ended.order.task, ended.order.attempt, time.monotonic() - ended.began
    try:
        sent = ended.answer.recv() if ended.answer.poll() else ""
    except (EOFError, OSError):
        sent = None
    ended.answer.close()
    if sent:
        ended.process.join(_TERM_SECONDS)
        _stop(ended.process)
        return Row.model_validate_json(sent)
    late = sent == ""
    _stop(ended.process)
    if late:
        return broken_row(task, attempt, Ending.KILLED, f"it did not end within {seconds:.0f} s and was ended", seconds)
    lines = ended.order.log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    reason = f"its process broke off (exit code {ended.process.exitcode}): {lines[-1] if lines else 'see its log'}"
    return broken_row(task, attempt, Ending.BROKEN, reason, seconds)


def _stop(process: ForkServerProcess) -> None:
    """Ask it to end, so that it ends what it started; then make it."""
    if process.is_alive():
        process.terminate()
        process.join(_TERM_SECONDS)
    if process.is_alive():
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid or 0, signal.SIGKILL)
        process.kill()
        process.join()
