"""Issues, comments, labels, reactions and events as JSON; changes nothing."""

from collections import Counter
from collections.abc import Sequence

from deploy.devhub.hub import Hub
from deploy.devhub.problems import Json
from deploy.devhub.state import Comment, Event, Issue, Label, Reaction, Repository
from deploy.devhub.views import people, repositories

CONTENTS = ("+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes")
"""The reactions there are."""


def label(hub: Hub, repo: Repository, found: Label) -> Json:
    """One label."""
    return repositories.label(
        hub, repo, found.name, label_id=found.id, color=found.color, description=found.description
    )


def reaction(hub: Hub, found: Reaction) -> Json:
    """One reaction."""
    return {
        "id": found.id,
        "node_id": people.node("Reaction", found.id),
        "user": people.user(hub.urls, found.user),
        "content": found.content,
        "created_at": people.stamp(found.created),
    }


def rollup(url: str, found: Sequence[Reaction]) -> Json:
    """Counts per reaction."""
    counted = Counter(one.content for one in found)
    counts: Json = {content: counted[content] for content in CONTENTS}
    return {"url": f"{url}/reactions", "total_count": len(found)} | counts


def count_comments(repo: Repository, number: int) -> int:
    """How many comments an issue has."""
    return sum(comment.number == number for comment in repo.comments.values())


def issue(hub: Hub, repo: Repository, found: Issue) -> Json:
    """An issue, or a pull request seen as one."""
    urls = hub.urls
    api = f"{urls.repo(repo)}/issues/{found.number}"
    kind = "issues" if found.pull is None else "pull"
    document: Json = {
        "url": api,
        "repository_url": urls.repo(repo),
        "labels_url": f"{api}/labels{{/name}}",
        "comments_url": f"{api}/comments",
        "events_url": f"{api}/events",
        "timeline_url": f"{api}/timeline",
        "html_url": f"{urls.page(repo)}/{kind}/{found.number}",
        "id": found.id,
        "node_id": people.node("Issue", found.id),
        "number": found.number,
        "title": found.title,
        "user": people.user(urls, found.author.user),
        "labels": [label(hub, repo, one) for one in found.labels],
        "state": found.state,
        "state_reason": found.reason,
        "locked": found.locked,
        "active_lock_reason": None,
        "assignee": None,
        "assignees": [],
        "milestone": None,
        "comments": count_comments(repo, found.number),
        "created_at": people.stamp(found.created),
        "updated_at": people.stamp(found.updated),
        "closed_at": people.maybe_stamp(found.closed),
        "author_association": people.association(repo, found.author.user),
        "body": found.body,
        "reactions": rollup(api, found.reactions),
        "performed_via_github_app": people.through_app(urls, found.author),
    }
    return document | _pull_part(hub, repo, found)


def _pull_part(hub: Hub, repo: Repository, found: Issue) -> Json:
    if found.pull is None:
        return {}
    page = f"{hub.urls.page(repo)}/pull/{found.number}"
    links: Json = {
        "url": f"{hub.urls.repo(repo)}/pulls/{found.number}",
        "html_url": page,
        "diff_url": f"{page}.diff",
        "patch_url": f"{page}.patch",
        "merged_at": people.maybe_stamp(found.pull.merged),
    }
    return {"draft": found.pull.draft, "pull_request": links}


def single_issue(hub: Hub, repo: Repository, found: Issue) -> Json:
    """An issue as its own endpoint gives it: with who closed it."""
    closer = None if found.closed_by is None else people.user(hub.urls, found.closed_by)
    return issue(hub, repo, found) | {"closed_by": closer}


def comment(hub: Hub, repo: Repository, found: Comment) -> Json:
    """A comment on an issue or pull request."""
    urls = hub.urls
    api = f"{urls.repo(repo)}/issues/comments/{found.id}"
    kind = "issues" if repo.issues[found.number].pull is None else "pull"
    return {
        "url": api,
        "html_url": f"{urls.page(repo)}/{kind}/{found.number}#issuecomment-{found.id}",
        "issue_url": f"{urls.repo(repo)}/issues/{found.number}",
        "id": found.id,
        "node_id": people.node("IssueComment", found.id),
        "user": people.user(urls, found.author.user),
        "created_at": people.stamp(found.created),
        "updated_at": people.stamp(found.updated),
        "author_association": people.association(repo, found.author.user),
        "body": found.body,
        "reactions": rollup(api, found.reactions),
        "performed_via_github_app": people.through_app(urls, found.author),
    }


def event(hub: Hub, repo: Repository, found: Event) -> Json:
    """One entry of the event list (and of the timeline)."""
    document: Json = {
        "id": found.id,
        "node_id": people.node("Event", found.id),
        "url": f"{hub.urls.repo(repo)}/issues/events/{found.id}",
        "actor": people.user(hub.urls, found.actor.user),
        "event": found.kind,
        "commit_id": None,
        "commit_url": None,
        "created_at": people.stamp(found.created),
        "performed_via_github_app": people.through_app(hub.urls, found.actor),
    }
    if found.label is not None:
        document["label"] = {"name": found.label.name, "color": found.label.color}
    if found.rename is not None:
        document["rename"] = {"from": found.rename[0], "to": found.rename[1]}
    return document


def commented(hub: Hub, repo: Repository, found: Comment) -> Json:
    """A comment as the timeline shows it."""
    return comment(hub, repo, found) | {"event": "commented", "actor": people.user(hub.urls, found.author.user)}
