"""The public process starts only with an environment that is right and holds nothing of the worker's."""

from pathlib import Path

import pytest

from bot.errors import SettingsError
from bot.settings import Settings, load
from worker.contract import names


@pytest.fixture
def env(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.setenv("BENDCODER_WEBHOOK_SECRETS", "one")
    return monkeypatch


def test_the_smallest_environment(env: pytest.MonkeyPatch) -> None:
    chosen = load()
    assert (chosen.label, chosen.host, chosen.secrets()) == ("bendcoder", "github.com", (b"one",))


def test_secrets_come_from_variable_and_file_during_a_rotation(env: pytest.MonkeyPatch, tmp_path: Path) -> None:
    env.setenv("BENDCODER_WEBHOOK_SECRETS", "new, old,")
    (tmp_path / "secret").write_text("third\n")
    env.setenv("BENDCODER_WEBHOOK_SECRETS_FILE", str(tmp_path / "secret"))
    assert load().secrets() == (b"new", b"old", b"third")


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://git.example.org:8443/", "git.example.org:8443"),
        ("http://127.0.0.1:9", "127.0.0.1:9"),
        ("https://GitHub.com", "github.com"),
    ],
)
def test_the_host_is_that_of_the_web_address(env: pytest.MonkeyPatch, url: str, host: str) -> None:
    env.setenv("BENDCODER_GITHUB_WEB_URL", url)
    assert load().host == host


def test_bots_are_named_by_id(env: pytest.MonkeyPatch) -> None:
    env.setenv("BENDCODER_BOT_IDS", "11, 12")
    assert load().bot_ids == {11, 12}


@pytest.mark.parametrize("value", ["", " , ,"])
def test_without_a_secret_it_does_not_start(env: pytest.MonkeyPatch, value: str) -> None:
    env.setenv("BENDCODER_WEBHOOK_SECRETS", value)
    with pytest.raises(SettingsError, match="BENDCODER_WEBHOOK_SECRETS"):
        load()


def test_a_secret_file_that_is_not_there_is_named(env: pytest.MonkeyPatch, tmp_path: Path) -> None:
    env.setenv("BENDCODER_WEBHOOK_SECRETS_FILE", str(tmp_path / "none"))
    with pytest.raises(SettingsError, match="WEBHOOK_SECRETS_FILE"):
        load()


@pytest.mark.parametrize("name", ["BENDCODER_LABLE", "bendcoder_lable", "BENDCODER_"])
def test_a_misspelt_name_is_refused(env: pytest.MonkeyPatch, name: str) -> None:
    env.setenv(name, "x")
    with pytest.raises(SettingsError, match=name):
        load()


def test_names_of_other_processes_are_no_mistake(env: pytest.MonkeyPatch) -> None:
    for name in names.KNOWN:
        if names.PREFIX + name not in names.WORKER_SECRETS and name not in ("BOT_IDS", "WEBHOOK_SECRETS_FILE"):
            env.setenv(names.PREFIX + name, "https://x.example")
    assert load().label == "https://x.example"


@pytest.mark.parametrize("name", names.WORKER_SECRETS)
def test_a_secret_of_the_workers_is_refused_and_not_repeated(env: pytest.MonkeyPatch, name: str) -> None:
    env.setenv(name, "hush-hush")
    with pytest.raises(SettingsError, match=name) as refused:
        load()
    assert "hush-hush" not in str(refused.value)


@pytest.mark.parametrize(
    ("name", "value"), [("LABEL", ""), ("LABEL", "x" * 51), ("BOT_IDS", "eleven"), ("GITHUB_WEB_URL", "git.nowhere")]
)
def test_a_value_that_does_not_fit_is_named_and_not_repeated(env: pytest.MonkeyPatch, name: str, value: str) -> None:
    env.setenv("BENDCODER_" + name, value)
    with pytest.raises(SettingsError, match="BENDCODER_" + name) as refused:
        load()
    assert not value or value not in str(refused.value)


def test_secrets_do_not_show_when_settings_are_printed(env: pytest.MonkeyPatch) -> None:
    env.setenv("BENDCODER_WEBHOOK_SECRETS", "hush-hush")
    env.setenv("BENDCODER_REDIS_URL", "redis://:hush-hush@h/0")
    assert "hush-hush" not in repr(load())


def test_every_setting_is_a_known_name() -> None:
    assert {name.upper() for name in Settings.model_fields} <= set(names.KNOWN)
