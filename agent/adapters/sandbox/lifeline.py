"""Ties a sandboxed command to us: it begins only while we live, and we return only when all of it is gone.

`--die-with-parent` alone leaves a gap: whoever is killed while bubblewrap is still starting leaves it an orphan. So the
command waits at a gate until we have answered it; an end of file there ends it.
"""

import json
import os
import select
import socket
from collections.abc import Iterable, Sequence
from contextlib import suppress
from io import FileIO

GATE = 'echo ready >&0; read -r go || exit 72; exec "$@" </dev/null'
"""A shell script inside the sandbox, its standard input our socket: by then both processes of bubblewrap are bound to
ours, so opening the gate is safe."""

_START_SECONDS = 10.0
_GONE_SECONDS = 3.0


class Lifeline:
    """What one run of bubblewrap and we hold between us; close it when the run is over."""

    def __init__(self, options: Iterable[str], seccomp: bytes | None = None) -> None:
        reading, writing = os.pipe2(os.O_CLOEXEC)
        os.set_blocking(reading, False)
        self._reading, self._writing = os.fdopen(reading, "rb", 0), os.fdopen(writing, "wb", 0)
        self._ours, self._theirs = socket.socketpair()
        # by file, not by argument: the command line of the namespace's first process can be read inside
        self._options = _in_memory(b"".join(os.fsencode(word) + b"\0" for word in options))
        self._seccomp = None if seccomp is None else _in_memory(seccomp)

    @property
    def stdin(self) -> int:
        """The command's standard input until it has passed the gate."""
        return self._theirs.fileno()

    @property
    def descriptors(self) -> tuple[int, ...]:
        """What bubblewrap has to inherit besides."""
        files = (self._writing, self._options, self._seccomp)
        return tuple(file.fileno() for file in files if file is not None)

    def command(self, argv: Sequence[str]) -> list[str]:
        """The whole command line that runs `argv` behind the gate."""
        names = ("--json-status-fd", "--args", "--seccomp")
        numbers = (word for pair in zip(names, map(str, self.descriptors), strict=False) for word in pair)
        return ["bwrap", *numbers, "--", "/bin/sh", "-c", GATE, "gate", *argv]

    def open_gate(self, seconds: float) -> None:
        """Answer the waiting command; returns as well when it never comes to the gate (the run then says why)."""
        self._theirs.close()
        self._writing.close()
        self._ours.settimeout(min(seconds, _START_SECONDS))
        with suppress(OSError):
            if self._ours.recv(16):
                self._ours.sendall(b"go\n")

    def ended(self) -> bool:
        """Whether the command had begun; told when bubblewrap has ended and no process of its namespace is left."""
        begun = False
        for line in (self._reading.read(65536) or b"").splitlines():
            document = json.loads(line)
            begun |= "exit-code" in document  # only told when the program could be started
            if "child-pid" in document:
                _await_process(int(document["child-pid"]))
        return begun

    def close(self) -> None:
        """Let go of everything."""
        for end in (self._reading, self._writing, self._options, self._seccomp, self._ours, self._theirs):
            if end is not None:
                end.close()


def _in_memory(content: bytes) -> FileIO:
    file = os.fdopen(os.memfd_create("bwrap"), "w+b", 0)
    file.write(content)
    file.seek(0)
    return file


def _await_process(pid: int) -> None:
    """Wait for the namespace's first process: the kernel lets it end only after all others in it."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        select.select([handle], [], [], _GONE_SECONDS)
    finally:
        os.close(handle)
