"""A throw-away bare repository that borrows another's objects: a run reads through it and writes into it alone.

It has its own configuration, hooks folder and index files, so nothing a run does (or a repository's own
configuration asks for) touches the repository it borrows from.
"""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from agent.adapters.workspace.paths import parts_of
from agent.domain.edit import Change
from agent.errors import WorkspaceError
from worker.errors import GitError
from worker.git.command import Git

# Highest precedence of all attribute files: no end-of-line conversion, no keyword expansion, no filter, no re-encoding.
BYTES_EXACT = "* -text -ident -filter !working-tree-encoding !eol\n"
FULL_ID = (40, 64)


def create(path: Path, borrow: Path, *, object_format: str = "sha1") -> Git:
    """Make the repository at `path`, with the objects of folder `borrow` readable through it."""
    for folder in ("objects/info", "refs/heads", "info"):
        (path / folder).mkdir(parents=True)
    version = "0" if object_format == "sha1" else "1"
    extension = "" if object_format == "sha1" else f"[extensions]\n\tobjectFormat = {object_format}\n"
    (path / "config").write_text(
        f"[core]\n\trepositoryFormatVersion = {version}\n\tbare = true\n\tfsync = none\n{extension}", encoding="utf-8"
    )
    (path / "HEAD").write_text("ref: refs/heads/none\n", encoding="utf-8")
    (path / "objects/info/alternates").write_text(f"{_quoted(borrow)}\n", encoding="utf-8")
    exact_bytes(path)
    return Git(git_dir=path)


def exact_bytes(git_dir: Path) -> None:
    """Make every checkout from this repository write blobs as they are."""
    (git_dir / "info").mkdir(exist_ok=True)
    (git_dir / "info/attributes").write_text(BYTES_EXACT, encoding="utf-8")


def full_id(text: str) -> str:
    """The object id, GitError when it is anything but full hexadecimal (a user's text is never a revision)."""
    if len(text) not in FULL_ID or not set(text) <= set("0123456789abcdef"):
        raise GitError(f"Not an object id: {text[:80]!r}.", "")
    return text


def tree_of(git: Git, commit: str) -> str:
    """Tree id of a commit."""
    return git.line("rev-parse", "--verify", "--quiet", f"{full_id(commit)}^{{tree}}")


def read_index(git: Git, commit: str, index: Path) -> Git:
    """Fill a fresh index file with a commit's tree; returns the git that uses it."""
    indexed = replace(git, index=index)
    indexed.run("read-tree", full_id(commit))
    return indexed


def apply(git: Git, changes: Sequence[Change]) -> str:
    """Put changes into git's index file and write the tree; returns its id.

    GitError for a path that leaves the tree, reaches git's own folder, or that git itself refuses: it would skip such a
    path and say so on standard error alone.
    """
    if changes:
        for change in changes:
            _check(change.path)
        git.run(
            "update-index", "-z", "--replace", "--index-info", stdin=b"".join(_entry(git, each) for each in changes)
        )
        _refuse_skipped(git, [change.path for change in changes if change.after is not None])
    return git.line("write-tree")


def _check(path: str) -> None:
    try:
        parts_of(path)
    except WorkspaceError as error:
        raise GitError(f"A change cannot be put into a commit: {error.args[0]}.", "") from error


def _refuse_skipped(git: Git, paths: Sequence[str]) -> None:
    if not paths:
        return
    listed = git.run("--literal-pathspecs", "ls-files", "-z", "--", *paths).split(b"\0")
    missing = sorted(set(paths) - {os.fsdecode(name) for name in listed})
    if missing:
        raise GitError(f"git refuses the path {missing[0]!r}; nothing was committed.", "")


def _entry(git: Git, change: Change) -> bytes:
    path = change.path.encode("utf-8", "surrogateescape")
    if change.after is None:
        return b"0 " + b"0" * 40 + b"\t" + path + b"\0"
    blob = git.line("hash-object", "-w", "--stdin", "--no-filters", stdin=change.after)
    return f"{change.mode:06o} {blob}\t".encode() + path + b"\0"


def _quoted(path: Path) -> str:
    """One line of an alternates file: quoted like C when the path needs it."""
    text = str(path)
    if text.isascii() and text.isprintable() and not text.startswith(("#", '"')):
        return text
    plain = frozenset(range(32, 127)) - frozenset(b'"\\')
    return '"' + "".join(chr(byte) if byte in plain else f"\\{byte:03o}" for byte in text.encode()) + '"'
