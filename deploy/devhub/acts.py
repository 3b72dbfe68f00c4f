"""What happens on issues and comments: changes the records and emits the webhooks GitHub would send.

Used alike by the REST API, the control API and pushes; checks no permission. Call with the store's lock held.
"""

from deploy.devhub.hub import Hub
from deploy.devhub.payloads import emit
from deploy.devhub.problems import Json
from deploy.devhub.state import Actor, Comment, Event, Issue, Label, Reaction, Repository
from deploy.devhub.views import issues, pulls


def subject(hub: Hub, repo: Repository, issue: Issue) -> tuple[str, Json]:
    """The event family of an issue or pull request, and the document its payloads carry."""
    if issue.pull is None:
        return "issues", {"issue": issues.issue(hub, repo, issue)}
    document = pulls.full(hub, repo, issue, issue.pull)
    return "pull_request", {"number": issue.number, "pull_request": document}


def announce(hub: Hub, repo: Repository, issue: Issue, actor: Actor, action: str, extra: Json | None = None) -> None:
    """Emit `issues` or `pull_request` with this action."""
    event, document = subject(hub, repo, issue)
    emit(hub, event, action, repo, actor, document | (extra or {}))


def note(
    hub: Hub,
    issue: Issue,
    actor: Actor,
    kind: str,
    *,
    label: Label | None = None,
    rename: tuple[str, str] | None = None,
) -> None:
    """Append to the issue's event list."""
    now = hub.store.now()
    event = Event(id=hub.store.new_id(), kind=kind, actor=actor, created=now, label=label, rename=rename)
    issue.events.append(event)
    issue.updated = now


def ensure_label(hub: Hub, repo: Repository, name: str, color: str = "ededed") -> Label:
    """The repository's label of that name (case-insensitively), made when there is none."""
    found = repo.labels.get(name.lower())
    if found is None:
        found = Label(id=hub.store.new_id(), name=name, color=color)
        repo.labels[name.lower()] = found
    return found


def new_issue(hub: Hub, repo: Repository, actor: Actor, title: str, body: str | None) -> Issue:
    """Put an issue under the next number, silently."""
    now = hub.store.now()
    issue = Issue(
        id=hub.store.new_id(),
        number=repo.next_number,
        title=title,
        body=body,
        author=actor,
        created=now,
        updated=now,
    )
    repo.next_number += 1
    repo.issues[issue.number] = issue
    return issue


def open_issue(
    hub: Hub, repo: Repository, actor: Actor, title: str, body: str | None, labels: tuple[str, ...] = ()
) -> Issue:
    """Open an issue: `opened`, then one `labeled` per label set at creation."""
    issue = new_issue(hub, repo, actor, title, body)
    found = [ensure_label(hub, repo, name) for name in labels]
    issue.labels.extend(found)
    announce(hub, repo, issue, actor, "opened")
    for label in found:
        note(hub, issue, actor, "labeled", label=label)
        announce(hub, repo, issue, actor, "labeled", {"label": issues.label(hub, repo, label)})
    return issue


def add_labels(hub: Hub, repo: Repository, issue: Issue, actor: Actor, names: list[str]) -> None:
    """Set labels; only those not yet there make an event."""
    for name in names:
        label = ensure_label(hub, repo, name)
        if label in issue.labels:
            continue
        issue.labels.append(label)
        note(hub, issue, actor, "labeled", label=label)
        announce(hub, repo, issue, actor, "labeled", {"label": issues.label(hub, repo, label)})


def remove_label(hub: Hub, repo: Repository, issue: Issue, actor: Actor, name: str) -> bool:
    """Take a label off; False when it is not on the issue."""
    label = next((one for one in issue.labels if one.name.lower() == name.lower()), None)
    if label is None:
        return False
    issue.labels.remove(label)
    note(hub, issue, actor, "unlabeled", label=label)
    announce(hub, repo, issue, actor, "unlabeled", {"label": issues.label(hub, repo, label)})
    return True


def edit(hub: Hub, repo: Repository, issue: Issue, actor: Actor, *, title: str | None, body: str | None) -> None:
    """Change title or body (None: leave)."""
    changes: Json = {}
    if title is not None and title != issue.title:
        changes["title"] = {"from": issue.title}
        note(hub, issue, actor, "renamed", rename=(issue.title, title))
        issue.title = title
    if body is not None and body != issue.body:
        changes["body"] = {"from": issue.body or ""}
        issue.body = body
    if changes:
        issue.updated = hub.store.now()
        announce(hub, repo, issue, actor, "edited", {"changes": changes})


def set_state(hub: Hub, repo: Repository, issue: Issue, actor: Actor, state: str, reason: str | None = None) -> None:
    """Close or reopen."""
    if state == issue.state:
        return
    issue.state = state
    closing = state == "closed"
    issue.closed = hub.store.now() if closing else None
    issue.closed_by = actor.user if closing else None
    issue.reason = (reason or "completed") if closing and issue.pull is None else None
    note(hub, issue, actor, "closed" if closing else "reopened")
    announce(hub, repo, issue, actor, "closed" if closing else "reopened")


def _comment_event(hub: Hub, repo: Repository, comment: Comment, actor: Actor, action: str, extra: Json) -> None:
    issue = repo.issues[comment.number]
    documents: Json = {
        "issue": issues.issue(hub, repo, issue),
        "comment": issues.comment(hub, repo, comment),
    }
    emit(hub, "issue_comment", action, repo, actor, documents | extra)


def add_comment(hub: Hub, repo: Repository, issue: Issue, actor: Actor, body: str) -> Comment:
    """Comment on an issue or pull request."""
    now = hub.store.now()
    comment = Comment(id=hub.store.new_id(), number=issue.number, author=actor, body=body, created=now, updated=now)
    repo.comments[comment.id] = comment
    issue.updated = now
    _comment_event(hub, repo, comment, actor, "created", {})
    return comment


def edit_comment(hub: Hub, repo: Repository, comment: Comment, actor: Actor, body: str) -> None:
    """Replace a comment's text."""
    before, comment.body, comment.updated = comment.body, body, hub.store.now()
    _comment_event(hub, repo, comment, actor, "edited", {"changes": {"body": {"from": before}}})


def delete_comment(hub: Hub, repo: Repository, comment: Comment, actor: Actor) -> None:
    """Remove a comment."""
    _comment_event(hub, repo, comment, actor, "deleted", {})
    del repo.comments[comment.id]


def react(hub: Hub, reactions: list[Reaction], actor: Actor, content: str) -> tuple[Reaction, bool]:
    """The account's reaction of that content, and whether it is new; reactions send no webhook."""
    for found in reactions:
        if found.user.id == actor.user.id and found.content == content:
            return found, False
    made = Reaction(id=hub.store.new_id(), user=actor.user, content=content, created=hub.store.now())
    reactions.append(made)
    return made, True
