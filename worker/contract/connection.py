"""The way to the Redis-protocol server: one client per process, short timeouts, one error; no keys, no scripts.

The client library is imported on first use: the public process has to answer before it has loaded everything.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from redis import Redis


class ContractError(Exception):
    """Base of what the letter-box raises on purpose."""


class QueueUnavailable(ContractError):
    """The Redis-protocol server could not be reached, or refused; `args[0]` is a sentence for the operator."""


def connect(url: str, *, timeout: float) -> "Redis":
    """A client that gives up after `timeout` seconds per attempt, two attempts; opens no connection yet.

    `url` is `redis://`, `rediss://` or `unix://`. The second attempt is for a connection that a restarted server
    left half open; every script of ours may safely run twice.
    """
    from redis import Redis
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    over_tcp = {} if url.startswith("unix:") else {"socket_connect_timeout": timeout, "socket_keepalive": True}
    client: Redis = Redis.from_url(
        url,
        decode_responses=True,
        protocol=2,
        socket_timeout=timeout,
        retry=Retry(NoBackoff(), 1),
        **over_tcp,
    )
    return client


@contextmanager
def reachable() -> Iterator[None]:
    """Turns what the client library raises into QueueUnavailable, without the address (it may hold a password)."""
    from redis.exceptions import RedisError

    try:
        yield
    except (RedisError, OSError) as error:
        message = (
            f"The queue could not be used ({type(error).__name__}). Nothing was recorded. "
            "Check that the server behind BENDCODER_REDIS_URL runs and accepts this process."
        )
        raise QueueUnavailable(message) from error


def broker_url(url: str) -> str:
    """The same server in Celery's spelling, which names unix sockets differently."""
    scheme, separator, rest = url.partition("://")
    if separator and scheme == "unix":
        path, _, query = rest.partition("?")
        database = dict(pair.partition("=")[::2] for pair in query.split("&")).get("db", "0")
        return f"redis+socket://{path}?virtual_host={database}"
    return url
