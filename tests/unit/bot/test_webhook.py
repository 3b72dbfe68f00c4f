"""Bytes and headers become a delivery only when the signature fits; everything else has its status."""

import hashlib
import hmac
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot import webhook
from bot.errors import Malformed, NotJson, NotSigned, Refused, TooLarge
from tests.support.payloads import SECRET, labeled, signed

SECRETS = (SECRET.encode(),)


def test_a_genuine_delivery_is_read() -> None:
    headers, body = signed("issues", labeled(), delivery="d-1")
    delivery = webhook.read(headers, body, SECRETS)
    assert (delivery.id, delivery.event, delivery.payload["action"]) == ("d-1", "issues", "labeled")


def test_the_signature_covers_the_bytes_as_sent() -> None:
    body = '{ "action" : "labeled", "note": "☂ \\u2602 \U0001f600" }\n'.encode()
    headers, _ = signed("issues", body)
    assert webhook.read(headers, body, SECRETS).payload["note"] == "☂ ☂ \U0001f600"
    with pytest.raises(NotSigned):
        webhook.read(headers, body.strip(), SECRETS)


@pytest.mark.parametrize("secret", ["new", "old"])
def test_both_secrets_fit_during_a_rotation(secret: str) -> None:
    headers, body = signed("issues", labeled(), secret=secret)
    assert webhook.read(headers, body, (b"new", b"old")).event == "issues"


@pytest.mark.parametrize(
    "signature",
    [
        "",
        "sha256=",
        "sha256=" + "0" * 64,
        "sha256=" + "0" * 63,
        "sha1=" + "0" * 40,
        "sha256=ünïcödé" + "0" * 57,
        "sha256=" + "٣" * 64,  # digits, but not ASCII
        "SHA256=" + "0" * 64,
    ],
)
def test_a_signature_that_does_not_fit_is_refused(signature: str) -> None:
    headers, body = signed("issues", labeled(), x_hub_signature_256=signature)
    with pytest.raises(NotSigned) as refused:
        webhook.read(headers, body, SECRETS)
    assert refused.value.status == 401


def test_sha1_is_refused_even_when_it_is_right() -> None:
    headers, body = signed("issues", labeled())
    old = "sha1=" + hmac.new(SECRET.encode(), body, hashlib.sha1).hexdigest()
    with pytest.raises(NotSigned):
        webhook.read(headers | {"x-hub-signature-256": old, "x-hub-signature": old}, body, SECRETS)


def test_an_empty_secret_signs_for_nobody() -> None:
    headers, body = signed("issues", labeled(), secret="")
    with pytest.raises(NotSigned):
        webhook.read(headers, body, (b"",))


def test_without_secrets_nothing_is_let_in() -> None:
    headers, body = signed("issues", labeled())
    with pytest.raises(NotSigned):
        webhook.read(headers, body, ())


def test_an_upper_case_digest_is_the_same_digest() -> None:
    headers, body = signed("issues", labeled())
    loud = "sha256=" + headers["x-hub-signature-256"].removeprefix("sha256=").upper()
    assert webhook.read(headers | {"x-hub-signature-256": loud}, body, SECRETS).event == "issues"


@pytest.mark.parametrize("kind", ["application/x-www-form-urlencoded", "text/plain", "", "application/jsonx"])
def test_another_content_type_is_refused_with_the_remedy(kind: str) -> None:
    headers, body = signed("issues", labeled(), content_type=kind)
    with pytest.raises(NotJson, match="application/json") as refused:
        webhook.read(headers, body, SECRETS)
    assert refused.value.status == 415


def test_a_content_type_may_carry_parameters() -> None:
    headers, body = signed("issues", labeled(), content_type="Application/JSON; charset=utf-8")
    assert webhook.read(headers, body, SECRETS).event == "issues"


@pytest.mark.parametrize("header", ["x-github-event", "x-github-delivery"])
@pytest.mark.parametrize("value", [None, "", "two words", "a" * 101, "line\nbreak"])
def test_a_delivery_without_its_headers_is_malformed(header: str, value: str | None) -> None:
    headers, body = signed("issues", labeled())
    headers = {k: v for k, v in headers.items() if k != header} | ({header: value} if value is not None else {})
    with pytest.raises(Malformed, match="X-GitHub-Event") as refused:
        webhook.read(headers, body, SECRETS)
    assert refused.value.status == 400


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b'"text"',
        b"null",
        b'{"a": NaN}',
        b"\xff\xfe{}",
        b'{"a":' * 5000 + b"1" + b"}" * 5000,
        b'{"a": "\\ud800"}',
    ],
)
def test_a_body_that_is_no_json_object_is_malformed(body: bytes) -> None:
    headers, _ = signed("issues", body)
    with pytest.raises(Malformed):
        webhook.read(headers, body, SECRETS)


def test_the_cap_is_exact() -> None:
    body = b'{"a":"' + b"x" * (webhook.MAX_BYTES - 8) + b'"}'
    assert len(body) == webhook.MAX_BYTES
    headers, _ = signed("issues", body)
    assert webhook.read(headers, body, SECRETS).event == "issues"
    with pytest.raises(TooLarge) as refused:
        webhook.read(headers, body + b" ", SECRETS)
    assert refused.value.status == 413


def test_a_refusal_says_what_became_of_the_delivery_and_never_the_secret() -> None:
    headers, body = signed("issues", labeled(), x_hub_signature_256="sha256=" + "1" * 64)
    with pytest.raises(Refused) as refused:
        webhook.read(headers, body, SECRETS)
    assert "Nothing was recorded" in str(refused.value)
    assert SECRET not in str(refused.value)


@given(
    body=st.binary(max_size=200), signature=st.text(max_size=80), kind=st.text(max_size=40), event=st.text(max_size=20)
)
def test_whatever_a_stranger_sends_is_refused_in_our_own_words(
    body: bytes, signature: str, kind: str, event: str
) -> None:
    headers = {
        "x-hub-signature-256": signature,
        "content-type": kind,
        "x-github-event": event,
        "x-github-delivery": event,
    }
    with pytest.raises(NotSigned):
        webhook.read(headers, body, SECRETS)


@given(body=st.binary(max_size=300))
def test_whatever_is_signed_is_read_or_malformed(body: bytes) -> None:
    headers, _ = signed("issues", body)
    with suppress(Malformed):
        assert isinstance(webhook.read(headers, body, SECRETS).payload, dict)


@given(body=st.binary(max_size=100), at=st.integers(min_value=0), flip=st.integers(min_value=1, max_value=255))
def test_one_changed_byte_breaks_the_signature(body: bytes, at: int, flip: int) -> None:
    body = b'{"x":1}' + body
    headers, _ = signed("issues", body)
    changed = bytearray(body)
    changed[at % len(body)] ^= flip
    with pytest.raises(NotSigned):
        webhook.read(headers, bytes(changed), SECRETS)
