"""Accounts, Apps, installations and roles as JSON; changes nothing."""

import base64
from datetime import datetime

from deploy.devhub.hub import Hub, Urls
from deploy.devhub.problems import Json
from deploy.devhub.state import Actor, App, Installation, Repository, User


def stamp(when: datetime) -> str:
    """GitHub's time form, whole seconds."""
    return when.strftime("%Y-%m-%dT%H:%M:%SZ")


def maybe_stamp(when: datetime | None) -> str | None:
    """The same for a time that may not have come."""
    return None if when is None else stamp(when)


def node(kind: str, number: int) -> str:
    """A node id: opaque to clients, readable to people who decode it."""
    return base64.b64encode(f"{kind}:{number}".encode()).decode()


def user(urls: Urls, account: User) -> Json:
    """A simple user."""
    api = f"{urls.api}/users/{account.login}"
    page = f"{urls.base}/{account.login}"
    if account.type == "Bot":
        page = f"{urls.base}/apps/{account.login.removesuffix('[bot]')}"
    return {
        "login": account.login,
        "id": account.id,
        "node_id": node(account.type, account.id),
        "avatar_url": f"{urls.base}/avatars/u/{account.id}",
        "gravatar_id": "",
        "url": api,
        "html_url": page,
        "followers_url": f"{api}/followers",
        "following_url": f"{api}/following{{/other_user}}",
        "gists_url": f"{api}/gists{{/gist_id}}",
        "starred_url": f"{api}/starred{{/owner}}{{/repo}}",
        "subscriptions_url": f"{api}/subscriptions",
        "organizations_url": f"{api}/orgs",
        "repos_url": f"{api}/repos",
        "events_url": f"{api}/events{{/privacy}}",
        "received_events_url": f"{api}/received_events",
        "type": account.type,
        "user_view_type": "public",
        "site_admin": False,
    }


def public_user(urls: Urls, account: User) -> Json:
    """A user's own page as JSON."""
    empty: Json = dict.fromkeys(("company", "blog", "location", "email", "hireable", "bio", "twitter_username"))
    counts: Json = dict.fromkeys(("public_repos", "public_gists", "followers", "following"), 0)
    times: Json = {"created_at": stamp(account.created), "updated_at": stamp(account.created)}
    return user(urls, account) | empty | counts | times | {"name": account.name, "blog": ""}


def permissions(role: str) -> Json:
    """The five booleans a role stands for."""
    rank = ("none", "read", "triage", "write", "maintain", "admin").index(role)
    names = ("pull", "triage", "push", "maintain", "admin")
    return {name: rank >= level for level, name in enumerate(names, start=1)}


def permission(urls: Urls, repo: Repository, account: User) -> Json:
    """A person's permission: maintain folds into write and triage into read, `role_name` does not."""
    role = repo.role(account)
    folded = {"maintain": "write", "triage": "read"}.get(role, role)
    collaborator = user(urls, account) | {"permissions": permissions(role), "role_name": role}
    return {"permission": folded, "role_name": role, "user": collaborator}


def association(repo: Repository, account: User) -> str:
    """author_association: deliberately coarse, as GitHub's is."""
    if account.id == repo.owner.id:
        return "OWNER"
    return "COLLABORATOR" if account.login.lower() in repo.roles else "NONE"


def app(urls: Urls, found: App) -> Json:
    """An App (an `integration`)."""
    return {
        "id": found.id,
        "slug": found.slug,
        "node_id": node("App", found.id),
        "client_id": found.client_id,
        "owner": user(urls, found.owner),
        "name": found.name,
        "description": "",
        "external_url": urls.base,
        "html_url": f"{urls.base}/apps/{found.slug}",
        "created_at": stamp(found.created),
        "updated_at": stamp(found.created),
        "permissions": dict(found.permissions),
        "events": list(found.events),
    }


def through_app(urls: Urls, actor: Actor) -> Json | None:
    """performed_via_github_app."""
    return None if actor.app is None else app(urls, actor.app)


def installation(hub: Hub, found: Installation) -> Json:
    """An installation."""
    urls = hub.urls
    return {
        "id": found.id,
        "account": user(urls, found.account),
        "repository_selection": "all" if found.repository_ids is None else "selected",
        "access_tokens_url": f"{urls.api}/app/installations/{found.id}/access_tokens",
        "repositories_url": f"{urls.api}/installation/repositories",
        "html_url": f"{urls.base}/settings/installations/{found.id}",
        "app_id": found.app.id,
        "app_slug": found.app.slug,
        "client_id": found.app.client_id,
        "target_id": found.account.id,
        "target_type": found.account.type,
        "permissions": dict(found.permissions),
        "events": list(found.app.events),
        "created_at": stamp(found.created),
        "updated_at": stamp(found.created),
        "single_file_name": None,
        "has_multiple_single_files": False,
        "single_file_paths": [],
        "suspended_by": None if found.suspended is None else user(urls, found.account),
        "suspended_at": maybe_stamp(found.suspended),
    }
