"""Who is calling: reads the Authorization header, knows Apps and installation tokens; decides no endpoint's rules.

JWTs are judged by wall time, because their makers live on it; installation tokens by the stand-in's own clock.
"""

import base64
import binascii
import time
from collections.abc import Mapping
from dataclasses import dataclass

import jwt

from deploy.devhub.problems import Problem, bad_credentials, forbidden, not_found, refusal
from deploy.devhub.state import Actor, App, Repository, Token
from deploy.devhub.store import Store

LONGEST_JWT = 600
"""Seconds an App's JWT may live."""
_SKEW = 60
_RANK: Mapping[str, int] = {"read": 1, "write": 2, "admin": 3}


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Nobody (both None), an App by its JWT (`token` None), or an App's installation by its token."""

    app: App | None = None
    token: Token | None = None

    @property
    def who(self) -> str:
        """How the call log names the caller."""
        if self.token is not None:
            return "installation"
        return "anonymous" if self.app is None else "app"

    def actor(self) -> Actor:
        """On whose account the caller acts."""
        if self.app is None:
            raise refusal(401, "Requires authentication")
        return Actor(user=self.app.bot, app=self.app)

    def sees(self, store: Store, repo: Repository) -> bool:
        """Whether the repository is within the token's reach."""
        if self.token is None or not store.covers(self.token.installation, repo):
            return False
        return self.token.repository_ids is None or repo.id in self.token.repository_ids

    def may(self, permission: str, level: str) -> bool:
        """Whether the token holds the permission at this level or above."""
        if self.token is None:
            return False
        held = self.token.permissions.get(permission, "read" if permission == "metadata" else "")
        return _RANK.get(held, 0) >= _RANK[level]


def identify(store: Store, header: str | None) -> Caller:
    """The caller behind an Authorization header; 401 for anything stale or forged."""
    if not header:
        return Caller()
    scheme, _, value = header.partition(" ")
    if scheme.lower() not in {"bearer", "token"} or not value:
        raise bad_credentials()
    return _by_token(store, value) if value.startswith("ghs_") else Caller(app=_by_jwt(store, value))


def identify_basic(store: Store, header: str | None) -> Caller:
    """The caller behind git's Basic credentials; the user name does not matter, the password is the token."""
    if not header:
        return Caller()
    scheme, _, value = header.partition(" ")
    try:
        _, _, password = base64.b64decode(value, validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        raise bad_credentials() from None
    if scheme.lower() != "basic":
        raise bad_credentials()
    return _by_token(store, password)


def _by_token(store: Store, value: str) -> Caller:
    token = store.tokens.get(value)
    if token is None or token.revoked or token.expires <= store.now():
        raise bad_credentials()
    if token.installation.id not in store.installations or time.monotonic() - token.born < store.token_lag:
        raise bad_credentials()
    if token.installation.suspended is not None:
        raise refusal(403, "This installation has been suspended")
    return Caller(app=token.installation.app, token=token)


def _by_jwt(store: Store, value: str) -> App:
    try:
        claimed = jwt.decode(value, options={"verify_signature": False})
    except jwt.PyJWTError:
        raise refusal(401, "A JSON web token could not be decoded") from None
    issuer = str(claimed.get("iss"))
    app = next((one for one in store.apps.values() if issuer in {str(one.id), one.client_id}), None)
    if app is None:
        raise refusal(401, "'Issuer' claim ('iss') must be an Integer or a client ID of an existing app")
    try:
        claims = jwt.decode(
            value, app.public_key, algorithms=["RS256"], options={"require": ["exp", "iat"]}, leeway=_SKEW
        )
    except jwt.ExpiredSignatureError:
        raise refusal(401, "'Expiration time' claim ('exp') must be a numeric value representing the future") from None
    except jwt.PyJWTError:
        raise refusal(401, "A JSON web token could not be decoded") from None
    if claims["exp"] - time.time() > LONGEST_JWT + _SKEW:
        raise refusal(401, "'Expiration time' claim ('exp') is too far in the future")
    return app


def require(store: Store, caller: Caller, repo: Repository, accepted: str) -> None:
    """Refuse unless the caller sees the repository and holds one of the accepted permissions.

    `accepted` is written as in GitHub's header: `issues=write; pull_requests=write`.
    """
    if not caller.sees(store, repo):
        raise not_found()
    pairs = [part.strip().split("=") for part in accepted.split(";")]
    if not any(caller.may(permission, level) for permission, level in pairs):
        raise forbidden(accepted)
    if repo.archived and any(level != "read" for _, level in pairs):
        raise refusal(403, "Repository was archived so is read-only.")


def narrowed(held: Mapping[str, str], wanted: object) -> dict[str, str]:
    """The permissions a token gets: what was asked for, never above what the installation holds; 422 otherwise."""
    if wanted is None:
        return dict(held)
    if not isinstance(wanted, dict):
        raise refusal(422, "Invalid request.\n\nFor 'properties/permissions', the value is not an object.")
    result = {"metadata": "read"}
    for name, level in wanted.items():
        if level not in _RANK or _RANK.get(held.get(name, ""), 0) < _RANK[level]:
            raise _beyond(str(name))
        result[str(name)] = str(level)
    return result


def _beyond(name: str) -> Problem:
    return refusal(
        422,
        "The permissions requested are not granted to this installation. "
        f"Check that the App holds `{name}` at the level asked for.",
    )
