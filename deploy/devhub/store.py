"""The one object that holds all state of the stand-in, its lock and its clock; knows nothing of HTTP or git."""

import secrets
import threading
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from itertools import count

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from deploy.devhub.state import App, Installation, Repository, Token, User

DEFAULT_PERMISSIONS: Mapping[str, str] = {
    "metadata": "read",
    "contents": "write",
    "issues": "write",
    "pull_requests": "write",
    "checks": "write",
}
DEFAULT_EVENTS = (
    "issues",
    "issue_comment",
    "pull_request",
    "pull_request_review",
    "pull_request_review_comment",
    "repository",
)


class Store:
    """All state. Take `lock` around every use: requests are served by several threads."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.users: dict[str, User] = {}
        self.apps: dict[int, App] = {}
        self.installations: dict[int, Installation] = {}
        self.repositories: dict[int, Repository] = {}
        self.renamed: dict[str, int] = {}
        self.tokens: dict[str, Token] = {}
        self.manifests: dict[str, int] = {}
        self.offset = timedelta()
        self.token_lag = 0.0
        """Seconds during which a fresh token answers 401, as replication lag does."""
        self.creations_per_minute: int | None = None
        """Secondary limit on content-creating requests; None: no limit."""
        self._ids: Iterator[int] = count(1001)

    def new_id(self) -> int:
        """The next id, unique over all kinds of records."""
        return next(self._ids)

    def now(self) -> datetime:
        """Present time of the stand-in's clock: wall time plus what tests have advanced it by."""
        return datetime.now(UTC) + self.offset

    def user(self, login: str) -> User | None:
        """An account by login, case-insensitively."""
        return self.users.get(login.lower())

    def ensure_user(self, login: str, kind: str = "User") -> User:
        """The account, made when it does not exist."""
        found = self.user(login)
        if found is None:
            found = User(id=self.new_id(), login=login, created=self.now(), type=kind)
            self.users[login.lower()] = found
        return found

    def repository(self, owner: str, name: str) -> Repository | None:
        """A repository by its present name."""
        wanted = f"{owner}/{name}".lower()
        return next((repo for repo in self.repositories.values() if repo.full_name.lower() == wanted), None)

    def covers(self, installation: Installation, repo: Repository) -> bool:
        """Whether the installation includes the repository."""
        if installation.account.id != repo.owner.id:
            return False
        return installation.repository_ids is None or repo.id in installation.repository_ids

    def installations_of(self, repo: Repository) -> list[Installation]:
        """Every installation that includes the repository."""
        return [found for found in self.installations.values() if self.covers(found, repo)]

    def repositories_of(self, installation: Installation) -> list[Repository]:
        """The repositories an installation includes."""
        return [repo for repo in self.repositories.values() if self.covers(installation, repo)]

    def create_app(self, name: str, owner: str, webhook_url: str | None) -> App:
        """A new App with a fresh RSA key, webhook secret and bot account."""
        slug = "-".join(name.lower().split())
        app_id = self.new_id()
        key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        app = App(
            id=app_id,
            slug=slug,
            name=name,
            owner=self.ensure_user(owner),
            bot=self.ensure_user(f"{slug}[bot]", "Bot"),
            created=self.now(),
            client_id=f"Iv23li{secrets.token_hex(7)}",
            client_secret=secrets.token_hex(20),
            private_key=key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.TraditionalOpenSSL,
                serialization.NoEncryption(),
            ).decode(),
            public_key=key.public_key()
            .public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
            .decode(),
            webhook_secret=secrets.token_hex(16),
            webhook_url=webhook_url,
            permissions=dict(DEFAULT_PERMISSIONS),
            events=DEFAULT_EVENTS,
        )
        self.apps[app_id] = app
        return app

    def install(self, app: App, account: User) -> Installation:
        """The App's installation on the account, made for all repositories when there is none."""
        for found in self.installations.values():
            if found.app.id == app.id and found.account.id == account.id:
                return found
        made = Installation(
            id=self.new_id(), app=app, account=account, permissions=dict(app.permissions), created=self.now()
        )
        self.installations[made.id] = made
        return made

    def mint(
        self, installation: Installation, permissions: dict[str, str], ids: frozenset[int] | None, *, short: bool
    ) -> Token:
        """A token of one hour, in the long form of github.com (about 520 characters) unless `short`."""
        if short:
            value = "ghs_" + secrets.token_urlsafe(48).replace("-", "0").replace("_", "0")[:36]
        else:
            parts = (secrets.token_urlsafe(27), secrets.token_urlsafe(96), secrets.token_urlsafe(256))
            value = f"ghs_{installation.app.id}_" + ".".join(parts)
        token = Token(
            value=value,
            installation=installation,
            expires=(self.now() + timedelta(hours=1)).replace(microsecond=0),
            permissions=permissions,
            repository_ids=ids,
            born=time.monotonic(),
        )
        self.tokens[value] = token
        return token
