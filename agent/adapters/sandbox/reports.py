"""The report directory of a box: files go in before a run and come out after it. Trusts nothing it finds there."""

import contextlib
import os
import stat
from pathlib import Path

from agent.errors import SandboxError


class ReportFolder:
    """A directory on the host that foreign code may write to, named `inside` in the sandbox."""

    def __init__(self, path: Path, inside: str) -> None:
        self.path = path
        self.inside = inside

    def give(self, name: str, content: bytes) -> str:
        """Write a file for the next run; return its path as seen inside."""
        folder = self._folder(name)
        try:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(name, dir_fd=folder)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            with os.fdopen(os.open(name, flags, 0o644, dir_fd=folder), "wb") as file:
                file.write(content)
                os.fchmod(file.fileno(), 0o644)
        except OSError as error:
            raise SandboxError(f"cannot hand {name!r} to the sandbox: {error.strerror}") from error
        finally:
            os.close(folder)
        return f"{self.inside}/{name}"

    def collect(self, name: str, limit: int) -> bytes | None:
        """A plain file's bytes; None when absent, a link, a device, a pipe, hard-linked, or above `limit` bytes."""
        folder = self._folder(name)
        try:
            # O_NONBLOCK: opening a named pipe must not wait for a writer
            file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
        except OSError:
            return None
        finally:
            os.close(folder)
        try:
            found = os.fstat(file)
            if not stat.S_ISREG(found.st_mode) or found.st_nlink != 1 or found.st_size > limit:
                return None
            with os.fdopen(os.dup(file), "rb") as stream:
                content = stream.read(limit + 1)
        finally:
            os.close(file)
        return content if len(content) <= limit else None

    def _folder(self, name: str) -> int:
        if name in ("", ".", "..") or "/" in name or "\0" in name:
            raise SandboxError(f"a report is one plain name, not {name!r}")
        return os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
