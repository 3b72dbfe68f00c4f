"""Tokens and JWTs: what the stand-in believes, and the words it refuses with."""

from collections.abc import Iterator

import httpx
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from deploy.devhub.client import RepoName
from tests.support.devhub import Devhub, app_jwt, installation_token, rest, running_devhub

pytestmark = pytest.mark.xdist_group("test-credentials")


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Devhub]:
    with running_devhub(tmp_path_factory.mktemp("hub")) as made:
        yield made


@pytest.fixture
def repo(hub: Devhub) -> Iterator[RepoName]:
    second = hub.control.create_repository("octo", "second", {"a": "a"})
    made = hub.control.create_repository("octo", "demo", {"a.py": "x = 1\n"}, private=True)
    yield made
    hub.control.clock(token_lag=0)
    for one in (made, second):
        hub.control.delete_repository(one)


def _get(hub: Devhub, bearer: str, path: str) -> httpx.Response:
    with rest(hub, bearer) as client:
        return client.get(path)


def _foreign_key() -> str:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return pem.decode()


def test_jwt_is_checked_by_signature_issuer_and_lifetime(hub: Devhub) -> None:
    assert _get(hub, app_jwt(hub), "/app").json()["slug"] == "bendcoder"
    refused = {
        "could not be decoded": app_jwt(hub, key=_foreign_key()),
        "'Issuer' claim": app_jwt(hub, issuer=1),
        "too far in the future": app_jwt(hub, lifetime=3600),
        "representing the future": app_jwt(hub, lifetime=-600),
    }
    for words, token in refused.items():
        answer = _get(hub, token, "/app")
        assert answer.status_code == 401
        assert words in answer.json()["message"]


def test_token_has_the_long_form_unless_asked_otherwise(hub: Devhub, repo: RepoName) -> None:
    token = installation_token(hub, "octo")
    assert token.startswith(f"ghs_{hub.app_id}_")
    assert 480 < len(token) < 560
    path = f"/app/installations/{hub.control.installation_id('octo')}/access_tokens"
    with rest(hub, app_jwt(hub)) as client:
        short = client.post(path, headers={"x-github-stateless-s2s-token": "disabled"}).json()
    assert len(short["token"]) == 40
    assert short["expires_at"].endswith("Z")


def test_narrowed_token_sees_only_its_repository(hub: Devhub, repo: RepoName) -> None:
    token = installation_token(hub, "octo", repositories=["second"])
    assert _get(hub, token, "/repos/octo/second").status_code == 200
    assert _get(hub, token, "/repos/octo/demo").status_code == 404
    assert _get(hub, token, "/installation/repositories").json()["total_count"] == 1


def test_missing_permission_names_what_would_do(hub: Devhub, repo: RepoName) -> None:
    token = installation_token(hub, "octo", permissions={"contents": "read"})
    number = hub.control.create_issue(repo, "t")
    answer = _get(hub, token, f"/repos/octo/demo/issues/{number}")
    assert answer.status_code == 403
    assert answer.json()["message"] == "Resource not accessible by integration"
    assert answer.headers["x-accepted-github-permissions"] == "issues=read; pull_requests=read"


def test_token_is_never_wider_than_the_installation(hub: Devhub, repo: RepoName) -> None:
    path = f"/app/installations/{hub.control.installation_id('octo')}/access_tokens"
    with rest(hub, app_jwt(hub)) as client:
        assert client.post(path, json={"permissions": {"workflows": "write"}}).status_code == 422
        assert client.post(path, json={"repositories": ["nothing"]}).status_code == 422


def test_expired_and_revoked_tokens_are_bad_credentials(hub: Devhub, repo: RepoName) -> None:
    expired, revoked = installation_token(hub, "octo"), installation_token(hub, "octo")
    with rest(hub, revoked) as client:
        assert client.delete("/installation/token").status_code == 204
    assert _get(hub, expired, "/repos/octo/demo").status_code == 200
    hub.control.clock(advance=3601)
    for token in (expired, revoked):
        answer = _get(hub, token, "/repos/octo/demo")
        assert (answer.status_code, answer.json()["message"]) == (401, "Bad credentials")


def test_a_fresh_token_may_lag(hub: Devhub, repo: RepoName) -> None:
    hub.control.clock(token_lag=0.2)
    token = installation_token(hub, "octo")
    assert _get(hub, token, "/repos/octo/demo").status_code == 401
    hub.control.wait(lambda: _get(hub, token, "/repos/octo/demo").status_code == 200)


def test_suspended_and_removed_installations(hub: Devhub, repo: RepoName) -> None:
    token, path = installation_token(hub, "octo"), f"/app/installations/{hub.control.installation_id('octo')}"
    with rest(hub, app_jwt(hub)) as client:
        hub.control.change_installation("octo", suspended=True)
        answer = client.post(f"{path}/access_tokens")
        assert (answer.status_code, answer.json()["message"]) == (403, "This installation has been suspended")
        assert _get(hub, token, "/repos/octo/demo").status_code == 403
        hub.control.uninstall("octo")
        assert client.post(f"{path}/access_tokens").status_code == 404
    assert _get(hub, token, "/repos/octo/demo").status_code == 401


def test_a_call_without_or_with_the_wrong_kind_of_credentials(hub: Devhub, repo: RepoName) -> None:
    anonymous = httpx.get(f"{hub.api_url}/repos/octo/demo", trust_env=False)
    assert anonymous.status_code == 401
    assert _get(hub, app_jwt(hub), "/repos/octo/demo").status_code == 401
    assert _get(hub, installation_token(hub, "octo"), "/app").status_code == 401
    basic = httpx.get(f"{hub.api_url}/app", headers={"authorization": "Basic eDp5"}, trust_env=False)
    assert basic.json()["message"] == "Bad credentials"


def test_manifest_code_buys_credentials_once(hub: Devhub) -> None:
    made = hub.control.call("POST", "/manifests", {"name": "My Helper", "owner": "octo"})
    assert isinstance(made, dict)
    url = f"{hub.api_url}/app-manifests/{made['code']}/conversions"
    first = httpx.post(url, trust_env=False)
    assert first.status_code == 201
    assert {"pem", "webhook_secret", "client_secret", "id", "slug"} <= first.json().keys()
    assert httpx.post(url, trust_env=False).status_code == 404
