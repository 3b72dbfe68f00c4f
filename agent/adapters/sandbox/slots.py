"""Hands out user ids nobody else on this machine uses, one per open box, when bendcoder is run by root.

An id of its own keeps one box's processes from being counted with, or signalled by, another's. Writes no file.
"""

import errno
import socket
from collections.abc import Iterator
from contextlib import contextmanager

from agent.errors import SandboxError

FIRST_ID = 1_900_000_000
"""Above systemd's container range (1879048191) and below 2^31: no distribution assigns ids here."""

SLOTS = 4096


@contextmanager
def slot(name: str = "bendcoder-slot") -> Iterator[int]:
    """A user and group id for the time of the block; SandboxError when all are taken.

    The lock is an abstract socket name: the kernel drops it with the process that held it, however that ended.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as lock:
        for number in range(SLOTS):
            try:
                lock.bind(f"\0{name}-{number}")
            except OSError as error:
                if error.errno != errno.EADDRINUSE:
                    raise SandboxError(f"no user id could be reserved for the sandbox: {error}") from error
                continue
            yield FIRST_ID + number
            return
    raise SandboxError(f"all {SLOTS} sandbox user ids are in use; nothing was run")
