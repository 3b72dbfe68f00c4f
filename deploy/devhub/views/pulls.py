"""Pull requests, their files and reviews as JSON; reads git, changes nothing."""

from deploy.devhub.git import FileChange
from deploy.devhub.hub import Hub, Span
from deploy.devhub.problems import Json
from deploy.devhub.state import Issue, Pull, Repository, Review, ReviewComment
from deploy.devhub.views import issues, people, repositories


def simple(hub: Hub, repo: Repository, found: Issue, pull: Pull) -> Json:
    """A pull request as lists give it."""
    urls = hub.urls
    document: Json = {
        "id": pull.id,
        "node_id": people.node("PullRequest", pull.id),
        "number": found.number,
        "state": found.state,
        "locked": found.locked,
        "title": found.title,
        "user": people.user(urls, found.author.user),
        "body": found.body,
        "labels": [issues.label(hub, repo, one) for one in found.labels],
        "milestone": None,
        "created_at": people.stamp(found.created),
        "updated_at": people.stamp(found.updated),
        "closed_at": people.maybe_stamp(found.closed),
        "merged_at": people.maybe_stamp(pull.merged),
        "merge_commit_sha": pull.merge_sha,
        "assignee": None,
        "assignees": [],
        "requested_reviewers": [people.user(urls, one) for one in pull.reviewers],
        "requested_teams": [],
        "head": _side(hub, repo, pull.head, pull.head_sha),
        "base": _side(hub, repo, pull.base, pull.base_sha),
        "author_association": people.association(repo, found.author.user),
        "auto_merge": None,
        "active_lock_reason": None,
        "draft": pull.draft,
    }
    return document | _links(hub, repo, found.number, pull.head_sha)


def _links(hub: Hub, repo: Repository, number: int, head_sha: str) -> Json:
    repo_api = hub.urls.repo(repo)
    api, page, as_issue = (
        f"{repo_api}/pulls/{number}",
        f"{hub.urls.page(repo)}/pull/{number}",
        f"{repo_api}/issues/{number}",
    )
    hrefs = {
        "self": api,
        "html": page,
        "issue": as_issue,
        "comments": f"{as_issue}/comments",
        "review_comments": f"{api}/comments",
        "review_comment": f"{repo_api}/pulls/comments{{/number}}",
        "commits": f"{api}/commits",
        "statuses": f"{repo_api}/statuses/{head_sha}",
    }
    urls: Json = {f"{name}_url": href for name, href in hrefs.items() if name not in {"self", "html"}}
    own: Json = {"url": api, "html_url": page, "diff_url": f"{page}.diff", "patch_url": f"{page}.patch"}
    return urls | own | {"_links": {name: {"href": href} for name, href in hrefs.items()}}


def _side(hub: Hub, repo: Repository, branch: str, sha: str) -> Json:
    return {
        "label": f"{repo.owner.login}:{branch}",
        "ref": branch,
        "sha": sha,
        "user": people.user(hub.urls, repo.owner),
        "repo": repositories.repository(hub, repo),
    }


def full(hub: Hub, repo: Repository, found: Issue, pull: Pull) -> Json:
    """A pull request as its own endpoint and webhooks give it."""
    changed = changes(hub, repo, pull)
    extra: Json = {
        "merged": pull.merged is not None,
        "mergeable": None if found.state == "closed" else True,
        "rebaseable": None,
        "mergeable_state": "draft" if pull.draft else "clean",
        "merged_by": None if pull.merged_by is None else people.user(hub.urls, pull.merged_by),
        "comments": issues.count_comments(repo, found.number),
        "review_comments": sum(one.number == found.number for one in repo.review_comments.values()),
        "maintainer_can_modify": False,
        "commits": _span(hub, repo, pull).commits,
        "additions": sum(one.additions for one in changed),
        "deletions": sum(one.deletions for one in changed),
        "changed_files": len(changed),
    }
    return simple(hub, repo, found, pull) | extra


def changes(hub: Hub, repo: Repository, pull: Pull) -> list[FileChange]:
    """What the pull request changes since it left its base."""
    return _span(hub, repo, pull).changes


def _span(hub: Hub, repo: Repository, pull: Pull) -> Span:
    key = (repo.id, pull.base_sha, pull.head_sha)
    if key not in hub.spans:
        git = hub.git(repo)
        start = git.merge_base(pull.base_sha, pull.head_sha) or pull.base_sha
        commits = len(git.log(f"{pull.base_sha}..{pull.head_sha}"))
        hub.spans[key] = Span(changes=git.changes(start, pull.head_sha), commits=commits)
    return hub.spans[key]


def file(hub: Hub, repo: Repository, sha: str, change: FileChange) -> Json:
    """One changed file (a diff entry)."""
    page, api = hub.urls.page(repo), hub.urls.repo(repo)
    document: Json = {
        "sha": change.blob,
        "filename": change.path,
        "status": change.status,
        "additions": change.additions,
        "deletions": change.deletions,
        "changes": change.additions + change.deletions,
        "blob_url": f"{page}/blob/{sha}/{change.path}",
        "raw_url": f"{page}/raw/{sha}/{change.path}",
        "contents_url": f"{api}/contents/{change.path}?ref={sha}",
    }
    return document | ({"patch": change.patch} if change.patch else {})


def review(hub: Hub, repo: Repository, number: int, found: Review) -> Json:
    """A submitted review."""
    urls = hub.urls
    page = f"{urls.page(repo)}/pull/{number}#pullrequestreview-{found.id}"
    api = f"{urls.repo(repo)}/pulls/{number}"
    return {
        "id": found.id,
        "node_id": people.node("PullRequestReview", found.id),
        "user": people.user(urls, found.author.user),
        "body": found.body,
        "state": found.state,
        "html_url": page,
        "pull_request_url": api,
        "_links": {"html": {"href": page}, "pull_request": {"href": api}},
        "submitted_at": people.stamp(found.submitted),
        "commit_id": found.commit_sha,
        "author_association": people.association(repo, found.author.user),
    }


def review_comment(hub: Hub, repo: Repository, found: ReviewComment) -> Json:
    """A comment on a line of the diff."""
    urls = hub.urls
    api = f"{urls.repo(repo)}/pulls/comments/{found.id}"
    pull = f"{urls.repo(repo)}/pulls/{found.number}"
    page = f"{urls.page(repo)}/pull/{found.number}#discussion_r{found.id}"
    document: Json = {
        "url": api,
        "pull_request_review_id": found.review_id,
        "id": found.id,
        "node_id": people.node("PullRequestReviewComment", found.id),
        "diff_hunk": "",
        "path": found.path,
        "line": found.line,
        "original_line": found.line,
        "side": "RIGHT",
        "start_line": None,
        "original_start_line": None,
        "start_side": None,
        "position": 1,
        "original_position": 1,
        "subject_type": "line",
        "commit_id": found.commit_sha,
        "original_commit_id": found.commit_sha,
        "user": people.user(urls, found.author.user),
        "body": found.body,
        "created_at": people.stamp(found.created),
        "updated_at": people.stamp(found.updated),
        "html_url": page,
        "pull_request_url": pull,
        "author_association": people.association(repo, found.author.user),
        "_links": {"self": {"href": api}, "html": {"href": page}, "pull_request": {"href": pull}},
        "reactions": issues.rollup(api, found.reactions),
    }
    return document | ({} if found.reply_to is None else {"in_reply_to_id": found.reply_to})
