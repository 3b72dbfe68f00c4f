"""Small real repositories for tests, made with the system's git under a fixed identity and clock."""

import hashlib
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "LC_ALL": "C.UTF-8",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.com",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.com",
    "GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z",
    "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z",
}


def git(folder: Path, *arguments: str, stdin: bytes = b"") -> str:
    """Run git in a folder; returns what it printed."""
    done = subprocess.run(
        ["git", *arguments], cwd=folder, env=ENVIRONMENT, input=stdin, capture_output=True, check=False
    )
    assert done.returncode == 0, (arguments, done.stderr.decode())
    return done.stdout.decode().strip()


def write(folder: Path, files: Mapping[str, bytes | str]) -> None:
    """Write files below a folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def make(folder: Path, files: Mapping[str, bytes | str], *, message: str = "first") -> str:
    """A repository on branch main with one commit; returns the commit's id."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q", "-b", "main")
    return commit(folder, files, message=message)


def commit(folder: Path, files: Mapping[str, bytes | str], *, message: str = "next") -> str:
    """Commit files as they are; returns the commit's id."""
    write(folder, files)
    git(folder, "add", "-A", "-f")
    git(folder, "commit", "-q", "--allow-empty", "-m", message)
    return git(folder, "rev-parse", "HEAD")


def fingerprint(folder: Path, *, ignore: tuple[str, ...] = ()) -> dict[str, str]:
    """Every file below a folder, `.git` included, by relative path: kind, mode and hash of its bytes."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if name.startswith(ignore) if ignore else False:
            continue
        if path.is_symlink():
            found[name] = f"link {path.readlink()}"
        elif path.is_file():
            found[name] = f"{path.stat().st_mode:o} {hashlib.sha256(path.read_bytes()).hexdigest()}"
        else:
            found[name] = "folder"
    return found
