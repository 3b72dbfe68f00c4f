"""Runs git with nothing inherited: no user or system configuration, hooks, helpers, filters or foreign protocols.

It must not put a token anywhere but into the environment of the one process that needs it.
"""

import os
import shutil
import signal
import subprocess
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from worker.errors import GitError
from worker.git.failures import explain, redact

HARDENING = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "core.attributesFile=/dev/null",
    "core.excludesFile=/dev/null",
    "core.askPass=",
    "core.sshCommand=/bin/false",
    "core.logAllRefUpdates=false",
    "core.autocrlf=false",
    "core.safecrlf=false",
    "core.symlinks=true",
    "core.protectHFS=true",
    "core.protectNTFS=true",
    "credential.helper=",
    "protocol.allow=never",
    "submodule.recurse=false",
    "fetch.recurseSubmodules=false",
    "push.recurseSubmodules=no",
    "push.gpgSign=false",
    "commit.gpgSign=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "http.lowSpeedLimit=1000",
    "http.lowSpeedTime=60",
    "safe.directory=*",  # a mirror may belong to another service user; everything above makes that harmless
)
SYSTEM_PATH = ("/usr/local/bin", "/usr/bin", "/bin")
NO_WORK_TREE = "no-work-tree"  # a name that never exists: a command that wants files fails instead of finding some


@dataclass(frozen=True, slots=True, kw_only=True)
class Remote:
    """Where to fetch from or push to; lives for one network step."""

    url: str
    token: str = field(default="", repr=False)
    user: str = "x-access-token"

    @property
    def header(self) -> str:
        """The value of the authorisation header, empty without a token."""
        if not self.token:
            return ""
        return "Basic " + b64encode(f"{self.user}:{self.token}".encode()).decode()

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must not be seen in output, in whatever encoding."""
        return (self.token,) if self.token else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Git:
    """One repository, named explicitly in every command.

    `schemes` are the URL schemes it may speak; `network` is what proxies and private certificate
    authorities need (`https_proxy`, `GIT_SSL_CAINFO` and the like) and reaches network commands alone.
    """

    git_dir: Path
    work_tree: Path | None = None
    index: Path | None = None
    schemes: tuple[str, ...] = ("https", "http")
    network: Mapping[str, str] = field(default_factory=dict)
    settings: tuple[str, ...] = ()
    """More `name=value` settings, after the hardening ones."""

    def run(
        self,
        *arguments: str,
        stdin: bytes = b"",
        seconds: float = 60.0,
        remote: Remote | None = None,
        variables: Mapping[str, str] | None = None,
    ) -> bytes:
        """Standard output of one git command; GitError (or a subclass that says whose fault it is) otherwise."""
        with self._started(arguments, remote, variables) as process:
            try:
                output, errors = process.communicate(stdin, timeout=seconds)
            except BaseException as problem:
                _kill(process)
                if isinstance(problem, subprocess.TimeoutExpired):
                    message = f"git {arguments[0]} did not end within {seconds:.0f} s and was stopped."
                    raise GitError(message, "") from None
                raise
        if process.returncode != 0:
            text = redact(errors.decode(errors="replace") + _tail(output), remote.secrets if remote else ())
            raise explain(arguments[0], process.returncode, text)
        return output

    def _started(
        self, arguments: tuple[str, ...], remote: Remote | None, variables: Mapping[str, str] | None
    ) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(
                self._argv(arguments, remote),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=self._environment(remote, variables),
                cwd=self.git_dir,
                start_new_session=True,
                umask=0o022,
            )
        except OSError as problem:
            message = f"git {arguments[0]} could not be started in {self.git_dir.name}: {problem.strerror}."
            raise GitError(message, "") from problem

    def line(self, *arguments: str, stdin: bytes = b"", variables: Mapping[str, str] | None = None) -> str:
        """Standard output of a command that prints one line."""
        return self.run(*arguments, stdin=stdin, variables=variables).decode().strip()

    def _argv(self, arguments: tuple[str, ...], remote: Remote | None) -> list[str]:
        settings = [*HARDENING, *self.settings]
        if remote is not None:
            scheme = urlsplit(remote.url).scheme
            if scheme not in self.schemes:
                raise GitError(f"git may not speak {scheme or 'a local path'}; allowed: {', '.join(self.schemes)}.", "")
            settings.append(f"protocol.{scheme}.allow=always")
        work_tree = self.work_tree or self.git_dir / NO_WORK_TREE
        options = [word for setting in settings for word in ("-c", setting)]
        return ["git", "--no-pager", *options, f"--git-dir={self.git_dir}", f"--work-tree={work_tree}", *arguments]

    def _environment(self, remote: Remote | None, variables: Mapping[str, str] | None) -> dict[str, str]:
        environment = bare_environment()
        if self.index is not None:
            environment["GIT_INDEX_FILE"] = str(self.index)
        if remote is not None:
            environment.update(self.network)
            if remote.header:
                environment["GIT_CONFIG_COUNT"] = "1"
                environment["GIT_CONFIG_KEY_0"] = f"http.{remote.url}.extraHeader"
                environment["GIT_CONFIG_VALUE_0"] = f"Authorization: {remote.header}"
        environment.update(variables or {})
        return environment


def bare_environment() -> dict[str, str]:
    """The whole environment a git process gets: where git is, and that nobody's configuration counts."""
    found = shutil.which("git")
    if found is None:
        raise GitError("git is not installed, or not on PATH; install it (for example: apt-get install git).", "")
    folders = dict.fromkeys((str(Path(found).parent), *SYSTEM_PATH))
    return {
        "PATH": ":".join(folders),
        "LC_ALL": "C.UTF-8",
        "HOME": "/nonexistent",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
    }


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End git and the transport helpers it started: they share a session of their own."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def _tail(output: bytes) -> str:
    return output[-4000:].decode(errors="replace")
