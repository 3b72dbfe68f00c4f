"""Settings of the models: the same names for worker and `delegate`, handed on whole, refused by name."""

import os

import pytest

from deploy.delegate.models import from_environment
from deploy.delegate.request import CannotStart
from worker.contract.names import KNOWN
from worker.model_settings import ROLES, ModelSettings

SET = {
    "BENDCODER_CLASSIFY": "llm",
    "BENDCODER_CLASSIFY_URL": "http://127.0.0.1:1/v1",
    "BENDCODER_CLASSIFY_MODEL": "small",
    "BENDCODER_CLASSIFY_PRICE_IN": "0.1",
    "BENDCODER_CLASSIFY_PRICE_OUT": "0.2",
    "BENDCODER_GENERATE": "chat",
    "BENDCODER_GENERATE_URL": "http://127.0.0.1:2/v1",
    "BENDCODER_GENERATE_MODEL": "big",
    "BENDCODER_GENERATE_MODEL_SEARCH": "quick",
    "BENDCODER_GENERATE_MODEL_PLAN": "deep",
    "BENDCODER_GENERATE_PRICE_IN": "1",
    "BENDCODER_GENERATE_PRICE_OUT": "2",
    "BENDCODER_GENERATE_CANDIDATES": "3",
    "BENDCODER_GENERATE_MAX_TOKENS": "8000",
    "BENDCODER_GENERATE_WINDOW": "128000",
    "BENDCODER_MONEY": "0.5",
    "TYPESAFE_API_KEY": "ts-secret",
    "OPENROUTER_API_KEY": "or-secret",
    "HTTPS_PROXY": "http://user:proxy-secret@proxy:3128",
    "NO_PROXY": "intern.example",
    "SSL_CERT_FILE": "/etc/ca.pem",
}


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name in list(os.environ):
        if name.startswith("BENDCODER_") or name.upper() in SET or name.upper() == "HTTP_PROXY":
            monkeypatch.delenv(name)
    return monkeypatch


def test_without_settings_nothing_needs_a_key(environment: pytest.MonkeyPatch) -> None:
    options = from_environment()

    assert (options.classify, options.generate) == ("embedded", "embedded")
    assert options.generate_models == ()
    assert options.generate_candidates == 1
    assert options.money is None
    assert options.reach.proxy_for("https://api.example") is None


def test_every_setting_reaches_the_registry(environment: pytest.MonkeyPatch) -> None:
    for name, value in SET.items():
        environment.setenv(name, value)

    options = from_environment()

    assert options.generate_models == (("search", "quick"), ("plan", "deep"))
    assert (options.classify_price_in, options.classify_price_out) == (0.1, 0.2)
    assert (options.price_in, options.price_out, options.money) == (1.0, 2.0, 0.5)
    assert (options.generate_candidates, options.generate_max_tokens, options.generate_window) == (3, 8000, 128000)
    assert options.classify_key == "ts-secret"
    assert options.generate_key == "or-secret"
    assert options.reach.proxy_for("https://api.example") == SET["HTTPS_PROXY"]
    assert options.reach.proxy_for("https://a.intern.example") is None
    assert options.reach.ca_file == "/etc/ca.pem"
    assert "secret" not in repr(options) + repr(ModelSettings())


def test_lower_case_proxy_names_are_read_as_well(environment: pytest.MonkeyPatch) -> None:
    environment.setenv("https_proxy", "http://proxy:1")

    assert from_environment().reach.proxy_for("https://api.example") == "http://proxy:1"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("BENDCODER_CLASSIFY_PRICE_IN", "-1"),
        ("BENDCODER_GENERATE_PRICE_OUT", "nan"),
        ("BENDCODER_GENERATE_CANDIDATES", "0"),
        ("BENDCODER_GENERATE_MAX_TOKENS", "12"),
        ("BENDCODER_GENERATE_WINDOW", "many"),
        ("BENDCODER_MONEY", "0"),
        ("BENDCODER_MONEY", "inf"),
    ],
)
def test_a_number_that_cannot_work_is_refused_by_name(environment: pytest.MonkeyPatch, name: str, value: str) -> None:
    environment.setenv(name, value)

    with pytest.raises(CannotStart, match=name):
        from_environment()


def test_every_role_of_the_port_has_a_setting_and_every_setting_a_known_name() -> None:
    fields = {name.upper() for name, field in ModelSettings.model_fields.items() if field.validation_alias is None}

    assert {f"GENERATE_MODEL_{role.upper()}" for role in ROLES} <= fields
    assert fields <= set(KNOWN)
