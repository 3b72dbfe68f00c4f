"""What the pipeline needs of the world, as Protocols; `wiring` builds the real ones. No IO here."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from agent.domain.edit import Change
from agent.domain.environment import Environment
from agent.ports import Checkouts, Workspace
from worker.contract.job import RepoRef
from worker.domain import BotIdentity, Comment, Issue, LabelEvent, PullRequest, Repository, Role


class Forge(Protocol):
    """GitHub for one installation and one repository; tokens are minted per network step and narrowed."""

    def repository(self) -> Repository: ...
    def issue(self, number: int) -> Issue: ...
    def comment(self, comment_id: int) -> Comment: ...
    def comments(self, number: int) -> tuple[Comment, ...]: ...
    def label_events(self, number: int) -> tuple[LabelEvent, ...]: ...
    def role(self, login: str) -> Role: ...
    def react(self, number: int, comment_id: int | None, content: str) -> None: ...
    def post_comment(self, number: int, body: str) -> int: ...
    def edit_comment(self, comment_id: int, body: str) -> bool:
        """False when the comment is gone."""
        ...

    def delete_comment(self, comment_id: int) -> None: ...
    def pulls(self, head: str) -> tuple[PullRequest, ...]:
        """Open and closed pull requests whose head is this branch of this repository."""
        ...

    def open_draft(self, *, title: str, body: str, head: str, base: str) -> PullRequest: ...
    def edit_pull(self, number: int, *, title: str, body: str) -> PullRequest: ...
    def close_pull(self, number: int) -> None: ...
    def file(self, path: str, ref: str, limit: int) -> bytes | None:
        """A file at a ref through the contents API; None when absent; ConfigError when larger than `limit`."""
        ...

    def check_run(self, *, head_sha: str, conclusion: str, title: str, summary: str, job_id: str) -> None: ...
    def git_token(self, write: bool) -> str:
        """An installation token narrowed to this repository and contents:read or contents:write."""
        ...

    def revoke(self, token: str) -> None: ...
    def identity(self) -> BotIdentity: ...


class Forges(Protocol):
    """Makes a Forge for one installation and repository; a context manager around its HTTP client."""

    def open(self, installation_id: int, repo: RepoRef) -> AbstractContextManager[Forge]: ...


class JobTree(Protocol):
    """One job's working copy at a base commit."""

    base_sha: str
    workspace: Workspace
    checkouts: Checkouts


class Repositories(Protocol):
    """Git: cached mirrors, worktrees, pushes. `url` and `token` are used for that one call and kept nowhere."""

    def fetch(self, repo: RepoRef, url: str, token: str) -> Mapping[str, str]:
        """Bring the mirror up to date (clone when new); branch name -> sha of the remote."""
        ...

    def tree(self, repo: RepoRef, sha: str) -> AbstractContextManager[JobTree]:
        """A disposable worktree of that commit."""
        ...

    def commit(
        self, repo: RepoRef, *, base_sha: str, changes: Sequence[Change], message: str, identity: BotIdentity, tree: str
    ) -> str:
        """Build the commit from the recorded changes alone; GitError unless its tree id is `tree`. Returns its sha."""
        ...

    def push(self, repo: RepoRef, *, sha: str, branch: str, url: str, token: str, expect: str | None) -> None:
        """Push one commit to refs/heads/`branch`; `expect` None: it must not exist, else its present sha."""
        ...


class Environments(Protocol):
    """Prepares where a repository's suite runs."""

    def prepare(self, checkouts: Checkouts, setup: tuple[str, ...] | None, verify: tuple[str, ...]) -> Environment:
        """Run set-up when there is one; EnvironmentSetupError with its output when it fails."""
        ...


class JobStore(Protocol):
    """What the pipeline may do with its own record; every write compares the owner and raises LeaseLost."""

    def update(self, **fields: object) -> None: ...
    def check_owner(self) -> None:
        """LeaseLost unless this runner still holds the job; called before every outside effect."""
        ...

    def cancelled(self) -> bool: ...
