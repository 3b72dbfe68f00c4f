"""Path checks shared by every workspace: a name from outside becomes an open file inside the root, or an error.

Must not follow a symbolic link: each folder on the way is opened relative to the one before it, so that nothing
swapped in between can lead elsewhere.
"""

import os
import shutil
import stat
import subprocess
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path

from agent.errors import WorkspaceError

_IGNORABLE = dict.fromkeys([*range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF])
"""Characters some file systems ignore in names: `.g\u200cit` would be git's folder there."""

_NAME_BYTES = 255
"""What file systems take as one name (NAME_MAX of Linux): a longer one must not leave half its folders behind."""

_NO_NAMES = frozenset({"", ".", ".."})

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class _AbsentError(WorkspaceError):
    """A folder on the way, or the file, is not there: that alone may be made."""


@lru_cache(maxsize=64)  # one read asks twice
def parts_of(path: str) -> tuple[str, ...]:
    """The components of a relative posix path; WorkspaceError for anything that could leave the root or reach git."""
    parts = tuple(path.split("/"))
    if _is_harmless(path) and _NO_NAMES.isdisjoint(parts):
        return parts
    if not path or "\0" in path or path.startswith("/"):
        raise WorkspaceError(f"not a relative path: {path!r}")
    try:
        too_long = any(len(os.fsencode(part)) > _NAME_BYTES for part in parts)
    except UnicodeEncodeError:
        raise WorkspaceError(f"no file can have this name: {path!r}") from None
    if too_long:
        raise WorkspaceError(f"a name in the path is longer than {_NAME_BYTES} bytes: {path[:100]!r} ...")
    for part in parts:
        if part in ("", ".", ".."):
            raise WorkspaceError(f"path must be plain and stay inside the tree: {path!r}")
        if _names_git(part):
            raise WorkspaceError(f"git's own folder is out of bounds: {path!r}")
    return parts


def _is_harmless(path: str) -> bool:
    """Whether nothing but empty and dotted components can be wrong with a path: a ranking asks thousands."""
    return path.isascii() and len(path) <= _NAME_BYTES and "\0" not in path and "git" not in path.lower()


def _names_git(part: str) -> bool:
    plain = part.translate(_IGNORABLE).rstrip(" .").split(":", 1)[0].casefold()
    return plain in (".git", "git~1")


@contextmanager
def folder_of(root: Path, parts: tuple[str, ...], *, create: bool = False) -> Iterator[int]:
    """A file descriptor of the folder that holds `parts[-1]`; missing folders are made when `create`.

    WorkspaceError when a component is a symbolic link, not a folder, or absent.
    """
    descriptor = _folder(root, parts, create=create)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _folder(root: Path, parts: tuple[str, ...], *, create: bool = False) -> int:
    """What `folder_of` yields, for whoever closes it himself."""
    descriptor = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in parts[:-1]:
            below = _step(descriptor, part, parts, create)
            os.close(descriptor)
            descriptor = below
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _step(descriptor: int, part: str, parts: tuple[str, ...], create: bool) -> int:
    name = "/".join(parts)
    try:
        return os.open(part, _FOLDER, dir_fd=descriptor)
    except FileNotFoundError:
        if not create:
            raise _AbsentError(f"no such file: {name!r}") from None
    except OSError as error:  # a link (ELOOP), or a file where a folder should be (ENOTDIR)
        raise WorkspaceError(f"{part!r} in {name!r} is a link or not a folder; it is not followed") from error
    try:
        os.mkdir(part, 0o755, dir_fd=descriptor)
        return os.open(part, _FOLDER, dir_fd=descriptor)
    except OSError as error:
        raise WorkspaceError(f"cannot make the folder {part!r} of {name!r}: {error.strerror}") from error


def read_file(root: Path, path: str, size: int = -1) -> bytes:
    """Bytes of a plain file below `root`, `size` of them at most; WorkspaceError when absent, a link, or a device."""
    descriptor = _opened(root, parts_of(path))
    try:
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode):
            raise WorkspaceError(f"not a plain file, so it is not read: {path!r}")
        most = size if size >= 0 else facts.st_size + 1
        content = os.read(descriptor, most)
        if size >= 0 or len(content) < most:
            return content
        with os.fdopen(os.dup(descriptor), "rb") as file:
            return content + file.read()  # it has grown since it was asked for its size
    finally:
        os.close(descriptor)


def _opened(root: Path, parts: tuple[str, ...]) -> int:
    """A file descriptor of what lies there, whatever it is; no link is followed."""
    folder = _folder(root, parts)
    try:
        # O_NONBLOCK: opening a named pipe must not wait for a writer
        return os.open(parts[-1], os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    except FileNotFoundError:
        raise WorkspaceError(f"no such file: {'/'.join(parts)!r}") from None
    except OSError as error:
        raise WorkspaceError(f"not a plain file, so it is not read: {'/'.join(parts)!r}") from error
    finally:
        os.close(folder)


def write_file(root: Path, path: str, content: bytes, mode: int) -> None:
    """Create or replace a plain file atomically; `mode` is a git mode (0o100644 or 0o100755).

    A new file is renamed over the old one: hard links of the old bytes stay as they were.
    """
    parts = parts_of(path)
    with folder_of(root, parts, create=True) as folder:
        _refuse_special(folder, parts[-1], path)
        temporary = f".bendcoder-{os.getpid()}-{zlib.crc32(os.fsencode(parts[-1])):08x}"
        try:
            _unlink(temporary, folder)  # of a process that was killed here
            _fill(temporary, folder, content, mode)
            os.rename(temporary, parts[-1], src_dir_fd=folder, dst_dir_fd=folder)
        except OSError as error:
            _unlink(temporary, folder)
            raise WorkspaceError(f"cannot write {path!r}: {error.strerror}; the old bytes are untouched") from error


def _fill(name: str, folder: int, content: bytes, mode: int) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(name, flags, 0o600, dir_fd=folder), "wb") as file:
        file.write(content)
        os.fchmod(file.fileno(), 0o755 if mode & 0o111 else 0o644)


def _unlink(name: str, folder: int) -> None:
    with suppress(OSError):
        os.unlink(name, dir_fd=folder)


def is_there(root: Path, path: str) -> bool:
    """Whether a plain file lies there; WorkspaceError for anything else that does, or a link on the way."""
    parts = parts_of(path)
    try:
        with folder_of(root, parts) as folder:
            return _refuse_special(folder, parts[-1], path)
    except _AbsentError:
        return False


def _refuse_special(folder: int, name: str, path: str) -> bool:
    """Whether the name is taken, by a plain file."""
    try:
        present = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return False
    if not stat.S_ISREG(present):
        raise WorkspaceError(f"not a plain file, so it is left alone: {path!r}")
    return True


def delete_file(root: Path, path: str) -> None:
    """Remove a plain file and the folders it leaves empty, as git does; WorkspaceError when it is not there."""
    parts = parts_of(path)
    with folder_of(root, parts) as folder:
        _refuse_special(folder, parts[-1], path)
        try:
            os.unlink(parts[-1], dir_fd=folder)
        except FileNotFoundError:
            raise WorkspaceError(f"no such file: {path!r}") from None
    for depth in range(len(parts) - 1, 0, -1):
        with folder_of(root, parts[:depth]) as folder:
            try:
                os.rmdir(parts[depth - 1], dir_fd=folder)
            except OSError:  # not empty: its parents are not either
                return


def remove_tree(path: Path) -> None:
    """Remove a folder foreign code has written to: locked folders and endless nesting included. Absent is fine."""
    try:
        shutil.rmtree(path)
    except FileNotFoundError:
        return
    except (OSError, RecursionError):
        # rm walks with a fixed number of open folders; neither tool follows links below its argument
        subprocess.run(["chmod", "-R", "u+rwX", "--", str(path)], check=False, capture_output=True)
        subprocess.run(["rm", "-rf", "--", str(path)], check=False, capture_output=True)
