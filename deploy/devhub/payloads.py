"""Puts webhooks into the outbox, with the payload as things are now; sends nothing."""

from deploy.devhub.hub import Emission, Hub
from deploy.devhub.problems import Json
from deploy.devhub.state import Actor, Installation, Repository
from deploy.devhub.views import people, repositories

ALWAYS = frozenset({"ping", "installation", "installation_repositories", "check_run", "check_suite"})
"""Events an App gets without subscribing (the last two through `checks: write`)."""


def emit(hub: Hub, event: str, action: str | None, repo: Repository, actor: Actor, extra: Json) -> None:
    """One event of a repository, for every App installed there that wants it."""
    for installation in hub.store.installations_of(repo):
        if event not in ALWAYS and event not in installation.app.events:
            continue
        payload: Json = {} if action is None else {"action": action}
        payload |= extra
        payload |= {
            "repository": repositories.repository(hub, repo),
            "sender": people.user(hub.urls, actor.user),
            "installation": {
                "id": installation.id,
                "node_id": people.node("IntegrationInstallation", installation.id),
            },
        }
        _put(hub, event, action, installation, repo.id, payload)


def emit_installation(hub: Hub, event: str, action: str, installation: Installation, extra: Json) -> None:
    """One event of an installation itself."""
    payload: Json = {
        "action": action,
        "installation": people.installation(hub, installation),
        "sender": people.user(hub.urls, installation.account),
    }
    _put(hub, event, action, installation, None, payload | extra)


def _put(
    hub: Hub, event: str, action: str | None, installation: Installation, repository_id: int | None, payload: Json
) -> None:
    if installation.suspended is not None and event != "installation":
        return
    hub.outbox.append(
        Emission(event=event, action=action, installation=installation, repository_id=repository_id, payload=payload)
    )


def short_repository(repo: Repository) -> Json:
    """A repository as installation events list it."""
    return {
        "id": repo.id,
        "node_id": people.node("Repository", repo.id),
        "name": repo.name,
        "full_name": repo.full_name,
        "private": repo.private,
    }
