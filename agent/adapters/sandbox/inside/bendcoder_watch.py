"""The parent's side of a forked child: read what it says, end it, sum it up. Stdlib only; loaded beside the screener.

It must not take a child's silence for a pass.
"""

import contextlib
import os
import select
import signal


class Outcome:
    """How one child ended: `pass`, `fail` or `time`, how many tests passed before and beyond, `words` recorded."""

    def __init__(self, said, silent):
        words = [line.split(" ") for line in said]
        self.times = [float(word[1]) for word in words if word[0] == "p"]
        self.red = next((float(word[1]) for word in words if word[0] == "F"), None)
        self.passed, self.extra = len(self.times), said.count("x")
        self.words = {word[1]: word[2] for word in words if word[0] == "d" and len(word) == 3}
        self.said = said
        self.status = "pass" if "P" in said else "time" if silent or "T" in said else "fail"


class Watch:
    """The parent's side of one child: reads its lines and ends its whole group."""

    def __init__(self, child, reader):
        self.child, self.reader = child, reader

    def lines(self, silence):
        """Read until the child ends or is silent for too long, kill what is left of it; (lines, was silent)."""
        said, silent = b"", False
        while True:
            ready, _, _ = select.select([self.reader], [], [], silence)
            if not ready:
                silent = True
                break
            more = os.read(self.reader, 65536)
            if not more:
                break
            said += more
        os.close(self.reader)
        for kill in (os.killpg, os.kill):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                kill(self.child, signal.SIGKILL)
        os.waitpid(self.child, 0)
        return said.decode("ascii", "replace").split("\n")[:-1], silent

    def until(self, silence):
        """The Outcome of a child that runs one draft."""
        return Outcome(*self.lines(silence))
