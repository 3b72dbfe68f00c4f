"""Makes a commit from recorded changes alone and pushes it to a branch of ours.

It never adds what lies in a tree, never forces a branch it has not seen, and pushes nowhere but below `bendcoder/`.
"""

import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

from agent.domain.edit import Change
from worker.domain import BotIdentity
from worker.errors import GitError
from worker.git import scratch
from worker.git.command import Git, Remote
from worker.git.objects import commit_facts

OURS = "bendcoder/"
BRANCH = re.compile(r"bendcoder/[A-Za-z0-9][A-Za-z0-9._/-]{0,200}\Z")


def build(
    git: Git, *, base_sha: str, changes: Sequence[Change], message: str, identity: BotIdentity, tree: str, room: Path
) -> str:
    """Commit the changes on top of the base; GitError, and no commit, unless its tree is `tree`."""
    room.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="commit-", dir=room) as folder:
        indexed = scratch.read_index(git, base_sha, Path(folder) / "index")
        made = scratch.apply(indexed, changes)
    if made != tree:
        raise GitError(
            f"The changes make tree {made[:12]}, but the verdict was given on {tree[:12]}; nothing was committed.", ""
        )
    sha = git.line(
        *("commit-tree", tree, "-p", base_sha),
        stdin=message.replace("\0", "").encode("utf-8", "replace"),
        variables=_signature(identity),
    )
    facts = commit_facts(git.git_dir, sha)
    if facts.tree != tree or facts.parents != (base_sha,):
        raise GitError(f"The commit {sha[:12]} does not hold what it was made from; nothing is pushed.", "")
    return sha


def push(git: Git, *, sha: str, branch: str, remote: Remote, expect: str | None, seconds: float = 300.0) -> None:
    """Push one commit; `expect` None: the branch must not exist, else where it must be now. Saying it twice is fine."""
    name = checked_branch(branch)
    lease = f"--force-with-lease=refs/heads/{name}:{scratch.full_id(expect) if expect else ''}"
    git.run(
        *("push", "--porcelain", "--no-verify", "--no-follow-tags", "--no-signed", lease),
        *(remote.url, f"{scratch.full_id(sha)}:refs/heads/{name}"),
        remote=remote,
        seconds=seconds,
    )


def checked_branch(branch: str) -> str:
    """The name, GitError when it is not a branch of ours that git accepts."""
    parts = branch.split("/")
    bad = any(part.startswith(".") or part.endswith((".", ".lock")) or not part for part in parts)
    if not BRANCH.match(branch) or bad or ".." in branch:
        raise GitError(f"{branch[:80]!r} is not a branch name below {OURS}; nothing was pushed.", "")
    return branch


def _signature(identity: BotIdentity) -> dict[str, str]:
    return {
        "GIT_AUTHOR_NAME": identity.name,
        "GIT_AUTHOR_EMAIL": identity.email,
        "GIT_COMMITTER_NAME": identity.name,
        "GIT_COMMITTER_EMAIL": identity.email,
    }
