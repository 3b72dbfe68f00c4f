"""How model endpoints are reached: proxies, hosts without one, certificates; the same for both clients."""

import datetime
import ipaddress
import ssl
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from agent.adapters.models.chat import ChatGenerator
from agent.adapters.models.reach import Reach
from agent.adapters.models.retrying import Pace
from agent.adapters.models.systemone import SystemOneClassifier
from agent.domain.answers import Missing, Noul, Nouled
from agent.errors import ModelError
from agent.ports import WriteRequest
from tests.support.chat_server import Reply, chat_server, text_reply

REQUEST = WriteRequest(anchor=None, role="answer", messages=(("user", "why?"),), seconds=5)
PACE = Pace(cap=1.0, tries=1, sleep=lambda _: None)
ANSWER = Reply(body=b'{"model": "m", "answers": {"n": {"type": "noul", "noul": 0.25}}, "usage": {}}')


def generated(url: str, reach: Reach) -> bytes:
    generator = ChatGenerator(url=url, model="m", key="sk-secret", reach=reach, pace=PACE)
    try:
        return generator.write(REQUEST, 1).drafts[0].text
    finally:
        generator.close()


def classified(url: str, reach: Reach) -> object:
    client = SystemOneClassifier(url=url, model="m", key="sk-secret", reach=reach, pace=PACE)
    try:
        answer = client.ask({}, {"n": Noul(instructions="?")}).answers["n"]
    finally:
        client.close()
    if isinstance(answer, Missing):
        raise ModelError(answer.reason)
    return answer


@pytest.mark.parametrize(
    ("url", "proxy"),
    [
        ("https://api.example/v1", "http://secure:1"),
        ("http://api.example/v1", "http://plain:2"),
        ("https://intern.example", None),
        ("https://a.intern.example", None),
        ("https://notintern.example", "http://secure:1"),
        ("https://dotted.example", "http://secure:1"),
        ("https://a.dotted.example", None),
        ("https://ported.example:8443", None),
        ("https://10.0.0.7", None),
        ("http://localhost:11434", None),
        ("http://127.0.0.9:1", None),
        ("http://[::1]:1", None),
    ],
)
def test_which_proxy_an_address_takes(url: str, proxy: str | None) -> None:
    reach = Reach(
        https_proxy="http://secure:1",
        http_proxy="http://plain:2",
        no_proxy="intern.example, .a.dotted.example,ported.example:8443,10.0.0.7,,::2",
    )

    assert reach.proxy_for(url) == proxy


def test_a_star_is_every_host_and_nothing_means_no_proxy() -> None:
    assert Reach(https_proxy="http://p", no_proxy="*").proxy_for("https://api.example") is None
    assert Reach().proxy_for("https://api.example") is None


def test_a_proxys_password_is_not_shown() -> None:
    assert "word" not in repr(Reach(https_proxy="http://u:word@p", http_proxy="http://u:word@p"))


def test_generate_goes_through_the_proxy() -> None:
    with chat_server([text_reply("because")]) as proxy:
        assert generated("http://model.invalid/v1", Reach(http_proxy=proxy.url.removesuffix("/v1"))) == b"because"

    assert len(proxy.requests) == 1


def test_classify_goes_through_the_proxy() -> None:
    with chat_server([ANSWER]) as proxy:
        found = classified("http://model.invalid", Reach(http_proxy=proxy.url.removesuffix("/v1")))

    assert found == Nouled(probability=0.25)


@pytest.mark.parametrize("ask", [generated, classified])
def test_the_environment_is_not_read(ask: Callable[[str, Reach], object], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    monkeypatch.setenv("TYPESAFE_BASE_URL", "http://127.0.0.1:1")
    with chat_server([text_reply("because") if ask is generated else ANSWER]) as server:
        assert ask(server.url.removesuffix("/v1"), Reach())

    assert server.keys == ["Bearer sk-secret"]


@pytest.mark.parametrize("ask", [generated, classified])
def test_a_proxy_that_refuses_is_an_error_without_key_or_password(ask: Callable[[str, Reach], object]) -> None:
    with chat_server([Reply()]) as proxy, pytest.raises(ModelError) as caught:
        ask(
            "https://model.invalid",
            Reach(https_proxy=proxy.url.replace("http://", "http://u:word@").removesuffix("/v1")),
        )

    assert proxy.requests == []
    assert "word" not in repr(caught.value)
    assert "sk-secret" not in repr(caught.value)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate of 127.0.0.1 that signs itself, with its key, in one PEM file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.datetime.now(datetime.UTC)
    built = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path = tmp_path_factory.mktemp("tls") / "server.pem"
    path.write_bytes(private + built.public_bytes(serialization.Encoding.PEM))
    return path


@pytest.mark.parametrize("ask", [generated, classified])
def test_a_private_authority_is_trusted_when_it_is_named_and_only_then(
    ask: Callable[[str, Reach], object], certificate: Path
) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with chat_server([text_reply("because") if ask is generated else ANSWER], tls=context) as server:
        url = server.url.removesuffix("/v1")
        with pytest.raises(ModelError, match=r"BENDCODER_(CLASSIFY|GENERATE)_URL"):
            ask(url, Reach())
        assert server.requests == []
        assert ask(url, Reach(ca_file=str(certificate)))


def test_a_file_without_certificates_is_named(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text("nothing")

    with pytest.raises(ModelError, match="SSL_CERT_FILE"):
        Reach(ca_file=str(tmp_path / "ca.pem")).trust("https://api.example")
    with pytest.raises(ModelError, match="SSL_CERT_FILE"):
        Reach(ca_file=str(tmp_path)).trust("https://api.example")
