"""When a call to GitHub is tried again: one table, our own, because the library's repeats writes; raises worker errors.

| trouble | reading, PATCH, PUT, DELETE | POST |
| --- | --- | --- |
| 5xx, timeout, reset | after 1, 2 and 4 s | once more, and only after a look that finds nothing |
| limit of up to a minute | after the time named | the same: it was refused, nothing happened |
| longer limit | back to the queue | back to the queue |
| 401 | young token: 1, 2, 4 s (replicas lag); old: a new token, once | the same |
"""

import time
from collections.abc import Callable
from datetime import timedelta
from typing import TypeVar

from githubkit.cache import MemCacheStrategy
from githubkit.cache.mem_cache import MemCache
from githubkit.exception import GitHubException
from tenacity import RetryCallState, Retrying

from worker.errors import ForgeUnavailable
from worker.forge.trouble import Sort, Trouble, understand

T = TypeVar("T")
Sleep = Callable[[float], None]

TRIES = 4
LONGEST_WAIT = 60.0
YOUNG = 10.0
"""Seconds in which a new token may be refused by a replica that has not heard of it."""


class TokenCache(MemCacheStrategy):
    """Tokens of one client alone, with the time the last one was put in; nothing is shared between hosts or jobs."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._storage = _Stamped(self)
        self.born = float("-inf")

    def get_cache_storage(self) -> MemCache:
        """The storage githubkit asks."""
        return self._storage

    def stamp(self) -> None:
        """A token was put in now."""
        self.born = self._clock()

    @property
    def used(self) -> bool:
        """Whether a token was ever put in."""
        return self.born > float("-inf")

    def age(self) -> float:
        """Seconds since the last token was put in."""
        return self._clock() - self.born

    def evict(self) -> None:
        """Forget every token: githubkit itself keeps one that GitHub refused."""
        self._storage = _Stamped(self)


class _Stamped(MemCache):
    def __init__(self, owner: TokenCache) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # the library's own is not annotated
        self._owner = owner

    def set(self, key: str, value: str, ex: timedelta) -> None:
        super().set(key, value, ex)
        if ":installation:" in key:
            self._owner.stamp()


class _Failed(Exception):
    def __init__(self, trouble: Trouble) -> None:
        super().__init__(trouble)
        self.trouble = trouble


class _Final(_Failed):
    """Not to be tried again."""


class Calls:
    """Makes calls by the table above."""

    def __init__(self, tokens: TokenCache, sleep: Sleep = time.sleep) -> None:
        self._tokens = tokens
        self._sleep = sleep

    def repeat(self, call: Callable[[], T]) -> T:
        """A call that may safely happen twice."""
        return self._run(call, writes_once=False)

    def once(self, call: Callable[[], T], look: Callable[[], T | None]) -> T:
        """A call that creates something: after an unclear failure `look` says whether it is there already."""
        try:
            return self._run(call, writes_once=True)
        except ForgeUnavailable as error:
            if len(error.args) > 1:  # limited: refused before anything happened, and for too long to wait here
                raise
        found = look()
        return found if found is not None else self._run(call, writes_once=True)

    def _run(self, call: Callable[[], T], *, writes_once: bool) -> T:
        evicted = False

        def attempt() -> T:
            nonlocal evicted
            try:
                return call()
            except (GitHubException, ValueError) as error:
                trouble = understand(error)
                if trouble.sort is Sort.UNAUTHORISED and self._tokens.age() > YOUNG and not evicted:
                    evicted = True
                    self._tokens.evict()
                    raise _Failed(trouble) from error
                raise (_Failed if self._again(trouble, writes_once) else _Final)(trouble) from error

        retrying = Retrying(stop=_stop, wait=_wait, retry=_retry, sleep=self._sleep, reraise=True)
        try:
            return retrying(attempt)
        except _Failed as failed:
            raise failed.trouble.error from failed.__cause__

    def _again(self, trouble: Trouble, writes_once: bool) -> bool:
        match trouble.sort:
            case Sort.BROKEN:
                return not writes_once
            case Sort.LIMITED:
                return trouble.wait <= LONGEST_WAIT
            case Sort.UNAUTHORISED:
                return self._tokens.age() <= YOUNG
            case Sort.FINAL:
                return False


def _retry(state: RetryCallState) -> bool:
    error = state.outcome.exception() if state.outcome else None
    return isinstance(error, _Failed) and not isinstance(error, _Final)


def _stop(state: RetryCallState) -> bool:
    return state.attempt_number >= TRIES


def _wait(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    limited = isinstance(error, _Failed) and error.trouble.sort is Sort.LIMITED
    return error.trouble.wait if limited and isinstance(error, _Failed) else float(2 ** (state.attempt_number - 1))
