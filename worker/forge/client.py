"""Opens GitHub for one installation and one repository: narrowed tokens, our own timeouts and retries, no HTTP cache.

Every `open` has a token cache of its own, so that no token outlives its job here or reaches another host.
"""

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

import httpx
from githubkit import AppAuthStrategy, GitHub, TokenAuthStrategy
from githubkit.auth import BaseAuthStrategy
from githubkit.exception import GitHubException

from worker.contract.job import RepoRef
from worker.forge.calls import Calls, Sleep, TokenCache
from worker.forge.github import GithubForge
from worker.forge.payloads import TokenPayload

if TYPE_CHECKING:
    from githubkit_schemas.latest.types import AppPermissionsType

TIMEOUT = httpx.Timeout(30.0, connect=10.0)
API_PERMISSIONS: "AppPermissionsType" = {
    "metadata": "read",
    "contents": "read",
    "issues": "write",
    "pull_requests": "write",
    "checks": "write",
}
"""What talking about a job takes; pushing has a token of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AppKey:
    """Who we are at GitHub and where that is; the key shows in no representation."""

    api_url: str
    web_url: str
    app_id: str
    private_key: str = field(repr=False)


class GithubForges:
    """Makes forges; one per process is enough."""

    def __init__(
        self,
        key: AppKey,
        *,
        redact: Callable[[str], str],
        learn: Callable[[str], None],
        sleep: Sleep = time.sleep,
    ) -> None:
        self._key = key
        self._redact = redact
        self._learn = learn
        self._sleep = sleep
        self._app = AppAuthStrategy(key.app_id, key.private_key)
        self._trust = (
            httpx.create_ssl_context()
        )  # reading the authorities costs some 25 ms, and a job opens five clients

    @contextlib.contextmanager
    def open(self, installation_id: int, repo: RepoRef) -> Iterator[GithubForge]:
        """A forge for one repository; its token is revoked at the end."""
        tokens = TokenCache()
        narrowed = self._app.as_installation(installation_id, repository_ids=[repo.id], permissions=API_PERMISSIONS)
        with self._client(narrowed, tokens) as github:
            forge = GithubForge(
                github,
                Calls(tokens, self._sleep),
                repo,
                redact=self._redact,
                mint=lambda write: self._mint(installation_id, repo, write=write),
                drop=self._drop,
                host=urlsplit(self._key.web_url).hostname or "github.com",
            )
            try:
                yield forge
            finally:
                if tokens.used:  # else nothing was asked, and revoking would mint a token first
                    _revoke(github)

    def _client(self, auth: BaseAuthStrategy, tokens: TokenCache) -> GitHub[BaseAuthStrategy]:
        elsewhere = urlsplit(self._key.api_url).hostname != "api.github.com"
        return GitHub(
            auth,
            event_hooks={"request": [_without_version]} if elsewhere else None,
            base_url=self._key.api_url,
            user_agent="bendcoder",
            timeout=TIMEOUT,
            ssl_verify=self._trust,
            cache_strategy=tokens,
            http_cache=False,
            auto_retry=False,
        )

    def _mint(self, installation_id: int, repo: RepoRef, *, write: bool) -> str:
        """A token for one git step: this repository's contents and nothing else."""
        tokens = TokenCache()
        level: Literal["read", "write"] = "write" if write else "read"
        with self._client(self._app, tokens) as github:
            answer = Calls(tokens, self._sleep).repeat(
                lambda: github.rest.apps.create_installation_access_token(
                    installation_id, data={"repository_ids": [repo.id], "permissions": {"contents": level}}
                )
            )
        token = TokenPayload.model_validate(answer.json()).token
        self._learn(token)
        return token

    def _drop(self, token: str) -> None:
        """Revoke a token; it may be dead already, and the job's end must not depend on it."""
        with self._client(TokenAuthStrategy(token), TokenCache()) as github:
            _revoke(github)


def _without_version(request: httpx.Request) -> None:
    """Enterprise servers refuse versions younger than themselves; without the header they answer in their own."""
    request.headers.pop("x-github-api-version", None)


def _revoke(github: GitHub[BaseAuthStrategy]) -> None:
    with contextlib.suppress(GitHubException):
        github.rest.apps.revoke_installation_access_token()
