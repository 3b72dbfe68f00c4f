"""The fields of GitHub's answers we read, as tolerant models: keys come and go between versions; no IO."""

from pydantic import BaseModel, ConfigDict

from worker.domain import Actor, Comment, Issue, LabelEvent, PullRequest, Repository, Role

GHOST = Actor(login="ghost", id=0, type="User")


class _Tolerant(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class User(_Tolerant):
    """Somebody; a deleted account comes as null and becomes the ghost."""

    login: str
    id: int
    type: str = "User"

    @staticmethod
    def actor(user: "User | None") -> Actor:
        """The domain's value."""
        return Actor(login=user.login, id=user.id, type=user.type) if user else GHOST


class Named(_Tolerant):
    """A label."""

    name: str = ""


class AppRef(_Tolerant):
    """The App something was done through."""

    id: int


class RepoPayload(_Tolerant):
    """GET /repos/{owner}/{repo}."""

    id: int
    name: str
    owner: User
    default_branch: str
    private: bool = False
    archived: bool = False

    def value(self) -> Repository:
        """The domain's value."""
        return Repository(
            id=self.id,
            owner=self.owner.login,
            name=self.name,
            default_branch=self.default_branch,
            private=self.private,
            archived=self.archived,
        )


class IssuePayload(_Tolerant):
    """GET /repos/{owner}/{repo}/issues/{number}."""

    number: int
    title: str
    body: str | None = None
    state: str
    user: User | None = None
    locked: bool = False
    labels: list[Named | str] = []

    def value(self) -> Issue:
        """The domain's value."""
        return Issue(
            number=self.number,
            title=self.title,
            body=self.body or "",
            state=self.state,
            author=User.actor(self.user),
            locked=self.locked,
            labels=tuple(label if isinstance(label, str) else label.name for label in self.labels),
        )


class CommentPayload(_Tolerant):
    """One issue comment."""

    id: int
    body: str | None = None
    user: User | None = None
    created_at: str
    updated_at: str
    performed_via_github_app: AppRef | None = None

    def value(self) -> Comment:
        """The domain's value."""
        app = self.performed_via_github_app
        return Comment(
            id=self.id,
            body=self.body or "",
            author=User.actor(self.user),
            created_at=self.created_at,
            updated_at=self.updated_at,
            app_id=app.id if app else None,
        )


class EventPayload(_Tolerant):
    """One entry of an issue's event list, of any kind."""

    event: str = ""
    actor: User | None = None
    created_at: str = ""
    label: Named | None = None

    def label_event(self) -> LabelEvent | None:
        """The domain's value for a labelling, None for any other kind."""
        if self.event != "labeled" or self.label is None:
            return None
        return LabelEvent(label=self.label.name, actor=User.actor(self.actor), created_at=self.created_at)


class PermissionPayload(_Tolerant):
    """A person's permission; `role_name` is finer, and may name a role an organisation made up."""

    permission: str = "none"
    role_name: str | None = None

    def role(self) -> Role:
        """The named role where we know it, else what its permission amounts to."""
        for word in (self.role_name, self.permission):
            if word in {role.value for role in Role}:
                return Role(word)
        return Role.NONE


class Ref(_Tolerant):
    """One side of a pull request."""

    ref: str


class PullPayload(_Tolerant):
    """One pull request."""

    number: int
    html_url: str
    head: Ref
    base: Ref
    draft: bool = False
    state: str
    body: str | None = None

    def value(self) -> PullRequest:
        """The domain's value."""
        return PullRequest(
            number=self.number,
            url=self.html_url,
            head=self.head.ref,
            base=self.base.ref,
            draft=self.draft,
            state=self.state,
            body=self.body or "",
        )


class TokenPayload(_Tolerant):
    """A minted installation token; its representation shows nothing of it."""

    token: str

    def __repr__(self) -> str:
        return "TokenPayload(token=***)"


class ContentPayload(_Tolerant):
    """A file through the contents API."""

    type: str
    size: int = 0
    content: str = ""
    encoding: str = ""


class CheckPayload(_Tolerant):
    """One check run."""

    external_id: str | None = None


class ChecksPayload(_Tolerant):
    """Check runs of a commit."""

    check_runs: list[CheckPayload] = []


class AppPayload(_Tolerant):
    """GET /app."""

    id: int
    slug: str
