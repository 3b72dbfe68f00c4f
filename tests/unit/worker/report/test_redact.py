"""No secret leaves, however it is written."""

import base64
import io
import logging

import pytest

from worker.report.redact import GONE, RedactingFilter, Redactor

LONG = "ghs_1234_eyJhbGciOi." + "a-b_c." * 80 + "end"
PEM = (
    "-----BEGIN RSA PRIVATE KEY-----\n"
    + "MIIEowIBAAKCAQEA0123456789abcdefghijklmnopqrstuv\n" * 3
    + "-----END RSA PRIVATE KEY-----"
)


@pytest.mark.parametrize(
    "secret",
    [
        LONG,
        "ghs_" + "a" * 36,
        "ghp_" + "b" * 36,
        "ghu_" + "c" * 36,
        "github_pat_" + "d" * 40,
        PEM,
        base64.b64encode(b"x-access-token:ghs_abcdefgh").decode(),
        "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiIxIn0.c2lnbmF0dXJlMTIz",
        "sk-" + "e" * 30,
        "AKIA" + "F" * 16,
    ],
)
def test_secrets_are_known_by_their_shape(secret):
    shown = Redactor()(f"before {secret} after")
    assert shown == f"before {GONE} after"


@pytest.mark.parametrize("word", ["basic", "BEARER", "Token"])
def test_a_header_is_known_in_any_case(word):
    assert Redactor()(f"{word} {'g' * 24}") == GONE


def test_headers_and_addresses_lose_their_credentials():
    shown = Redactor()("Authorization: Basic YWxhZGRpbjpvcGVuc2VzYW1l and https://user:pw123@host/x")
    assert "YWxhZGRpbjpvcGVuc2VzYW1l" not in shown
    assert "pw123" not in shown
    assert "@host/x" in shown


def test_secrets_are_known_by_their_value_in_every_form():
    redactor = Redactor(["plainpassword"])
    redactor.add("another-one")
    encoded = base64.b64encode(b"x-access-token:another-one").decode()
    plain = base64.b64encode(b"plainpassword").decode()
    shown = redactor(f"plainpassword another-one {encoded} {plain}")
    assert shown == " ".join([GONE] * 4)


def test_a_key_is_known_line_by_line():
    assert "MIIEow" not in Redactor([PEM])("MIIEowIBAAKCAQEA0123456789abcdefghijklmnopqrstuv")


def test_ordinary_words_stay():
    text = "The token is missing; bearer of news, basic tests, ghs_ prefix, see a:b@c"
    assert Redactor(["", "short"])(text) == text


def test_logs_pass_the_redactor_with_their_tracebacks():
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.addFilter(RedactingFilter(Redactor(["plainpassword"])))
    logger = logging.getLogger("bendcoder.test.redact")
    logger.addHandler(handler)
    logger.propagate = False
    try:
        raise ValueError("it holds plainpassword")
    except ValueError:
        logger.exception("token %s", "ghs_" + "a" * 36)
    shown = stream.getvalue()
    assert "token [redacted]" in shown
    assert "ValueError: it holds [redacted]" in shown
