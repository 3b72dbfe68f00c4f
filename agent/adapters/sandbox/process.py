"""Runs one command in a session of its own and ends it at its limit; must never wait for a pipe.

A grandchild that left the session may hold the output open for ever: the run is over when the command itself is, and
what lies in the pipe by then is all that is read.
"""

import contextlib
import os
import select
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from agent.errors import SandboxError
from agent.ports import Limits, Ran

GRACE_SECONDS = 0.5
"""Between TERM and KILL: long enough for pytest to write down what it has, short against any limit."""

_TICK_SECONDS = 0.02
"""How often a system without pidfd (not Linux) is asked whether the command has ended."""

NOT_FOUND = 127


_LINE = 200
"""Bytes kept of a line for its first word."""
_LINES = 8
"""Different lines kept for their first word: two tell as much as thousands."""


@dataclass(slots=True)
class HeadAndTail:
    """Keeps the first and the last `cap // 2` bytes of what it is fed, and lines that begin with `keep` in between."""

    cap: int
    keep: bytes = b""
    _head: bytearray = field(default_factory=bytearray)
    _tail: bytearray = field(default_factory=bytearray)
    _total: int = 0
    _kept: list[bytes] = field(default_factory=list)
    _before: bytes = b""
    """The last bytes that were let go: a line may begin in them."""

    def feed(self, chunk: bytes) -> None:
        """Add bytes; memory stays below twice the cap."""
        self._total += len(chunk)
        room = max(self.cap // 2 - len(self._head), 0)
        self._head += chunk[:room]
        self._tail += chunk[room:]
        if len(self._tail) > self.cap:
            gone = len(self._tail) - self.cap // 2
            self._look(gone)
            del self._tail[:gone]

    def text(self) -> str:
        """What was kept, with a line that says how much is missing in between."""
        tail = self._tail[-(self.cap // 2) :] if self.cap > 1 else b""
        missing = self._total - len(self._head) - len(tail)
        self._look(len(self._tail) - len(tail))
        del self._tail[: len(self._tail) - len(tail)]
        kept = b"".join(line + b"\n" for line in self._kept).decode("utf-8", "replace")
        middle = f"\n[... {missing} bytes left out ...]\n{kept}" if missing else ""
        return self._head.decode("utf-8", "replace") + middle + tail.decode("utf-8", "replace")

    def _look(self, gone: int) -> None:
        """Note lines with the word in the first `gone` bytes of the tail, which are let go now; equal ones once."""
        if not self.keep or not gone:
            return
        before = self._before or bytes(self._head[-_LINE:])
        seen = before + bytes(self._tail[: gone + _LINE])
        end = len(before) + gone
        place = seen.find(b"\n" + self.keep)
        while 0 <= place < end and len(self._kept) < _LINES:
            line = seen[place + 1 :][:_LINE].split(b"\n", 1)[0]
            if line not in self._kept:
                self._kept.append(line)
            place = seen.find(b"\n" + self.keep, place + 1)
        self._before = seen[:end][-_LINE:]


def run_group(
    argv: Sequence[str],
    *,
    cwd: Path,
    variables: Mapping[str, str],
    limits: Limits,
    started: Callable[[int], None] = lambda _pid: None,
    pass_fds: Sequence[int] = (),
    stdin: int = subprocess.DEVNULL,
    grace: float = GRACE_SECONDS,
) -> Ran:
    """Run `argv` with exactly `variables`; TERM, then KILL its group at `limits.seconds`.

    `started` is called with the process id right after the start. Exit code 127 when the program is not there;
    SandboxError when the system refuses to start it for another reason.
    """
    begin = time.monotonic()
    reading, writing = os.pipe2(os.O_CLOEXEC)
    os.set_blocking(reading, False)
    output = HeadAndTail(limits.output, limits.keep.encode())
    try:
        try:
            process = subprocess.Popen(
                list(argv),
                stdin=stdin,
                stdout=writing,
                stderr=writing,
                cwd=cwd,
                env=dict(variables),
                start_new_session=True,
                pass_fds=pass_fds,
            )
        except FileNotFoundError:
            return Ran(exit_code=NOT_FOUND, output=f"command not found: {argv[0]}", seconds=0.0, timed_out=False)
        except (OSError, ValueError) as error:
            raise SandboxError(f"the command could not be started: {error}; nothing was run") from error
        finally:
            os.close(writing)
        timed_out = True
        try:
            started(process.pid)
            timed_out = not _follow(process, reading, output, begin + limits.seconds)
        finally:
            _end(process, grace if timed_out else 0.0, reading, output)
        _drain(reading, output)
    finally:
        os.close(reading)
    code = None if timed_out else _shell_code(process.returncode)
    return Ran(exit_code=code, output=output.text(), seconds=time.monotonic() - begin, timed_out=timed_out)


def _shell_code(code: int) -> int:
    return 128 - code if code < 0 else code


def _follow(process: "subprocess.Popen[bytes]", reading: int, output: HeadAndTail, deadline: float) -> bool:
    """Read output until the command ends (True) or the deadline passes (False); does not reap it."""
    poller = select.poll()
    poller.register(reading, select.POLLIN)
    ended = os.pidfd_open(process.pid) if hasattr(os, "pidfd_open") else None
    if ended is not None:
        poller.register(ended, select.POLLIN)
    try:
        while (left := deadline - time.monotonic()) > 0:
            wait = left if ended is not None else min(left, _TICK_SECONDS)
            ready = [descriptor for descriptor, _ in poller.poll(wait * 1000)]
            if reading in ready and not _read_some(reading, output):
                poller.unregister(reading)
            if ended in ready or (ended is None and process.poll() is not None):
                return True
        return False
    finally:
        if ended is not None:
            os.close(ended)


def _read_some(reading: int, output: HeadAndTail) -> bool:
    """Feed one chunk; False at the end of the stream."""
    try:
        chunk = os.read(reading, 65536)
    except BlockingIOError:
        return True
    output.feed(chunk)
    return bool(chunk)


def _drain(reading: int, output: HeadAndTail, most: int = 32) -> None:
    """What lies in the pipe now, at most `most` chunks: somebody who got away may go on writing."""
    with contextlib.suppress(BlockingIOError):
        for _ in range(most):
            chunk = os.read(reading, 65536)
            if not chunk:
                return
            output.feed(chunk)


def _end(process: "subprocess.Popen[bytes]", grace: float, reading: int, output: HeadAndTail) -> None:
    """Kill what is left of the group, then reap the leader (so that its id cannot be reused before)."""
    if grace > 0:
        _signal(process.pid, signal.SIGTERM)
        _follow(process, reading, output, time.monotonic() + grace)
    _signal(process.pid, signal.SIGKILL)
    try:
        process.wait(timeout=5.0)
    except subprocess.TimeoutExpired:
        raise SandboxError(f"process {process.pid} does not die (stuck in the kernel); it is left behind") from None


def _signal(group: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
