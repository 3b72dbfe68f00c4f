"""Repositories, branches and refs as JSON; changes nothing."""

from deploy.devhub.hub import Hub
from deploy.devhub.problems import Json
from deploy.devhub.state import Repository
from deploy.devhub.views import people

_LINKS = {
    "archive_url": "/{archive_format}{/ref}",
    "assignees_url": "/assignees{/user}",
    "blobs_url": "/git/blobs{/sha}",
    "branches_url": "/branches{/branch}",
    "collaborators_url": "/collaborators{/collaborator}",
    "comments_url": "/comments{/number}",
    "commits_url": "/commits{/sha}",
    "compare_url": "/compare/{base}...{head}",
    "contents_url": "/contents/{+path}",
    "contributors_url": "/contributors",
    "deployments_url": "/deployments",
    "downloads_url": "/downloads",
    "events_url": "/events",
    "forks_url": "/forks",
    "git_commits_url": "/git/commits{/sha}",
    "git_refs_url": "/git/refs{/sha}",
    "git_tags_url": "/git/tags{/sha}",
    "hooks_url": "/hooks",
    "issue_comment_url": "/issues/comments{/number}",
    "issue_events_url": "/issues/events{/number}",
    "issues_url": "/issues{/number}",
    "keys_url": "/keys{/key_id}",
    "labels_url": "/labels{/name}",
    "languages_url": "/languages",
    "merges_url": "/merges",
    "milestones_url": "/milestones{/number}",
    "notifications_url": "/notifications{?since,all,participating}",
    "pulls_url": "/pulls{/number}",
    "releases_url": "/releases{/id}",
    "stargazers_url": "/stargazers",
    "statuses_url": "/statuses/{sha}",
    "subscribers_url": "/subscribers",
    "subscription_url": "/subscription",
    "tags_url": "/tags",
    "teams_url": "/teams",
    "trees_url": "/git/trees{/sha}",
}
_ZEROES = ("forks", "forks_count", "stargazers_count", "watchers", "watchers_count", "size")
_FLAGS = {
    "fork": False,
    "disabled": False,
    "is_template": False,
    "has_issues": True,
    "has_projects": False,
    "has_wiki": False,
    "has_pages": False,
    "has_downloads": False,
    "has_discussions": False,
    "has_pull_requests": True,
    "allow_forking": True,
    "web_commit_signoff_required": False,
}


def repository(hub: Hub, repo: Repository) -> Json:
    """A repository as it stands inside other documents and webhooks."""
    urls = hub.urls
    api, page = urls.repo(repo), urls.page(repo)
    still_open = sum(issue.state == "open" and not issue.deleted for issue in repo.issues.values())
    document: Json = {
        "id": repo.id,
        "node_id": people.node("Repository", repo.id),
        "name": repo.name,
        "full_name": repo.full_name,
        "private": repo.private,
        "owner": people.user(urls, repo.owner),
        "html_url": page,
        "description": repo.description,
        "url": api,
        "created_at": people.stamp(repo.created),
        "updated_at": people.stamp(repo.pushed),
        "pushed_at": people.stamp(repo.pushed),
        "git_url": f"{page}.git",
        "ssh_url": f"{page}.git",
        "clone_url": f"{page}.git",
        "svn_url": page,
        "homepage": None,
        "language": None,
        "mirror_url": None,
        "license": None,
        "archived": repo.archived,
        "open_issues": still_open,
        "open_issues_count": still_open,
        "topics": [],
        "visibility": "private" if repo.private else "public",
        "default_branch": repo.default_branch,
    }
    links: Json = {name: api + suffix for name, suffix in _LINKS.items()}
    return document | links | dict(_FLAGS) | dict.fromkeys(_ZEROES, 0)


def full(hub: Hub, repo: Repository, *, writes: bool) -> Json:
    """A repository as `GET /repos/{owner}/{repo}` gives it; `writes`: whether the token may push."""
    extra: Json = {
        "network_count": 0,
        "subscribers_count": 0,
        "permissions": people.permissions("write" if writes else "read"),
        "temp_clone_token": "",
    }
    return repository(hub, repo) | extra


def ref(hub: Hub, repo: Repository, name: str, sha: str) -> Json:
    """A git ref; `name` is the full name with `refs/`."""
    api = hub.urls.repo(repo)
    return {
        "ref": name,
        "node_id": people.node("Ref", repo.id),
        "url": f"{api}/git/{name}",
        "object": {"sha": sha, "type": "commit", "url": f"{api}/git/commits/{sha}"},
    }


def label(hub: Hub, repo: Repository, name: str, *, label_id: int, color: str, description: str | None) -> Json:
    """A label, with the keys newer schemas ask for."""
    return {
        "id": label_id,
        "node_id": people.node("Label", label_id),
        "url": f"{hub.urls.repo(repo)}/labels/{name}",
        "name": name,
        "color": color,
        "default": False,
        "description": description,
        "archived_at": None,
        "archived_by": None,
    }
