"""Waits for GitHub to come back, in place and for minutes at most; meanwhile the lease is kept by its own thread."""

import logging
from collections.abc import Callable
from typing import TypeVar

from worker.errors import ForgeUnavailable

logger = logging.getLogger("bendcoder.worker")

T = TypeVar("T")
Sleep = Callable[[float], None]

WAITS = (20.0, 60.0, 120.0)
"""Seconds before the next tries, where GitHub names no time: together with the calls' own some four minutes."""
LONGEST = 300.0
"""A limit that lasts longer is not waited out: the job ends and says so."""


def patiently(call: Callable[[], T], sleep: Sleep) -> T:
    """The call's result; only for calls that find what they did before instead of doing it twice."""
    for wait in WAITS:
        try:
            return call()
        except ForgeUnavailable as error:
            named = float(error.args[1]) if len(error.args) > 1 else wait
            if named > LONGEST:
                raise
            logger.warning("GitHub is not available (%s); trying again in %.0f s", error.args[0], named)
            sleep(named)
    return call()
