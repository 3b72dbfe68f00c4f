"""The worker's settings: what starts, and what is refused with the name to correct."""

import os
from pathlib import Path

import pytest

from tests.support.keys import PEM
from worker import settings
from worker.errors import ConfigError


@pytest.fixture
def environment(monkeypatch) -> pytest.MonkeyPatch:
    for name in list(os.environ):
        if name.startswith("BENDCODER_") or name.endswith("_API_KEY"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("BENDCODER_APP_ID", "7")
    monkeypatch.setenv("BENDCODER_APP_PRIVATE_KEY", PEM)
    return monkeypatch


def test_the_least_that_starts_refuses_everyone(environment):
    loaded = settings.load(os.environ)
    assert loaded.allow == ()
    assert (loaded.sandbox, loaded.classify, loaded.generate, loaded.steps) == (
        "bubblewrap",
        "embedded",
        "embedded",
        40,
    )
    assert loaded.git_base == "https://github.com"
    assert loaded.data_dir.is_absolute()


def test_lists_and_addresses_are_read(environment):
    environment.setenv("BENDCODER_ALLOW", "acme, bob/app  x")
    environment.setenv("BENDCODER_BOT_IDS", "4, 5")
    environment.setenv("BENDCODER_GIT_URL", "http://127.0.0.1:8/")
    loaded = settings.load(os.environ)
    assert loaded.allow == ("acme", "bob/app", "x")
    assert loaded.bot_ids == (4, 5)
    assert loaded.git_base == "http://127.0.0.1:8"


def test_the_key_comes_from_a_file_or_on_one_line(environment, tmp_path: Path):
    environment.setenv("BENDCODER_APP_PRIVATE_KEY", PEM.replace("\n", "\\n"))
    assert settings.load(os.environ).private_key == PEM
    (tmp_path / "key.pem").write_text(PEM)
    environment.delenv("BENDCODER_APP_PRIVATE_KEY")
    environment.setenv("BENDCODER_APP_PRIVATE_KEY_FILE", str(tmp_path / "key.pem"))
    assert settings.load(os.environ).private_key == PEM


def test_no_secret_shows_in_a_representation(environment):
    environment.setenv("TYPESAFE_API_KEY", "ts-secret-value")
    environment.setenv("BENDCODER_REDIS_URL", "redis://:redispass@127.0.0.1/0")
    loaded = settings.load(os.environ)
    shown = f"{loaded!r} {loaded}"
    assert "secretkeybytes" not in shown
    assert "ts-secret-value" not in shown
    assert "redispass" not in shown
    assert set(loaded.secrets) == {PEM, "ts-secret-value"}


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("BENDCODER_STEPZ", "1", "BENDCODER_STEPZ"),
        ("BENDCODER_STEPS", "41", "BENDCODER_STEPS"),
        ("BENDCODER_STEPS", "0", "BENDCODER_STEPS"),
        ("BENDCODER_GITHUB_API_URL", "ftp://x", "BENDCODER_GITHUB_API_URL"),
        ("BENDCODER_GIT_URL", "https://user@host", "BENDCODER_GIT_URL"),
        ("BENDCODER_APP_ID", "", "BENDCODER_APP_ID"),
        ("BENDCODER_APP_PRIVATE_KEY", "nonsense-secret", "BENDCODER_APP_PRIVATE_KEY"),
        ("BENDCODER_APP_PRIVATE_KEY_FILE", "/nowhere/key", "not both"),
        ("BENDCODER_BOT_IDS", "x", "BENDCODER_BOT_IDS"),
        ("BENDCODER_GENERATE_PRICE_IN", "-1", "BENDCODER_GENERATE_PRICE_IN"),
    ],
)
def test_what_cannot_work_is_refused_by_name_and_without_its_value(environment, name, value, words):
    environment.setenv(name, value)
    with pytest.raises(ConfigError) as caught:
        settings.load(os.environ)
    assert words in str(caught.value)
    assert "secret" not in str(caught.value)


def test_a_key_file_that_is_not_there_is_named(environment):
    environment.delenv("BENDCODER_APP_PRIVATE_KEY")
    environment.setenv("BENDCODER_APP_PRIVATE_KEY_FILE", "/nowhere/key")
    with pytest.raises(ConfigError, match="APP_PRIVATE_KEY_FILE cannot be read"):
        settings.load(os.environ)


def test_settings_cannot_be_changed(environment):
    loaded = settings.load(os.environ)
    with pytest.raises(ValueError, match="frozen"):
        loaded.label = "x"
