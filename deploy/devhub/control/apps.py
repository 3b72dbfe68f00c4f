"""Control of Apps, installations and accounts."""

import secrets

from deploy.devhub.payloads import emit_installation, short_repository
from deploy.devhub.problems import Json, not_found, refusal
from deploy.devhub.routing import Reply, Request, optional_text, route, text
from deploy.devhub.state import App, Installation
from deploy.devhub.views import people


def app_json(request: Request, app: App) -> Json:
    """An App with its secrets, for whoever starts the worker and the receiver."""
    secret: Json = {
        "private_key": app.private_key,
        "webhook_secret": app.webhook_secret,
        "webhook_url": app.webhook_url,
        "client_secret": app.client_secret,
    }
    return people.app(request.hub.urls, app) | secret


def main_app(request: Request) -> App:
    """The App named by `app` in the query, or the first one."""
    wanted = request.query.get("app")
    for app in request.hub.store.apps.values():
        if wanted in {None, app.slug, str(app.id)}:
            return app
    raise not_found()


def _show(request: Request) -> Reply:
    return Reply(body=app_json(request, main_app(request)))


def _create(request: Request) -> Reply:
    body = request.body()
    app = request.hub.store.create_app(text(body, "name"), text(body, "owner"), optional_text(body, "webhook_url"))
    return Reply(body=app_json(request, app), status=201)


def _edit(request: Request) -> Reply:
    body, app = request.body(), main_app(request)
    if "webhook_url" in body:
        app.webhook_url = optional_text(body, "webhook_url")
    app.webhook_secret = optional_text(body, "webhook_secret") or app.webhook_secret
    events = body.get("events")
    if isinstance(events, list):
        app.events = tuple(str(one) for one in events)
    return Reply(body=app_json(request, app))


def _manifest(request: Request) -> Reply:
    """What GitHub's manifest page ends in: a new App and a code that buys its credentials once."""
    body, code = request.body(), secrets.token_hex(20)
    app = request.hub.store.create_app(text(body, "name"), text(body, "owner"), optional_text(body, "webhook_url"))
    request.hub.store.manifests[code] = app.id
    return Reply(body={"code": code}, status=201)


def _installation(request: Request) -> Installation:
    store, app = request.hub.store, main_app(request)
    account = store.user(request.parts["account"])
    for found in store.installations.values():
        if account is not None and found.account.id == account.id and found.app.id == app.id:
            return found
    raise not_found()


def _install(request: Request) -> Reply:
    store, app = request.hub.store, main_app(request)
    made = store.install(app, store.ensure_user(request.parts["account"]))
    repos = [short_repository(repo) for repo in store.repositories_of(made)]
    emit_installation(request.hub, "installation", "created", made, {"repositories": repos, "requester": None})
    return Reply(body=people.installation(request.hub, made), status=201)


def _show_installation(request: Request) -> Reply:
    return Reply(body=people.installation(request.hub, _installation(request)))


def _change_installation(request: Request) -> Reply:
    """Suspend or resume, change permissions, or select repositories by name (null: all)."""
    body, found, store = request.body(), _installation(request), request.hub.store
    permissions = body.get("permissions")
    if isinstance(permissions, dict):
        found.permissions = {str(name): str(level) for name, level in permissions.items()}
    suspended = body.get("suspended")
    if isinstance(suspended, bool) and suspended != (found.suspended is not None):
        found.suspended = store.now() if suspended else None
        emit_installation(request.hub, "installation", "suspend" if suspended else "unsuspend", found, {})
    if "repositories" in body:
        _select(request, found, body["repositories"])
    return Reply(body=people.installation(request.hub, found))


def _select(request: Request, found: Installation, names: object) -> None:
    store = request.hub.store
    before = {repo.id: repo for repo in store.repositories_of(found)}
    if names is None:
        found.repository_ids = None
    elif isinstance(names, list):
        wanted = {str(name).lower() for name in names}
        own = [repo for repo in store.repositories.values() if repo.owner.id == found.account.id]
        found.repository_ids = {repo.id for repo in own if repo.name.lower() in wanted}
    else:
        raise refusal(422, "repositories: a list of names, or null for all")
    after = {repo.id: repo for repo in store.repositories_of(found)}
    added = [short_repository(repo) for key, repo in after.items() if key not in before]
    removed = [short_repository(repo) for key, repo in before.items() if key not in after]
    for action, listed in (("added", added), ("removed", removed)):
        if listed:
            extra: Json = {
                "repository_selection": "all" if names is None else "selected",
                "repositories_added": added if action == "added" else [],
                "repositories_removed": removed if action == "removed" else [],
                "requester": None,
            }
            emit_installation(request.hub, "installation_repositories", action, found, extra)


def _uninstall(request: Request) -> Reply:
    found = _installation(request)
    emit_installation(request.hub, "installation", "deleted", found, {"repositories": [], "requester": None})
    del request.hub.store.installations[found.id]
    return Reply(body={})


def _user(request: Request) -> Reply:
    body = request.body()
    made = request.hub.store.ensure_user(text(body, "login"), optional_text(body, "type") or "User")
    return Reply(body=people.public_user(request.hub.urls, made), status=201)


ROUTES = (
    route("GET", "/app", _show),
    route("POST", "/apps", _create),
    route("PATCH", "/app", _edit),
    route("POST", "/manifests", _manifest),
    route("POST", "/users", _user),
    route("POST", "/installations/{account}", _install),
    route("GET", "/installations/{account}", _show_installation),
    route("PATCH", "/installations/{account}", _change_installation),
    route("DELETE", "/installations/{account}", _uninstall),
)
