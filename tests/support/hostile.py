"""What a hostile repository's tests reach for, and the search for what they reached: files, processes, words.

It looks for marked things of one test alone, and ends no process but those that carry the mark.
"""

import base64
import contextlib
import json
import os
import re
import secrets
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import redis

from deploy.devhub.client import RepoName
from tests.support.hostile_suite import ENDLESS, TARGETS, TESTS
from tests.support.house import FILES, House

ATTACKS = frozenset({"environment", "socket", "outside", "mirror", "swap", "grandchild"})
_TOKEN = re.compile(r"\bgh[pousr]_[A-Za-z0-9._-]{16,}")
_SAID = re.compile(r"^attack (\w+) (achieved|refused)", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """What the attacks of one run reach for, and what must not get out."""

    folder: Path
    data: Path
    ports: Mapping[str, int]
    mark: str = field(default_factory=lambda: f"mark-{secrets.token_hex(8)}")
    canary: str = field(default_factory=lambda: f"canary{secrets.token_hex(16)}")
    """In a variable no part of bendcoder knows: neither its value nor its shape is redacted."""
    openrouter: str = field(default_factory=lambda: f"sk-or-v1-{secrets.token_hex(16)}")
    typesafe: str = field(default_factory=lambda: f"typesafe-{secrets.token_hex(16)}")

    @property
    def outside(self) -> Path:
        """A folder everybody may write to."""
        return self.folder / "outside"

    @property
    def pwned(self) -> Path:
        """The file a hostile git configuration creates when git on the host heeds it."""
        return self.folder / "pwned"

    def prepare(self) -> None:
        """Make its folders."""
        self.folder.mkdir()
        self.outside.mkdir()
        self.outside.chmod(0o777)
        (self.folder / "tmp").mkdir()

    def variables(self) -> dict[str, str]:
        """For the environment of whoever is attacked."""
        return {
            "AWS_SECRET_ACCESS_KEY": self.canary,
            "OPENROUTER_API_KEY": self.openrouter,
            "TYPESAFE_API_KEY": self.typesafe,
            "ATTACK_MARK": self.mark,
            "TMPDIR": str(self.folder / "tmp"),
        }

    def _files(self, tests: Mapping[str, str], suite_seconds: float) -> dict[str, str]:
        targets = {
            "mark": self.mark,
            "outside": str(self.outside),
            "data": str(self.data),
            "pwned": str(self.pwned),
            "ports": dict(self.ports),
            "variables": [
                "AWS_SECRET_ACCESS_KEY", "OPENROUTER_API_KEY", "TYPESAFE_API_KEY", "BENDCODER_APP_PRIVATE_KEY",
            ],
        }  # fmt: skip
        return {
            **FILES,
            "pytest.ini": FILES["pytest.ini"].rstrip("\n") + " -rP --tb=line\n",
            "targets.py": TARGETS.format(targets=json.dumps(targets)),
            ".gitattributes": "* filter=evil\n",
            ".github/bendcoder.yml": f"timeouts:\n  suite: {suite_seconds:g}\n",
            **tests,
        }

    def attacking(self) -> dict[str, str]:
        """A repository with a bug to repair, whose suite performs every attack each time it runs."""
        return self._files({"test_attacks.py": TESTS}, 30)

    def endless(self, suite_seconds: float) -> dict[str, str]:
        """A repository whose suite never ends."""
        return self._files({"test_endless.py": ENDLESS}, suite_seconds)

    def written(self) -> list[str]:
        """What the attacks wrote on the host; what lies in a folder of temporary files is taken away."""
        found = [str(path) for path in (*self.outside.iterdir(), *self.data.glob(f"**/*{self.mark}*"))]
        in_tmp = Path("/tmp", f"written-{self.mark}")
        if in_tmp.exists():
            in_tmp.unlink()
            found.append(str(in_tmp))
        return found

    def alive(self) -> list[int]:
        """Processes an attack started, and whatever else of a box has one of our folders in its command line."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                words = (folder / "cmdline").read_bytes()
                if self.mark.encode() in words or f"{self.folder}/".encode() in words:
                    found.append(int(folder.name))
        return found

    def end_processes(self) -> None:
        """End what attacks that succeeded left behind."""
        for pid in self.alive():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def outcomes(text: str) -> dict[str, set[str]]:
    """What the attacks said of themselves in a suite's output: name to `achieved` and/or `refused`."""
    found: dict[str, set[str]] = {}
    for name, how in _SAID.findall(text):
        found.setdefault(name, set()).add(how)
    return found


@contextmanager
def listening() -> Iterator[tuple[int, list[bytes]]]:
    """A loopback port and what was said to it."""
    heard: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def listen() -> None:
            with contextlib.suppress(OSError):
                while True:
                    connection, _ = server.accept()
                    with connection:
                        heard.append(connection.recv(200))

        thread = threading.Thread(target=listen, daemon=True)
        thread.start()
        yield server.getsockname()[1], heard
        server.shutdown(socket.SHUT_RDWR)
        thread.join(5)


def said(house: House, repo: RepoName, numbers: tuple[int, ...]) -> dict[str, str]:
    """Everything a job told the outside world, place by place: forge, pushed commits, Redis."""
    hub = house.hub
    texts = {f"comments {number}": "\n".join(one.body for one in hub.comments(repo, number)) for number in numbers}
    for pull in hub.pulls(repo):
        texts[f"pull {pull.number}"] = f"{pull.title}\n{pull.body}\n{hub.diff(repo, pull.number)}"
    texts["checks"] = "\n".join(f"{one.title}\n{one.summary}" for one in hub.checks(repo))
    (git_dir,) = (house.folder / "devhub").rglob(f"{hub.repository_id(repo)}.git")
    log = ["git", "--git-dir", str(git_dir), "log", "--all", "--format=raw", "-p"]
    texts["commits"] = subprocess.run(log, capture_output=True, check=True).stdout.decode()
    texts["redis"] = _redis(house.settings["BENDCODER_REDIS_URL"])
    return texts


def kept(house: House, scene: Scene) -> dict[str, str]:
    """What the processes left on this machine: logs, traces with what lies beside them, the whole data folder."""
    places = [*house.folder.glob("*.log"), *(path for path in scene.data.rglob("*") if path.is_file())]
    return {str(path.relative_to(house.folder)): path.read_bytes().decode(errors="replace") for path in places}


def _redis(url: str) -> str:
    readers = {
        "string": lambda client, key: client.get(key),
        "hash": lambda client, key: client.hgetall(key),
        "list": lambda client, key: client.lrange(key, 0, -1),
        "set": lambda client, key: client.smembers(key),
        "zset": lambda client, key: client.zrange(key, 0, -1, withscores=True),
        "stream": lambda client, key: client.xrange(key),
    }
    with redis.Redis.from_url(url) as client:
        kinds = {key: client.type(key).decode() for key in client.scan_iter()}
        return "\n".join(f"{key!r} {readers[kind](client, key)!r}" for key, kind in kinds.items() if kind != "none")


def leaks(texts: Mapping[str, str], hidden: Mapping[str, str]) -> list[str]:
    """Which secret stands where, in which form: plain, backwards, in hex or in base64; of a key one inner line counts.

    Words shaped like GitHub's tokens count as well.
    """
    found = [f"a token in {place}" for place, text in texts.items() if _TOKEN.search(text)]
    for name, secret in hidden.items():
        whole = secret.strip()
        line = max(whole.splitlines()[1:-1] or [whole], key=len)
        forms = {
            "plain": line,
            "backwards": line[::-1],
            "hex": line.encode().hex(),
            "base64": base64.b64encode(whole.encode()).decode(),
        }
        found += [f"{name} ({form}) in {place}" for place, text in texts.items() for form, one in forms.items()
                  if one in text]  # fmt: skip
    return found
