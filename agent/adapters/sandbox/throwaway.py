"""Builds the `.git` a box shows: one commit of the tree's files, no remotes, no history, nothing of the mirror.

Written byte by byte, so that no git process ever looks at a tree foreign code may have prepared. Follows no link.
"""

import hashlib
import os
import stat
import struct
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from agent.adapters.workspace.objects import EXECUTABLE, LINK, PLAIN, object_id, tree_objects
from agent.errors import SandboxError

CONFIG = b"[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = false\n"
_KINDS = {"commit": 1, "tree": 2, "blob": 3}
_ENTRY = struct.Struct(">10I20sH")
_WORD = 0xFFFFFFFF
_LARGEST_PACK = 2**31 - 1
"""Bytes; above it the pack index needs a second table, and the copy would cost more than it is worth."""

# a fixed author and time: the same tree gives the same commit on both sides of a comparison
_SIGNATURE = b"bendcoder <bendcoder@localhost> 946684800 +0000"


class Found(NamedTuple):
    """One file of a tree as it lies on disk; `path` is relative and posix. A tuple: there may be 30,000 of them."""

    path: str
    mode: int
    content: bytes
    stat: os.stat_result


def walk(tree: Path, owner: int | None) -> Iterator[Found]:
    """Plain files and links below `tree`, git's own folders left out; everything on the way is given to `owner`.

    SandboxError when the tree cannot be read to its end.
    """
    folders = [""]
    try:
        _give(tree, owner)
        while folders:
            folder = folders.pop()
            with os.scandir(f"{tree}/{folder}") as entries:
                for entry in entries:
                    name = entry.name
                    if len(name) == 4 and name.casefold() == ".git":
                        continue
                    if owner is not None:
                        os.chown(entry.path, owner, owner, follow_symlinks=False)
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(f"{folder}{name}/")
                    elif entry.is_symlink() or entry.is_file(follow_symlinks=False):
                        yield _found(entry, folder + name)
    except OSError as error:
        raise SandboxError(f"the tree cannot be read: {error}; nothing was run in it") from error


def _give(path: Path, owner: int | None) -> None:
    if owner is not None:
        os.chown(path, owner, owner, follow_symlinks=False)


def _found(entry: "os.DirEntry[str]", path: str) -> Found:
    if entry.is_symlink():
        target = os.readlink(os.fsencode(entry.path))  # noqa: PTH115 - Path.readlink would tidy the bytes up
        return Found(path, LINK, target, entry.stat(follow_symlinks=False))
    descriptor = os.open(entry.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        status = os.fstat(descriptor)
        content = os.read(descriptor, status.st_size) if status.st_size else b""
        while len(content) < status.st_size and (more := os.read(descriptor, status.st_size - len(content))):
            content += more
    finally:
        os.close(descriptor)
    return Found(path, EXECUTABLE if status.st_mode & 0o100 else PLAIN, content, status)


class _Pack:
    """Collects objects into one pack and its index, uncompressed: it lives for one run."""

    def __init__(self) -> None:
        self._body = bytearray()
        self._rows: dict[bytes, tuple[int, int]] = {}

    def add(self, kind: str, content: bytes, identity: str) -> None:
        key = bytes.fromhex(identity)
        if key in self._rows:
            return
        size, first = len(content) >> 4, _KINDS[kind] << 4 | len(content) & 15
        head = bytearray()
        while size:
            head.append(first | 0x80)
            first, size = size & 0x7F, size >> 7
        head.append(first)
        raw = bytes(head) + zlib.compress(content, 0)
        self._rows[key] = (len(self._body) + 12, zlib.crc32(raw))
        self._body += raw
        if len(self._body) > _LARGEST_PACK:
            raise SandboxError("the tree is larger than 2 GiB; nothing was run in it")

    def write(self, folder: Path) -> None:
        pack = struct.pack(">4sII", b"PACK", 2, len(self._rows)) + self._body
        pack += _sha1(pack)
        keys = sorted(self._rows)
        counts = [0] * 256
        for key in keys:
            counts[key[0]] += 1
        fanout, total = [], 0
        for count in counts:
            total += count
            fanout.append(total)
        index = b"\xfftOc" + struct.pack(">I256I", 2, *fanout) + b"".join(keys)
        index += b"".join(struct.pack(">I", self._rows[key][1]) for key in keys)
        index += b"".join(struct.pack(">I", self._rows[key][0]) for key in keys) + pack[-20:]
        name = pack[-20:].hex()
        (folder / f"pack-{name}.pack").write_bytes(pack)
        (folder / f"pack-{name}.idx").write_bytes(index + _sha1(index))


def _sha1(content: bytes) -> bytes:
    return hashlib.sha1(content, usedforsecurity=False).digest()


def _index(rows: list[tuple[Found, str]]) -> bytes:
    """git's index, so that `git status` inside finds nothing changed without reading every file."""
    parts = [struct.pack(">4sII", b"DIRC", 2, len(rows))]
    named = sorted((os.fsencode(found.path), found.mode, found.stat, identity) for found, identity in rows)
    for name, mode, status, identity in named:
        changed, modified = divmod(status.st_ctime_ns, 10**9), divmod(status.st_mtime_ns, 10**9)
        where = (status.st_dev & _WORD, status.st_ino & _WORD, mode, status.st_uid, status.st_gid)
        size = status.st_size & _WORD
        entry = _ENTRY.pack(*changed, *modified, *where, size, bytes.fromhex(identity), min(len(name), 0xFFF)) + name
        parts.append(entry.ljust(len(entry) // 8 * 8 + 8, b"\0"))
    body = b"".join(parts)
    return body + _sha1(body)


def build(tree: Path, at: Path, owner: int | None = None) -> str:
    """Make the git directory `at` for the files of `tree` (both given to `owner` when run by root); its commit id."""
    pack = _Pack()
    rows: list[tuple[Found, str]] = []
    for found in walk(tree, owner):
        identity = object_id("blob", found.content)
        pack.add("blob", found.content, identity)
        # the bytes are in the pack now: holding them twice would double the memory of a large tree
        rows.append((found._replace(content=b""), identity))
    root = ""
    for root, content in tree_objects({found.path: (found.mode, identity) for found, identity in rows}):
        pack.add("tree", content, root)
    commit = b"tree %s\nauthor %s\ncommitter %s\n\nbase\n" % (root.encode(), _SIGNATURE, _SIGNATURE)
    head = object_id("commit", commit)
    pack.add("commit", commit, head)
    for folder in ("objects/pack", "objects/info", "refs/heads", "refs/tags", "info"):
        (at / folder).mkdir(parents=True)
    pack.write(at / "objects/pack")
    (at / "HEAD").write_bytes(b"ref: refs/heads/main\n")
    (at / "refs/heads/main").write_bytes(head.encode() + b"\n")
    (at / "config").write_bytes(CONFIG)
    (at / "index").write_bytes(_index(rows))
    # git refuses a repository that belongs to somebody else, and our umask may keep others from reading it
    for place in (at, *at.rglob("*")):
        _give(place, owner)
    return head


def mount_point(tree: Path) -> bool:
    """Make sure there is a plain place at the tree's `.git` to mount over; True when it is a file, as in a worktree.

    SandboxError for a link or a device: mounting over it would reach somewhere else.
    """
    point = tree / ".git"
    with suppress(FileExistsError):
        point.mkdir(mode=0o755)
    kind = point.lstat().st_mode
    if not stat.S_ISDIR(kind) and not stat.S_ISREG(kind):
        raise SandboxError("the tree's .git is neither a folder nor a file; nothing was run in it")
    return stat.S_ISREG(kind)


def remove_mount_point(tree: Path) -> None:
    """Take an empty mount point away again; what a tree brought along stays."""
    with suppress(OSError):
        (tree / ".git").rmdir()
