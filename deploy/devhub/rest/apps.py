"""Endpoints an App calls about itself: its installations, tokens, hook deliveries and manifest conversion."""

from deploy.devhub.auth import narrowed
from deploy.devhub.problems import Json, Problem, not_found, refusal
from deploy.devhub.routing import Reply, Request, route
from deploy.devhub.state import App, Installation, Repository, Token
from deploy.devhub.views import people, repositories


def own_app(request: Request) -> App:
    """The App of a JWT; 401 for anything else."""
    if request.caller.app is None or request.caller.token is not None:
        raise refusal(401, "A JSON web token could not be decoded")
    return request.caller.app


def own_token(request: Request) -> Token:
    """The installation token of the call; 401 for anything else."""
    if request.caller.token is None:
        raise refusal(401, "Requires authentication")
    return request.caller.token


def _installation(request: Request) -> Installation:
    app = own_app(request)
    found = request.hub.store.installations.get(request.number("installation_id"))
    if found is None or found.app.id != app.id:
        raise not_found()
    return found


def _app(request: Request) -> Reply:
    return Reply(body=people.app(request.hub.urls, own_app(request)))


def _installations(request: Request) -> Reply:
    app = own_app(request)
    found = [one for one in request.hub.store.installations.values() if one.app.id == app.id]
    return request.listed([people.installation(request.hub, one) for one in found])


def _one_installation(request: Request) -> Reply:
    return Reply(body=people.installation(request.hub, _installation(request)))


def _of_repository(request: Request) -> Reply:
    app, repo = own_app(request), request.repo()
    for found in request.hub.store.installations_of(repo):
        if found.app.id == app.id:
            return Reply(body=people.installation(request.hub, found))
    raise not_found()


def _chosen(request: Request, installation: Installation, body: Json) -> list[Repository] | None:
    covered = request.hub.store.repositories_of(installation)
    names, ids = body.get("repositories"), body.get("repository_ids")
    if names is None and ids is None:
        return None
    wanted = [str(name).lower() for name in names] if isinstance(names, list) else []
    numbers = list(ids) if isinstance(ids, list) else []
    chosen = [repo for repo in covered if repo.name.lower() in wanted or repo.id in numbers]
    if len(chosen) < len(set(wanted)) + len(set(numbers)):
        raise refusal(
            422,
            "There is at least one repository that does not exist or is not accessible to the parent installation.",
        )
    return chosen


def _access_token(request: Request) -> Reply:
    installation = _installation(request)
    if installation.suspended is not None:
        raise refusal(403, "This installation has been suspended")
    body = request.body()
    chosen = _chosen(request, installation, body)
    permissions = narrowed(installation.permissions, body.get("permissions"))
    ids = None if chosen is None else frozenset(repo.id for repo in chosen)
    token = request.hub.store.mint(installation, permissions, ids, short=request.short_tokens)
    selected = chosen is not None or installation.repository_ids is not None
    document: Json = {
        "token": token.value,
        "expires_at": people.stamp(token.expires),
        "permissions": permissions,
        "repository_selection": "selected" if selected else "all",
    }
    if chosen is not None:
        document["repositories"] = [repositories.repository(request.hub, repo) for repo in chosen]
    return Reply(body=document, status=201)


def _revoke(request: Request) -> Reply:
    own_token(request).revoked = True
    return Reply(status=204)


def _own_repositories(request: Request) -> Reply:
    token, store = own_token(request), request.hub.store
    seen = [repo for repo in store.repositories.values() if request.caller.sees(store, repo)]
    writes = request.caller.may("contents", "write")
    shown, headers = request.page([repositories.full(request.hub, repo, writes=writes) for repo in seen])
    narrow = token.repository_ids is not None or token.installation.repository_ids is not None
    body: Json = {
        "total_count": len(seen),
        "repository_selection": "selected" if narrow else "all",
        "repositories": shown,
    }
    return Reply(body=body, headers=headers)


def _convert(request: Request) -> Reply:
    """Hand out a new App's credentials, once per code."""
    app_id = request.hub.store.manifests.pop(request.parts["code"], None)
    if app_id is None:
        raise not_found()
    app = request.hub.store.apps[app_id]
    secret: Json = {
        "client_secret": app.client_secret,
        "webhook_secret": app.webhook_secret,
        "pem": app.private_key,
    }
    return Reply(body=people.app(request.hub.urls, app) | secret, status=201)


def _hook_config(request: Request) -> Reply:
    app = own_app(request)
    if app.webhook_url is None:
        raise not_found()
    return Reply(body={"url": app.webhook_url, "content_type": "json", "secret": "********", "insecure_ssl": "0"})


def _deliveries(request: Request) -> Reply:
    app = own_app(request)
    found = [one.item() for one in request.deliveries.of(app.id)]
    return request.listed(found)


def _delivery(request: Request) -> Reply:
    app = own_app(request)
    found = request.deliveries.get(request.number("delivery_id"))
    if found is None or found.app_id != app.id:
        raise not_found()
    return Reply(body=found.json())


def _attempt(request: Request) -> Reply:
    app = own_app(request)
    found = request.deliveries.get(request.number("delivery_id"))
    if found is None or found.app_id != app.id:
        raise Problem(400, {"message": "Bad Request", "status": "400"})
    request.deliveries.request_again(found)
    return Reply(body={}, status=202)


ROUTES = (
    route("GET", "/app", _app),
    route("GET", "/app/installations", _installations),
    route("GET", "/app/installations/{installation_id}", _one_installation),
    route("POST", "/app/installations/{installation_id}/access_tokens", _access_token),
    route("GET", "/app/hook/config", _hook_config),
    route("GET", "/app/hook/deliveries", _deliveries),
    route("GET", "/app/hook/deliveries/{delivery_id}", _delivery),
    route("POST", "/app/hook/deliveries/{delivery_id}/attempts", _attempt),
    route("POST", "/app-manifests/{code}/conversions", _convert),
    route("GET", "/installation/repositories", _own_repositories),
    route("DELETE", "/installation/token", _revoke),
    route("GET", "/repos/{owner}/{repo}/installation", _of_repository),
)
