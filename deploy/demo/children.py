"""Processes the demo starts, each in a session of its own, logged to a file, and ended by its own id."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

PRIVATE = ("BENDCODER_", "TYPESAFE_", "OPENROUTER_")
WARM_SECONDS = 5.0
"""How long a child may take to end by itself before it is killed with everything it started."""


class ChildDied(Exception):
    """A process of the demo ended too early; `args[0]` holds the end of its log."""


class Child:
    """One running process."""

    def __init__(self, name: str, process: subprocess.Popen[bytes], log: Path) -> None:
        self.name = name
        self.log = log
        self._process = process

    @property
    def pid(self) -> int:
        """Its process id, which is also its group's."""
        return self._process.pid

    def check(self) -> None:
        """ChildDied when it is no longer running."""
        if self._process.poll() is not None:
            raise ChildDied(f"The {self.name} ended with {self._process.returncode}. Its log ends:\n{self.tail()}")

    def tail(self, characters: int = 2000) -> str:
        """The end of its log."""
        return self.log.read_text(encoding="utf-8", errors="replace")[-characters:]

    def kill(self) -> None:
        """End it at once, with everything in its group."""
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        self._process.wait()

    def stop(self) -> None:
        """Ask it to end, then end it and whatever it left in its group; also when interrupted meanwhile."""
        try:
            if self._process.poll() is None:
                self._process.terminate()
                with suppress(subprocess.TimeoutExpired):
                    self._process.wait(timeout=WARM_SECONDS)
        finally:
            self.kill()


@contextmanager
def child(name: str, words: Sequence[str], variables: Mapping[str, str], folder: Path) -> Iterator[Child]:
    """Run `bendcoder WORDS` with these settings and none of the caller's own; ended when the block ends."""
    inherited = {key: value for key, value in os.environ.items() if not key.startswith(PRIVATE)}
    log = folder / f"{name}.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "deploy.cli", *words],
            env=inherited | dict(variables),
            cwd=Path(__file__).parents[2],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    started = Child(name, process, log)
    try:
        yield started
    finally:
        started.stop()
