"""The payload fields the bot uses, as small models that ignore the rest: payloads grow keys every month; no IO."""

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class User(_Part):
    """Somebody, or something, with an account."""

    login: str
    id: int
    type: str = "User"


class Repository(_Part):
    """Where it happened."""

    id: int = Field(ge=0)
    name: str
    owner: User
    default_branch: str = "main"
    archived: bool = False
    disabled: bool = False


class Issue(_Part):
    """The issue as it was at the event."""

    number: int = Field(ge=1)
    title: str
    body: str | None = None
    state: str = "open"
    locked: bool = False
    updated_at: AwareDatetime
    pull_request: dict[str, object] | None = None


class Label(_Part):
    """The one label the event is about."""

    name: str


class App(_Part):
    """An app through which a comment was written."""

    id: int


class Comment(_Part):
    """A comment as it was at the event."""

    id: int
    body: str | None = None
    created_at: AwareDatetime
    performed_via_github_app: App | None = None


class Installation(_Part):
    """The installation of our App that the delivery is for."""

    id: int


class Event(_Part):
    """An `issues` or `issue_comment` payload."""

    action: str = ""
    repository: Repository
    issue: Issue
    sender: User
    installation: Installation | None = None
    label: Label | None = None
    comment: Comment | None = None


class Envelope(_Part):
    """What every payload may have."""

    action: str = Field(default="", max_length=100)
