"""The Forge port on githubkit: reads what the pipeline asks, writes what it says, finds what is there already.

Every text passes the redactor on its way out; every creation is preceded, after an unclear failure, by a look.
"""

import base64
import binascii
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, cast

from githubkit import GitHub
from githubkit.auth import BaseAuthStrategy

from worker.contract.job import RepoRef
from worker.domain import BotIdentity, Comment, Issue, LabelEvent, PullRequest, Repository, Role
from worker.errors import ConfigError, ForgeGone, ForgeInvalid
from worker.forge import payloads
from worker.forge.calls import Calls

if TYPE_CHECKING:
    from githubkit.response import Response

PAGE = 100
MOST_PAGES = 20  # 2,000 events or comments: an issue with more is no issue any more
CHECK_NAME = "bendcoder"
NO_DRAFTS = "draft pull requests are not supported"
EXISTS = "a pull request already exists"


class GithubForge:
    """GitHub for one installation and one repository."""

    def __init__(
        self,
        github: GitHub[BaseAuthStrategy],
        calls: Calls,
        repo: RepoRef,
        *,
        redact: Callable[[str], str],
        mint: Callable[[bool], str],
        drop: Callable[[str], None],
        host: str,
    ) -> None:
        self._github = github
        self._calls = calls
        self._named = (repo.owner, repo.name)
        self._redact = redact
        self._mint = mint
        self._drop = drop
        self._host = host
        self._identity: BotIdentity | None = None
        self._repository: Repository | None = None

    def repository(self) -> Repository:
        """The repository as it is now, asked once; ForgeGone when the App cannot see it."""
        if self._repository is None:
            answer = self._read(lambda: self._github.rest.repos.get(*self._named))
            self._repository = payloads.RepoPayload.model_validate(answer).value()
        return self._repository

    @property
    def _at(self) -> tuple[str, str]:
        """Owner and name as they are now: a read follows a rename by itself, a redirected write would become a read."""
        now = self.repository()
        return now.owner, now.name

    def issue(self, number: int) -> Issue:
        """The issue as it is now."""
        answer = self._read(lambda: self._github.rest.issues.get(*self._at, number))
        return payloads.IssuePayload.model_validate(answer).value()

    def comment(self, comment_id: int) -> Comment:
        """One comment as it is now."""
        answer = self._read(lambda: self._github.rest.issues.get_comment(*self._at, comment_id))
        return payloads.CommentPayload.model_validate(answer).value()

    def comments(self, number: int) -> tuple[Comment, ...]:
        """All comments, oldest first, up to 2,000."""
        rows = self._pages(
            lambda page: self._github.rest.issues.list_comments(*self._at, number, per_page=PAGE, page=page)
        )
        return tuple(payloads.CommentPayload.model_validate(row).value() for row in rows)

    def label_events(self, number: int) -> tuple[LabelEvent, ...]:
        """All labellings, oldest first, among up to 2,000 events."""
        rows = self._pages(
            lambda page: self._github.rest.issues.list_events(*self._at, number, per_page=PAGE, page=page)
        )
        events = (payloads.EventPayload.model_validate(row).label_event() for row in rows)
        return tuple(event for event in events if event is not None)

    def role(self, login: str) -> Role:
        """The person's role; whoever GitHub does not know as a user here has none."""
        try:
            answer = self._read(lambda: self._github.rest.repos.get_collaborator_permission_level(*self._at, login))
        except ForgeGone:
            return Role.NONE
        return payloads.PermissionPayload.model_validate(answer).role()

    def react(self, number: int, comment_id: int | None, content: str) -> None:
        """Add a reaction to the comment, or to the issue itself; GitHub keeps one of each kind."""
        data: Any = {"content": content}
        rest = self._github.rest.reactions
        if comment_id is None:
            self._calls.repeat(lambda: rest.create_for_issue(*self._at, number, data=data))
        else:
            self._calls.repeat(lambda: rest.create_for_issue_comment(*self._at, comment_id, data=data))

    def post_comment(self, number: int, body: str) -> int:
        """Post, once; the body's first line is the marker by which a lost answer is found again."""
        text = self._redact(body)
        marker = text.split("\n", 1)[0]

        def create() -> int:
            answer = self._github.rest.issues.create_comment(*self._at, number, body=text)
            return payloads.CommentPayload.model_validate(answer.json()).id

        def look() -> int | None:
            own = self.identity().name
            mine = [one for one in self.comments(number) if one.author.login == own and one.body.startswith(marker)]
            return mine[-1].id if mine else None

        return self._calls.once(create, look)

    def edit_comment(self, comment_id: int, body: str) -> bool:
        """Replace a comment's text; False when the comment is gone."""
        text = self._redact(body)
        try:
            self._calls.repeat(lambda: self._github.rest.issues.update_comment(*self._at, comment_id, body=text))
        except ForgeGone:
            return False
        return True

    def delete_comment(self, comment_id: int) -> None:
        """Remove a comment of ours; gone already is fine."""
        try:
            self._calls.repeat(lambda: self._github.rest.issues.delete_comment(*self._at, comment_id))
        except ForgeGone:
            return

    def pulls(self, head: str) -> tuple[PullRequest, ...]:
        """Open and closed pull requests from this branch of this repository."""
        wanted = f"{self._at[0]}:{head}"
        answer = self._read(lambda: self._github.rest.pulls.list(*self._at, state="all", head=wanted, per_page=PAGE))
        found = (payloads.PullPayload.model_validate(row).value() for row in cast("list[object]", answer))
        return tuple(pull for pull in found if pull.head == head)

    def open_draft(self, *, title: str, body: str, head: str, base: str) -> PullRequest:
        """Open a draft, or find the open one of that head; where drafts do not exist it is open, `draft` False."""
        data: dict[str, Any] = {"title": self._redact(title), "body": self._redact(body), "head": head, "base": base}

        def create(draft: bool) -> PullRequest:
            answer = self._github.rest.pulls.create(*self._at, data=cast("Any", {**data, "draft": draft}))
            return payloads.PullPayload.model_validate(answer.json()).value()

        def look() -> PullRequest | None:
            return next((pull for pull in self.pulls(head) if pull.state == "open"), None)

        try:
            return self._calls.once(lambda: create(True), look)
        except ForgeInvalid as refused:
            text = str(refused.args[-1]).lower()
            if NO_DRAFTS in text:
                return self._calls.once(lambda: create(False), look)
            found = look() if EXISTS in text else None
            if found is None:
                raise
            return found

    def edit_pull(self, number: int, *, title: str, body: str) -> PullRequest:
        """Replace title and body."""
        data: Any = {"title": self._redact(title), "body": self._redact(body)}
        answer = self._calls.repeat(lambda: self._github.rest.pulls.update(*self._at, number, data=data))
        return payloads.PullPayload.model_validate(answer.json()).value()

    def close_pull(self, number: int) -> None:
        """Close without merging."""
        self._calls.repeat(lambda: self._github.rest.pulls.update(*self._at, number, state="closed"))

    def file(self, path: str, ref: str, limit: int) -> bytes | None:
        """A file at a ref; None when there is none, ConfigError when it is no plain file of at most `limit` bytes."""
        try:
            answer = self._read(lambda: self._github.rest.repos.get_content(*self._at, path, ref=ref))
        except ForgeGone:
            return None
        content = payloads.ContentPayload.model_validate({"type": "dir"} if isinstance(answer, list) else answer)
        if content.type != "file" or content.size > limit or content.encoding != "base64":
            raise ConfigError(f"`{path}` must be a plain file of at most {limit // 1024} KB. Nothing ran.")
        try:
            return base64.b64decode(content.content)
        except binascii.Error as error:
            raise ConfigError(f"GitHub's copy of `{path}` could not be decoded. Nothing ran.") from error

    def check_run(self, *, head_sha: str, conclusion: str, title: str, summary: str, job_id: str) -> None:
        """One completed check on a commit; a repeat finds it by the job's id and adds none."""
        output = {"title": self._redact(title), "summary": self._redact(summary)}
        data: Any = {
            "name": CHECK_NAME,
            "head_sha": head_sha,
            "external_id": job_id,
            "status": "completed",
            "conclusion": conclusion,
            "output": output,
        }

        def create() -> bool:
            self._github.rest.checks.create(*self._at, data=data)
            return True

        self._calls.once(create, lambda: self._has_check(head_sha, job_id) or None)

    def has_check(self, head_sha: str, job_id: str) -> bool:
        """Whether this job's check is on that commit."""
        return self._has_check(head_sha, job_id)

    def git_token(self, write: bool) -> str:
        """A token for one git step, narrowed to this repository's contents."""
        return self._mint(write)

    def revoke(self, token: str) -> None:
        """Make a token useless; one that is dead already is fine."""
        self._drop(token)

    def identity(self) -> BotIdentity:
        """The App's bot user: its id is the user's, not the App's, or commits would be nobody's."""
        if self._identity is None:
            app = payloads.AppPayload.model_validate(self._read(lambda: self._github.rest.apps.get_authenticated()))
            name = f"{app.slug}[bot]"
            user = payloads.User.model_validate(self._read(lambda: self._github.rest.users.get_by_username(name)))
            self._identity = BotIdentity(name=name, email=f"{user.id}+{name}@users.noreply.{self._host}")
        return self._identity

    def _has_check(self, head_sha: str, job_id: str) -> bool:
        answer = self._read(
            lambda: self._github.rest.checks.list_for_ref(*self._at, head_sha, check_name=CHECK_NAME, per_page=PAGE)
        )
        runs = payloads.ChecksPayload.model_validate(answer).check_runs
        return any(run.external_id == job_id for run in runs)

    def _read(self, call: "Callable[[], Response[Any, Any]]") -> object:
        return cast("object", self._calls.repeat(call).json())

    def _pages(self, call: "Callable[[int], Response[Any, Any]]") -> Iterator[object]:
        for page in range(1, MOST_PAGES + 1):
            rows = cast("list[object]", self._read(lambda: call(page)))  # noqa: B023 - called before the next page
            yield from rows
            if len(rows) < PAGE:
                return
