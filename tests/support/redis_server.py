"""Redis-protocol servers for tests: one shared by a session, emptied before each use, or one to freeze and kill."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import redis

from deploy.redis_server import redis_server


@contextmanager
def started() -> Iterator[str]:
    """A server of the test's own; never the one BENDCODER_REDIS_URL names, which may hold somebody's jobs."""
    with redis_server() as url:
        yield url


def emptied(url: str) -> str:
    """The same address, with nothing stored behind it any more."""
    with redis.Redis.from_url(url) as client:
        client.flushall()
    return url


def test_environment(url: str, **more: str) -> dict[str, str]:
    """The environment of a process under test: what it needs to start, and no setting of the developer's."""
    kept = {name: value for name, value in os.environ.items() if not name.upper().startswith("BENDCODER_")}
    return {**kept, "BENDCODER_REDIS_URL": url, **more}
