"""A real Redis-protocol server for the records."""

from tests.support.redis_server import redis_session, redis_url

__all__ = ["redis_session", "redis_url"]
