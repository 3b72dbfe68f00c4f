"""Set-up's one way out: the web through our proxy, nothing else, and no other box has even that."""

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from agent.adapters.sandbox import sandbox_named
from agent.adapters.sandbox.egress import Bounds, Destinations
from agent.adapters.sandbox.setting_up import SetUp, WayOut, run_setup
from agent.adapters.workspace.directory import DirectoryCheckouts
from agent.ports import Sandbox
from tests.support.web import Web, upstream_proxy, web
from worker.environment import environment_of

pytestmark = pytest.mark.sandbox

PYTHON = "/usr/bin/python3"
FETCH = """
import sys, urllib.error, urllib.request
try:
    print("GOT", urllib.request.urlopen(sys.argv[1], timeout=10).read().decode())
except urllib.error.HTTPError as error:
    print("HTTP", error.code, error.read().decode())
except OSError as error:
    print("FAILED", error)
sys.exit(1)  # so that its output comes back
"""
TUNNEL = """
import os, socket, sys
host, port = os.environ["HTTPS_PROXY"].removeprefix("http://").split(":")
link = socket.create_connection((host, int(port)), 10)
link.settimeout(10)
link.sendall(sys.argv[1].encode().decode("unicode_escape").encode("latin-1"))
try:
    while data := link.recv(65536): print(data.decode("latin-1"), end="")
except OSError as error: print("BROKEN", error)
sys.exit(1)
"""


@pytest.fixture
def sandbox() -> Sandbox:
    return sandbox_named("bubblewrap", check=False)


@pytest.fixture
def server() -> Iterator[Web]:
    with web() as running:
        yield running


def set_up(sandbox: Sandbox, tmp_path: Path, commands: Sequence[Sequence[str]], way_out: WayOut | None = None) -> SetUp:
    (tmp_path / "project").mkdir(exist_ok=True)
    (tmp_path / "project/module.py").write_text("x = 1\n")
    folder = tmp_path / "made"
    folder.mkdir(exist_ok=True)
    with DirectoryCheckouts(tmp_path / "project").base() as base:
        return run_setup(
            sandbox, base.path, environment_of(PYTHON), folder, commands, seconds=60, way_out=way_out or WayOut()
        )


def said(ended: SetUp) -> str:
    assert ended.ran is not None
    return ended.ran.output


def fetching(url: str) -> list[tuple[str, ...]]:
    return [(PYTHON, "-c", FETCH, url)]


def asking(words: str) -> list[tuple[str, ...]]:
    return [(PYTHON, "-c", TUNNEL, words)]


def letting(server: Web, host: str, *, bounds: Bounds | None = None) -> WayOut:
    """A way out to the test server under this name, which our resolver alone knows."""
    rules = Destinations(resolve=lambda name, port: ["127.0.0.1"], also=((host, server.port),))
    return WayOut(destinations=rules, bounds=bounds or Bounds())


def test_an_allowed_server_is_reached_by_fetch_and_by_tunnel(sandbox: Sandbox, tmp_path: Path, server: Web) -> None:
    way_out = letting(server, "files.example")
    got = said(set_up(sandbox, tmp_path, fetching(f"http://files.example:{server.port}/hello"), way_out))
    assert got == "GOT hello from the server\n\n"
    tunnel = f"CONNECT files.example:{server.port} HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n"
    request = "GET /hello HTTP/1.0\\r\\nHost: files.example\\r\\n\\r\\n"
    got = said(set_up(sandbox, tmp_path, asking(tunnel + request), way_out))
    assert "200 Connection established" in got
    assert got.endswith("hello from the server\n")
    assert server.paths == ["/hello", "/hello"]


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "127.1", "2130706433", "[::1]", "[::ffff:127.0.0.1]"])
def test_loopback_is_refused_however_it_is_spelt(sandbox: Sandbox, tmp_path: Path, server: Web, host: str) -> None:
    # port and all: what is refused is the address, or else the port alone would hide a hole
    words = f"CONNECT {host}:80 HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n"
    ended = set_up(sandbox, tmp_path, asking(words))
    assert said(ended).startswith("HTTP/1.1 403 ")
    assert "not a public address" in said(ended)
    assert len(ended.refused) == 1
    words = f"CONNECT {host}:{server.port} HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n"
    assert said(set_up(sandbox, tmp_path, asking(words))).startswith("HTTP/1.1 403 ")
    assert server.paths == []


@pytest.mark.parametrize(
    "address", ["169.254.169.254", "10.0.0.1", "192.168.0.1", "172.16.5.4", "100.64.0.1", "[fd00::1]"]
)
def test_private_and_link_local_addresses_are_refused(sandbox: Sandbox, tmp_path: Path, address: str) -> None:
    got = said(set_up(sandbox, tmp_path, fetching(f"http://{address}/latest/meta-data/")))
    assert got.startswith("HTTP 403 ")
    assert "not a public address" in got


def test_a_name_that_resolves_to_this_machine_is_refused(sandbox: Sandbox, tmp_path: Path, server: Web) -> None:
    way_out = WayOut(destinations=Destinations(resolve=lambda name, port: ["127.0.0.1"]))
    ended = set_up(sandbox, tmp_path, fetching("http://innocent.example/"), way_out)
    assert said(ended).startswith("HTTP 403 ")
    assert ended.refused == (
        "innocent.example:80 was refused: it resolves to 127.0.0.1, which is not a public address",
    )


def test_a_redirect_is_a_request_like_any_other(sandbox: Sandbox, tmp_path: Path, server: Web) -> None:
    url = f"http://files.example:{server.port}/redirect?to=http://169.254.169.254/latest/"
    rules = Destinations(
        resolve=lambda name, port: ["127.0.0.1" if name == "files.example" else name],
        also=(("files.example", server.port),),
    )
    got = said(set_up(sandbox, tmp_path, fetching(url), WayOut(destinations=rules)))
    assert got.startswith("HTTP 403 ")
    assert "169.254.169.254" in got


HOST = " HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n"


@pytest.mark.parametrize(
    "words",
    [
        "CONNECT files.example:{port}@127.0.0.1:{other}" + HOST,
        "GET http://files.example:{port}@127.0.0.1:{other}/stolen" + HOST,
        "GET http://127.0.0.1:{other}\\\\@files.example:{port}/stolen" + HOST,
        "GET /stolen HTTP/1.1\\r\\nHost: 127.0.0.1:{other}\\r\\n\\r\\n",
        "CONNECT 127.0.0.1:{other} HTTP/1.1\\r\\nHost: files.example:{port}\\r\\n\\r\\nGET /stolen" + HOST,
    ],
)
def test_tricks_with_the_address_reach_nobody(sandbox: Sandbox, tmp_path: Path, server: Web, words: str) -> None:
    with web() as other:
        told = words.replace("{port}", str(server.port)).replace("{other}", str(other.port))
        got = said(set_up(sandbox, tmp_path, asking(told), letting(server, "files.example")))
        assert got.startswith("HTTP/1.1 40")
        assert (other.paths, server.paths) == ([], [])


def test_a_second_request_behind_an_allowed_one_goes_nowhere(sandbox: Sandbox, tmp_path: Path, server: Web) -> None:
    first = f"GET http://files.example:{server.port}/hello HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\n\\r\\n"
    got = said(
        set_up(
            sandbox,
            tmp_path,
            asking(f"{first}GET /stolen HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n"),
            letting(server, "files.example"),
        )
    )
    assert "hello from the server" in got
    assert server.paths == ["/hello"]
    assert server.hosts == [f"files.example:{server.port}"]


def test_there_is_no_other_way_out(sandbox: Sandbox, tmp_path: Path, server: Web) -> None:
    script = (
        "import socket, sys\n"
        f"for where in (('127.0.0.1', {server.port}), ('192.0.2.1', 80), ('1.1.1.1', 443)):\n"
        "    try: socket.create_connection(where, 3); print('REACHED', where)\n"
        "    except OSError as error: print('no', where)\n"
        "try: socket.getaddrinfo('files.example', 80); print('RESOLVED')\n"
        "except OSError: print('no name')\n"
        "sys.exit(1)\n"
    )
    got = said(set_up(sandbox, tmp_path, [(PYTHON, "-c", script)], letting(server, "files.example")))
    assert got.splitlines() == [
        *(f"no ('127.0.0.1', {server.port})", "no ('192.0.2.1', 80)", "no ('1.1.1.1', 443)", "no name")
    ]
    assert server.paths == []


def test_bytes_are_bounded(sandbox: Sandbox, tmp_path: Path, server: Web) -> None:
    url = f"http://files.example:{server.port}/big"
    small = letting(server, "files.example", bounds=Bounds(total=100_000))
    script = f"import urllib.request as u, sys; print('read', len(u.urlopen('{url}').read())); sys.exit(1)"
    got = said(set_up(sandbox, tmp_path, [(PYTHON, "-c", script)], small))
    assert "IncompleteRead" in got
    assert "read 1000000" in said(set_up(sandbox, tmp_path, [(PYTHON, "-c", script)], letting(server, "files.example")))


def test_the_operators_own_proxy_is_asked_for_addresses_never_for_names(
    sandbox: Sandbox, tmp_path: Path, server: Web
) -> None:
    with upstream_proxy() as proxy:
        way_out = WayOut(
            destinations=Destinations(resolve=lambda name, port: ["127.0.0.1"], also=(("files.example", server.port),)),
            proxy=f"http://ada:secret@127.0.0.1:{proxy.port}",
        )
        url = f"http://files.example:{server.port}/hello"
        assert "GOT hello from the server" in said(set_up(sandbox, tmp_path, fetching(url), way_out))
        assert said(set_up(sandbox, tmp_path, fetching("http://other.example/"), way_out)).startswith("HTTP 403 ")
        assert proxy.asked == [(f"CONNECT 127.0.0.1:{server.port}", "Basic YWRhOnNlY3JldA==")]


def test_the_password_of_the_operators_proxy_is_nowhere_inside(sandbox: Sandbox, tmp_path: Path) -> None:
    way_out = WayOut(proxy="http://ada:hunter2@127.0.0.1:1")
    script = "env; cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr '\\0' '\\n'; exit 1"
    got = said(set_up(sandbox, tmp_path, [("sh", "-c", script)], way_out))
    assert "HTTPS_PROXY=http://127.0.0.1:" in got
    assert "hunter2" not in got


def test_commands_run_in_turn_and_stop_at_the_first_that_fails(sandbox: Sandbox, tmp_path: Path) -> None:
    commands = [("sh", "-c", "echo one > {env}/one"), ("sh", "-c", "echo why; exit 7"), ("touch", "{env}/two")]
    ended = set_up(sandbox, tmp_path, commands)
    assert ended.failed == ("sh", "-c", "echo why; exit 7")
    assert ended.ran is not None
    assert (ended.ran.exit_code, ended.ran.output) == (7, "why\n")
    assert sorted(path.name for path in (tmp_path / "made").iterdir()) == ["one"]
    missing = set_up(sandbox, tmp_path, [("no-such-program",)])
    assert missing.ran is not None
    assert (missing.ran.exit_code, missing.ran.output) == (127, "command not found: no-such-program\n")


def test_nothing_is_left_of_the_proxy(sandbox: Sandbox, tmp_path: Path) -> None:
    before = {thread.name for thread in threading.enumerate()}
    hold = (
        "import os, socket\n"
        "where = os.environ['http_proxy'].removeprefix('http://').split(':')\n"
        "held = [socket.create_connection((where[0], int(where[1]))) for _ in range(9)]\n"
    )
    assert set_up(sandbox, tmp_path, [(PYTHON, "-c", hold)]).failed is None
    assert {thread.name for thread in threading.enumerate()} == before
