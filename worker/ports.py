"""What the pipeline needs of the world, as Protocols; `wiring` builds the real ones. No IO here."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from agent.domain.edit import Change
from agent.domain.environment import Environment
from agent.domain.result import RunResult
from agent.domain.task import Commands
from agent.ports import Checkouts, Workspace
from worker.contract.job import JobRecord, RepoRef
from worker.domain import BotIdentity, Comment, Errand, Issue, LabelEvent, PullRequest, Repository, Role
from worker.repo_config import RepoConfig


class Forge(Protocol):
    """GitHub for one installation and one repository; tokens are minted per network step and narrowed."""

    def repository(self) -> Repository:
        """The repository as it is now."""
        ...

    def issue(self, number: int) -> Issue:
        """The issue as it is now."""
        ...

    def comment(self, comment_id: int) -> Comment:
        """One comment as it is now; ForgeGone when it was deleted."""
        ...

    def comments(self, number: int) -> tuple[Comment, ...]:
        """All comments, oldest first."""
        ...

    def label_events(self, number: int) -> tuple[LabelEvent, ...]:
        """All labellings of an issue, oldest first."""
        ...

    def role(self, login: str) -> Role:
        """Role of a login; NONE for whoever GitHub does not know here."""
        ...

    def react(self, number: int, comment_id: int | None, content: str) -> None:
        """Add a reaction to a comment, or to the issue when `comment_id` is None; repeating it is fine."""
        ...

    def post_comment(self, number: int, body: str) -> int:
        """Post once and return the comment's id; the first line must be a marker."""
        ...

    def edit_comment(self, comment_id: int, body: str) -> bool:
        """False when the comment is gone."""
        ...

    def delete_comment(self, comment_id: int) -> None:
        """Remove a comment; gone already is fine."""
        ...

    def pulls(self, head: str) -> tuple[PullRequest, ...]:
        """Open and closed pull requests whose head is this branch of this repository."""
        ...

    def open_draft(self, *, title: str, body: str, head: str, base: str) -> PullRequest:
        """Open a draft, or return the open one of that head; `draft` False where drafts do not exist."""
        ...

    def edit_pull(self, number: int, *, title: str, body: str) -> PullRequest:
        """Replace title and body."""
        ...

    def close_pull(self, number: int) -> None:
        """Close without merging."""
        ...

    def file(self, path: str, ref: str, limit: int) -> bytes | None:
        """A file at a ref through the contents API; None when absent; ConfigError when larger than `limit`."""
        ...

    def check_run(self, *, head_sha: str, conclusion: str, title: str, summary: str, job_id: str) -> None:
        """One completed check of this job on a commit; repeating it adds none."""
        ...

    def git_token(self, write: bool) -> str:
        """An installation token narrowed to this repository and contents:read or contents:write."""
        ...

    def revoke(self, token: str) -> None:
        """Make a token useless; dead already is fine."""
        ...

    def identity(self) -> BotIdentity:
        """The App's bot user."""
        ...


class Forges(Protocol):
    """Makes a Forge for one installation and repository; a context manager around its HTTP client."""

    def open(self, installation_id: int, repo: RepoRef) -> AbstractContextManager[Forge]:
        """Nothing is called before the forge is asked something."""
        ...


class JobTree(Protocol):
    """One job's working copy at a base commit."""

    @property
    def base_sha(self) -> str:
        """The commit it starts from."""
        ...

    @property
    def workspace(self) -> Workspace:
        """The files of the run."""
        ...

    @property
    def checkouts(self) -> Checkouts:
        """Clean trees beside them."""
        ...

    @property
    def memory(self) -> Path | None:
        """Where what is learnt of blobs may be remembered; None: nowhere."""
        ...


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

    def prepare(
        self,
        checkouts: Checkouts,
        setup: tuple[tuple[str, ...], ...] | None,
        verify: tuple[str, ...],
        seconds: float | None = None,
    ) -> Environment:
        """Run set-up when there is one, at most `seconds` long; EnvironmentSetupError with its output when it fails."""
        ...


class JobStore(Protocol):
    """What the pipeline may do with its own record; every write compares the owner and raises LeaseLost."""

    def update(self, **fields: object) -> None:
        """Write fields; a `state` that is not open ends the job."""
        ...

    def check_owner(self) -> None:
        """LeaseLost unless this runner still holds the job; called before every outside effect."""
        ...

    def cancelled(self) -> bool:
        """Whether the job shall stop."""
        ...

    def reload(self) -> JobRecord:
        """The record as it is now, with triggers that joined since; works after the job's end as well."""
        ...

    def request_cancel(self) -> None:
        """Mark the job cancelled, after a `stop` was authorised."""
        ...

    def emit(self, kind: str, data: object) -> None:
        """Add an event (JSON data) to the job's stream."""
        ...


class Agents(Protocol):
    """Runs the agent for one job; `wiring` puts models, sandbox and trace together."""

    def commands(self, workspace: Workspace, config: RepoConfig) -> Commands:
        """The repository's commands, configured or detected; ConfigError naming the setting when there are none."""
        ...

    def run(
        self,
        errand: Errand,
        tree: JobTree,
        environment: Environment,
        *,
        cancelled: Callable[[], bool],
        say: Callable[[str], None],
    ) -> RunResult:
        """Run to an end; `say` hears in words what is being done. Raises only agent errors."""
        ...
