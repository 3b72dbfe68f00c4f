"""Bare repositories on disk, through the git command; knows nothing of issues, tokens or HTTP.

Every call names its git directory, uses a minimal environment and reads no configuration of the machine.
"""

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

ZERO = "0" * 40
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


_CONFIG = """[gc]
\tauto = 0
[http]
\treceivepack = true
[uploadpack]
\tallowFilter = true
\tallowAnySHA1InWant = true
"""


class GitFailed(Exception):
    """A git command ended with an error; `args` are its words, exit code and what it said."""


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """What a git child gets to see."""
    base = {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": "/nonexistent",
        "LC_ALL": "C.UTF-8",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_LITERAL_PATHSPECS": "1",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "safe.directory",
        "GIT_CONFIG_VALUE_0": "*",
    }
    return base | dict(extra or {})


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Author or committer of a commit."""

    name: str
    email: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitInfo:
    """A commit as `git log` tells it; times are ISO 8601 with zone."""

    sha: str
    tree: str
    parents: tuple[str, ...]
    author: Person
    authored: str
    committer: Person
    committed: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """One file of a diff; `status` in GitHub's words."""

    path: str
    status: str
    blob: str
    additions: int
    deletions: int
    patch: str


_FORMAT = "%H%x00%T%x00%P%x00%an%x00%ae%x00%aI%x00%cn%x00%ce%x00%cI%x00%B%x1e"


class BareRepository:
    """One bare repository."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def run(self, *words: str, stdin: bytes | None = None, extra: Mapping[str, str] | None = None) -> bytes:
        """Run git here and return what it printed; GitFailed when it ended with an error."""
        argv = ["git", f"--git-dir={self.path}", *words]
        done = subprocess.run(argv, input=stdin, capture_output=True, check=False, env=environment(extra))
        if done.returncode != 0:
            raise GitFailed(words, done.returncode, done.stderr.decode(errors="replace").strip())
        return done.stdout

    def text(self, *words: str) -> str:
        """What git printed, stripped."""
        return self.run(*words).decode(errors="replace").strip()

    def create(self, default_branch: str) -> None:
        """Make the repository on disk."""
        self.path.mkdir(parents=True)
        self.run("init", "--quiet", "--bare", f"--initial-branch={default_branch}")
        with (self.path / "config").open("a", encoding="utf-8") as config:
            config.write(_CONFIG)

    def commit(
        self, branch: str, files: Mapping[str, bytes | None], message: str, person: Person, when: datetime
    ) -> str:
        """Put one commit on a branch (made when new) that writes these files, or deletes where None; its sha."""
        parent = self.resolve(f"refs/heads/{branch}")
        stamp = f"{person.name} <{person.email}> {int(when.timestamp())} +0000"
        out = [f"commit refs/heads/{branch}\ncommitter {stamp}\n".encode(), _data(message.encode())]
        if parent is not None:
            out.append(f"from {parent}\n".encode())
        for path, content in sorted(files.items()):
            if content is None:
                out.append(f"D {path}\n".encode())
                continue
            mode = "100755" if content.startswith(b"#!") else "100644"
            out += [f"M {mode} inline {path}\n".encode(), _data(content)]
        self.run("fast-import", "--quiet", "--force", stdin=b"".join(out))
        return self.text("rev-parse", f"refs/heads/{branch}")

    def resolve(self, name: str) -> str | None:
        """The commit a ref, branch or sha names; None when there is none."""
        if name.startswith("-"):
            return None
        try:
            return self.text("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        except GitFailed:
            return None

    def refs(self, prefix: str = "refs/heads/") -> dict[str, str]:
        """Ref name -> object sha for refs that start with the prefix, sorted by name."""
        listed = self.text("for-each-ref", "--format=%(refname) %(objectname)")
        rows = (line.split(" ", 1) for line in listed.splitlines())
        return {name: sha for name, sha in rows if name.startswith(prefix)}

    def update_ref(self, ref: str, new: str, old: str | None = None) -> None:
        """Set a ref, or delete it when `new` is all zeros; GitFailed when it is not at `old`."""
        words = ["update-ref", "-d", ref] if new == ZERO else ["update-ref", ref, new]
        self.run(*words, *([old] if old is not None else []))

    def valid_branch(self, name: str) -> bool:
        """Whether git accepts the branch name."""
        try:
            self.run("check-ref-format", f"refs/heads/{name}")
        except GitFailed:
            return False
        return True

    def contains(self, ancestor: str, descendant: str) -> bool:
        """Whether the second commit has the first in its history."""
        try:
            self.run("merge-base", "--is-ancestor", ancestor, descendant)
        except GitFailed:
            return False
        return True

    def merge_base(self, left: str, right: str) -> str | None:
        """The best common ancestor; None for unrelated histories."""
        try:
            return self.text("merge-base", left, right)
        except GitFailed:
            return None

    def log(self, *range_words: str) -> list[CommitInfo]:
        """Commits of a range, newest first."""
        raw = self.run("log", f"--format={_FORMAT}", *range_words, "--").decode(errors="replace")
        return [_commit(part.lstrip("\n")) for part in raw.split("\x1e") if part.strip()]

    def commit_info(self, sha: str) -> CommitInfo:
        """One commit."""
        return self.log("-1", sha)[0]

    def entry(self, sha: str, path: str) -> tuple[str, str, str] | None:
        """Mode, type and object id of a path in a commit; None when absent. The empty path is the root tree."""
        if not path:
            return "040000", "tree", self.text("rev-parse", f"{sha}^{{tree}}")
        try:
            rows = self.entries(sha, path)
        except GitFailed:
            return None  # a path that leaves the tree
        return next((row[:3] for row in rows if row[3] == path), None)

    def entries(self, treeish: str, *paths: str) -> list[tuple[str, str, str, str]]:
        """Mode, type, object id and name of tree entries."""
        raw = self.run("ls-tree", "-z", treeish, "--", *paths).decode(errors="replace")
        rows = (line.split("\t", 1) for line in raw.split("\0") if line)
        return [(*_three(head), name) for head, name in rows]

    def blob(self, object_id: str) -> bytes:
        """A blob's bytes."""
        return self.run("cat-file", "blob", object_id)

    def diff(self, base: str, head: str) -> str:
        """The unified diff between two commits or trees."""
        return self.run("diff", "--no-color", "--no-ext-diff", "-M", base, head, "--").decode(errors="replace")

    def changes(self, base: str, head: str) -> list[FileChange]:
        """What differs between two commits, one entry per file."""
        raw = self.text("diff", "--raw", "--no-renames", "--abbrev=40", "-z", base, head, "--").split("\0")
        found = []
        for meta, path in zip(raw[::2], raw[1::2], strict=False):
            letter, blob = meta.split()[4][0], meta.split()[3]
            patch = self.run("diff", "--no-color", "--no-ext-diff", "--no-renames", base, head, "--", path)
            found.append(_change(path, letter, blob, patch.decode(errors="replace")))
        return found


def _change(path: str, letter: str, blob: str, diff: str) -> FileChange:
    start = diff.find("@@")
    patch = diff[start:].rstrip("\n") if start >= 0 else ""
    lines = patch.splitlines()
    return FileChange(
        path=path,
        status={"A": "added", "D": "removed"}.get(letter, "modified"),
        blob=blob,
        additions=sum(line.startswith("+") for line in lines),
        deletions=sum(line.startswith("-") for line in lines),
        patch=patch,
    )


def _data(content: bytes) -> bytes:
    return f"data {len(content)}\n".encode() + content + b"\n"


def _three(head: str) -> tuple[str, str, str]:
    mode, kind, object_id = head.split(" ")
    return mode, kind, object_id


def _commit(raw: str) -> CommitInfo:
    sha, tree, parents, name, email, authored, committer, committer_email, committed, message = raw.split("\0")
    return CommitInfo(
        sha=sha,
        tree=tree,
        parents=tuple(parents.split()),
        author=Person(name=name, email=email),
        authored=authored,
        committer=Person(name=committer, email=committer_email),
        committed=committed,
        message=message.rstrip("\n"),
    )


def read_directory(root: Path) -> dict[str, bytes]:
    """The files under a directory, `.git` and byte code left out, as relative posix path -> bytes."""
    skipped = {".git", "__pycache__"}
    found = (path for path in sorted(root.rglob("*")) if path.is_file() and not path.is_symlink())
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in found
        if not skipped.intersection(path.relative_to(root).parts)
    }
