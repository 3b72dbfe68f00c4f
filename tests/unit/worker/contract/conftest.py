"""A real Redis-protocol server for the letter-box's scripts."""

from tests.support.redis_server import redis_session, redis_url

__all__ = ["redis_session", "redis_url"]
