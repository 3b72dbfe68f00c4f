"""What happens in reviews of pull requests: records and webhooks. Call with the store's lock held."""

from deploy.devhub.hub import Hub
from deploy.devhub.payloads import emit
from deploy.devhub.state import Actor, Issue, Pull, Repository, Review, ReviewComment
from deploy.devhub.views import people, pulls


def submit_review(hub: Hub, repo: Repository, issue: Issue, pull: Pull, actor: Actor, state: str, body: str) -> Review:
    """Submit a review: state APPROVED, CHANGES_REQUESTED or COMMENTED."""
    made = Review(
        id=hub.store.new_id(),
        author=actor,
        body=body,
        state=state,
        commit_sha=pull.head_sha,
        submitted=hub.store.now(),
    )
    pull.reviews.append(made)
    document = pulls.review(hub, repo, issue.number, made)
    document |= {"state": state.lower(), "updated_at": people.stamp(made.submitted)}
    extra = {"review": document, "pull_request": pulls.simple(hub, repo, issue, pull)}
    emit(hub, "pull_request_review", "submitted", repo, actor, dict(extra))
    return made


def add_review_comment(
    hub: Hub,
    repo: Repository,
    issue: Issue,
    pull: Pull,
    actor: Actor,
    body: str,
    place: tuple[str, int],
    reply_to: int | None = None,
) -> ReviewComment:
    """Comment on a line (path, number) of the diff."""
    now = hub.store.now()
    made = ReviewComment(
        id=hub.store.new_id(),
        number=issue.number,
        author=actor,
        body=body,
        path=place[0],
        line=place[1],
        commit_sha=pull.head_sha,
        created=now,
        updated=now,
        reply_to=reply_to,
        review_id=hub.store.new_id(),
    )
    repo.review_comments[made.id] = made
    comment = pulls.review_comment(hub, repo, made)
    extra = {"comment": comment, "pull_request": pulls.simple(hub, repo, issue, pull)}
    emit(hub, "pull_request_review_comment", "created", repo, actor, dict(extra))
    return made
