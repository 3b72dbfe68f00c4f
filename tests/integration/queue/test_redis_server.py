"""The server that demo and tests start when none is given."""

from pathlib import Path

import pytest
import redis

from deploy.redis_server import NoRedisServer, redis_server

pytestmark = pytest.mark.redis


@pytest.mark.parametrize("unix_socket", [False, True])
def test_it_runs_scripts_and_is_gone_at_the_end(unix_socket: bool) -> None:
    with redis_server(unix_socket=unix_socket) as url, redis.Redis.from_url(url, decode_responses=True) as client:
        assert client.eval("return redis.call('SET', 'a', ARGV[1])", 0, "b") == "OK"
        assert client.get("a") == "b"
    with pytest.raises(redis.ConnectionError), redis.Redis.from_url(url) as client:
        client.ping()


def test_an_address_that_is_given_is_used_and_left_alone() -> None:
    with redis_server() as url, redis.Redis.from_url(url) as client:
        with redis_server(url) as same:
            assert same == url
        assert client.ping()


def test_a_port_that_is_taken_is_said_with_the_servers_own_words() -> None:
    with redis_server() as url:
        port = int(url.rsplit(":", 1)[1].split("/")[0])
        with pytest.raises(NoRedisServer, match="did not come up"), redis_server(port=port):
            pass


def test_one_on_the_path_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "valkey-server"
    program.write_text("#!/bin/sh\necho a broken build of it\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    with pytest.raises(NoRedisServer, match="a broken build of it"), redis_server():
        pass
