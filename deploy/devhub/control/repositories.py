"""Control of repositories: create and seed, settings, roles, commits by people, branches."""

import base64
import binascii

from deploy.devhub import pullacts
from deploy.devhub.control.people import person
from deploy.devhub.git import Person
from deploy.devhub.payloads import emit
from deploy.devhub.problems import Json, refusal
from deploy.devhub.routing import Reply, Request, optional_text, route, text
from deploy.devhub.state import ROLES, Repository, User
from deploy.devhub.views import people, repositories


def _files(body: Json) -> dict[str, bytes | None]:
    given = body.get("files")
    if not isinstance(given, dict):
        raise refusal(422, "files: an object of path -> base64 content, or null to delete")
    try:
        return {
            str(path): None if content is None else base64.b64decode(str(content), validate=True)
            for path, content in given.items()
        }
    except binascii.Error:
        raise refusal(422, "files: a content is not base64") from None


def _author(user: User) -> Person:
    return Person(name=user.name or user.login, email=f"{user.id}+{user.login}@users.noreply.localhost")


def _create(request: Request) -> Reply:
    """A repository with one commit of the files given; the first App gets installed on its owner."""
    body, store = request.body(), request.hub.store
    owner = store.ensure_user(text(body, "owner"), optional_text(body, "owner_type") or "User")
    name = text(body, "name")
    if store.repository(owner.login, name) is not None:
        raise refusal(422, f"{owner.login}/{name} exists")
    now = store.now()
    repo = Repository(
        id=store.new_id(),
        owner=owner,
        name=name,
        created=now,
        pushed=now,
        default_branch=optional_text(body, "default_branch") or "main",
        description=optional_text(body, "description"),
        private=body.get("private") is True,
    )
    git = request.hub.git(repo)
    git.create(repo.default_branch)
    files = _files(body)
    if files:
        message = optional_text(body, "message") or "Start the project"
        git.commit(repo.default_branch, files, message, _author(owner), now)
    store.repositories[repo.id] = repo
    if body.get("install") is not False:
        store.install(next(iter(store.apps.values())), owner)
    return Reply(body=repositories.full(request.hub, repo, writes=True), status=201)


def _settings(request: Request) -> Reply:
    body, repo = request.body(), request.repo()
    repo.archived = _flag(body, "archived", default=repo.archived)
    repo.private = _flag(body, "private", default=repo.private)
    repo.drafts = _flag(body, "drafts", default=repo.drafts)
    repo.signed_only = _flag(body, "signed_only", default=repo.signed_only)
    refused = body.get("refused_refs")
    if isinstance(refused, dict):
        repo.refused_refs = {str(pattern): str(reason) for pattern, reason in refused.items()}
    new_name = optional_text(body, "name")
    if new_name is not None and new_name != repo.name:
        _rename(request, repo, new_name)
    return Reply(body=repositories.full(request.hub, repo, writes=True))


def _flag(body: Json, key: str, *, default: bool) -> bool:
    value = body.get(key)
    return value if isinstance(value, bool) else default


def _rename(request: Request, repo: Repository, name: str) -> None:
    before = repo.name
    request.hub.store.renamed[repo.full_name.lower()] = repo.id
    repo.name = name
    changes: Json = {"changes": {"repository": {"name": {"from": before}}}}
    emit(request.hub, "repository", "renamed", repo, person(request, repo), changes)


def _delete(request: Request) -> Reply:
    del request.hub.store.repositories[request.repo().id]
    return Reply(body={})


def _role(request: Request) -> Reply:
    body, repo = request.body(), request.repo()
    account = request.hub.store.ensure_user(text(body, "login"))
    role = text(body, "role")
    if role not in ROLES:
        raise refusal(422, f"role: one of {', '.join(ROLES)}")
    repo.roles[account.login.lower()] = role
    return Reply(body=people.permission(request.hub.urls, repo, account))


def _commit(request: Request) -> Reply:
    """A commit by a person, as if pushed: pull requests follow, webhooks go out."""
    body, repo = request.body(), request.repo()
    actor, git = person(request, repo), request.hub.git(repo)
    before = git.refs()
    branch = optional_text(body, "branch") or repo.default_branch
    source = optional_text(body, "from")
    if source is not None and f"refs/heads/{branch}" not in before:
        start = git.resolve(source)
        if start is None:
            raise refusal(422, f"from: no commit {source}")
        git.update_ref(f"refs/heads/{branch}", start)
    message = optional_text(body, "message") or "Change files"
    sha = git.commit(branch, _files(body), message, _author(actor.user), request.hub.store.now())
    pullacts.refs_moved(request.hub, repo, actor, before, git.refs())
    return Reply(body={"sha": sha, "branch": branch}, status=201)


def _branches(request: Request) -> Reply:
    found = request.hub.git(request.repo()).refs()
    return Reply(body={ref.removeprefix("refs/heads/"): sha for ref, sha in found.items()})


def _file(request: Request) -> Reply:
    repo, git = request.repo(), request.hub.git(request.repo())
    sha = git.resolve(request.query.get("ref", repo.default_branch))
    entry = None if sha is None else git.entry(sha, request.parts["path"])
    content = None if entry is None else base64.b64encode(git.blob(entry[2])).decode()
    return Reply(body={"content": content})


_REPO = "/repos/{owner}/{repo}"
ROUTES = (
    route("POST", "/repos", _create),
    route("PATCH", _REPO, _settings),
    route("DELETE", _REPO, _delete),
    route("POST", f"{_REPO}/roles", _role),
    route("POST", f"{_REPO}/commits", _commit),
    route("GET", f"{_REPO}/branches", _branches),
    route("GET", f"{_REPO}/files/{{path*}}", _file),
)
