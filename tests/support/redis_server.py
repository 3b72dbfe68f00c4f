"""Redis-protocol servers for tests; never the one BENDCODER_REDIS_URL names, which may hold somebody's jobs."""

import os
from collections.abc import Iterator

import pytest
import redis

from deploy.redis_server import redis_server

_SECRETS = ("TYPESAFE_API_KEY", "OPENROUTER_API_KEY")


@pytest.fixture(scope="session")
def redis_session() -> Iterator[str]:
    """The address of one server for all tests of this process."""
    with redis_server() as url:
        yield url


@pytest.fixture
def redis_url(redis_session: str) -> str:
    """The same server with nothing stored in it."""
    with redis.Redis.from_url(redis_session) as client:
        client.flushall()
    return redis_session


def process_environment(url: str, **more: str) -> dict[str, str]:
    """The environment of a process under test: what it needs to start, and no setting of the developer's."""
    own = {k: v for k, v in os.environ.items() if not k.upper().startswith("BENDCODER_") and k not in _SECRETS}
    return {**own, "BENDCODER_REDIS_URL": url, **more}
