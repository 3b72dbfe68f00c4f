"""A person's own checkout, for local delegation: looked at through a scratch repository and left as it was.

The only thing it ever writes there is new objects and one new branch, and only when asked to publish.
"""

import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from agent.domain.edit import Change
from worker.domain import BotIdentity
from worker.errors import GitError
from worker.git import publish, scratch
from worker.git.command import Git
from worker.git.folders import sweep
from worker.git.jobtree import GitJobTree, job_tree

SLUG_LENGTH = 40
# What decides whether a file on disk equals its blob; everything else of the person's configuration is left out.
FILE_SETTINGS = ("core.autocrlf", "core.eol", "core.filemode", "core.ignorecase", "core.precomposeunicode")


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalRepository:
    """One checkout: its top folder, its git folder (`common` for a linked worktree) and the commit it is at."""

    top: Path
    git_dir: Path
    common: Path
    head: str
    object_format: str

    @classmethod
    def find(cls, folder: Path) -> "LocalRepository":
        """The checkout at exactly this folder; GitError with what to do when there is none."""
        folder = folder.resolve()
        if not folder.is_dir():
            raise GitError(f"{folder} is not a folder.", "")
        git_dir = _git_dir(folder)
        common_file = git_dir / "commondir"
        common = git_dir
        if common_file.is_file():
            common = (git_dir / common_file.read_text(encoding="utf-8").strip()).resolve()
        git = Git(git_dir=git_dir, work_tree=folder)
        try:
            head = git.line("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
        except GitError as problem:
            raise GitError(f"{folder} has no commit yet; commit something first.", problem.args[1]) from problem
        return cls(
            top=folder,
            git_dir=git_dir,
            common=common,
            head=head,
            object_format=git.line("rev-parse", "--show-object-format"),
        )

    @property
    def git(self) -> Git:
        """Git on the person's repository, without its files: for reading refs and for publishing."""
        return Git(git_dir=self.git_dir)

    def dirty(self) -> tuple[str, ...]:
        """Tracked paths that differ from HEAD, staged or not; untracked and ignored files do not count.

        Asked of a copy of the index, under a configuration of ours: `git status` would rewrite the index and run
        whatever filter or file monitor the repository's own configuration names.
        """
        with tempfile.TemporaryDirectory(prefix="bendcoder-status-") as folder:
            git = scratch.create(Path(folder) / "git", self.common / "objects", object_format=self.object_format)
            (git.git_dir / "info/attributes").unlink()
            for shared in (*self.git_dir.glob("sharedindex.*"), self.git_dir / "index"):
                if shared.is_file():
                    shutil.copy2(shared, git.git_dir / shared.name)
            (git.git_dir / "HEAD").write_text(f"{self.head}\n", encoding="utf-8")
            looked = replace(git, work_tree=self.top, settings=self._file_settings())
            output = looked.run(
                "status", "--porcelain=v1", "-z", "--untracked-files=no", "--ignore-submodules=all", "--no-renames"
            )
        return tuple(line[3:].decode(errors="replace") for line in output.split(b"\0") if line)

    @contextmanager
    def tree(self, under: Path) -> Iterator[GitJobTree]:
        """A working copy of HEAD below `under`, which must lie outside the checkout."""
        sweep(under)
        with job_tree(self.common / "objects", self.head, under, object_format=self.object_format) as tree:
            yield tree

    def publish(
        self,
        tree: GitJobTree,
        *,
        changes: Sequence[Change],
        message: str,
        identity: BotIdentity,
        tree_id: str,
        slug: str,
    ) -> str:
        """Leave the changes as the next free branch `bendcoder/SLUG-N`, made from git objects alone; its name."""
        sha = publish.build(
            tree.git,
            base_sha=self.head,
            changes=changes,
            message=message,
            identity=identity,
            tree=tree_id,
            room=tree.room,
        )
        pack = tree.git.run("pack-objects", "--revs", "--stdout", "--quiet", stdin=f"{sha}\n^{self.head}\n".encode())
        self.git.run("unpack-objects", "-q", stdin=pack)
        number = 1
        while True:
            branch = publish.checked_branch(f"{publish.OURS}{slug}-{number}")
            try:
                # An all-zero old value: the branch must not exist, so that two runs at once get two branches.
                self.git.run("update-ref", f"refs/heads/{branch}", sha, "0" * len(sha))
            except GitError as problem:
                if "already exists" not in problem.args[1]:
                    raise
                number += 1
            else:
                return branch

    def _file_settings(self) -> tuple[str, ...]:
        """The few settings of the person's repository that say how files are written."""
        found = []
        for name in FILE_SETTINGS:
            try:
                value = self.git.line("config", "--file", str(self.common / "config"), "--no-includes", "--get", name)
            except GitError:
                continue  # not set
            found.append(f"{name}={value}")
        return tuple(found)


def slug_of(title: str) -> str:
    """A branch-name part from an issue's title: at most 40 characters of a-z, 0-9 and dashes."""
    words = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
    whole = words if len(words) <= SLUG_LENGTH else words[: SLUG_LENGTH + 1].rpartition("-")[0] or words[:SLUG_LENGTH]
    return whole.strip("-") or "issue"


def _git_dir(folder: Path) -> Path:
    """The git folder of a checkout's top, without asking git (which would look further up by itself)."""
    marker = folder / ".git"
    if marker.is_dir():
        return marker
    if marker.is_file():
        target = marker.read_text(encoding="utf-8", errors="replace").strip().removeprefix("gitdir:").strip()
        found = (folder / target).resolve()
        if found.is_dir():
            return found
    for parent in folder.parents:
        if (parent / ".git").exists():
            raise GitError(f"{folder} lies inside the checkout {parent}; name that folder instead.", "")
    raise GitError(f"{folder} is not a git checkout; run git init and commit, or name another folder.", "")
