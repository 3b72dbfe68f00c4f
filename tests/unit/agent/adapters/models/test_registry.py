"""Backends are found by name; a wrong name or a missing setting is an error naming what to set."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from agent.adapters.models import ModelOptions, classifier_named, generator_named, opened
from agent.adapters.models.cassette import RecordingGenerator
from agent.adapters.models.chat import ChatGenerator
from agent.adapters.models.reach import Reach
from agent.domain.answers import Noul
from agent.errors import ModelError
from agent.ports import Screened, WriteRequest


class ScriptedScreener:
    """A scripted screener that lets nothing pass."""

    def try_all(
        self, request: WriteRequest, drafts: Sequence[object], seconds: float, enough: int
    ) -> tuple[Screened, ...]:
        return tuple(Screened(passed=False) for _ in drafts)


@pytest.mark.parametrize(
    ("options", "setting"),
    [
        (ModelOptions(classify="gpt"), "BENDCODER_CLASSIFY"),
        (ModelOptions(classify="cassette"), "BENDCODER_CLASSIFY_URL"),
        (ModelOptions(classify="systemone", classify_url="jev"), "BENDCODER_CLASSIFY_URL"),
        (ModelOptions(classify="systemone", classify_key="a b"), "TYPESAFE_API_KEY"),
        (
            ModelOptions(classify="systemone", classify_url="https://h", reach=Reach(ca_file="/no/such.pem")),
            "SSL_CERT_FILE",
        ),
        (ModelOptions(classify="llm"), "BENDCODER_CLASSIFY_URL"),
        (ModelOptions(classify="llm", classify_url="http://h/v1"), "BENDCODER_CLASSIFY_MODEL"),
    ],
)
def test_a_wrong_classify_setting_is_named(options: ModelOptions, setting: str) -> None:
    with pytest.raises(ModelError, match=setting):
        classifier_named(options)


@pytest.mark.parametrize(
    ("options", "setting"),
    [
        (ModelOptions(generate="gpt"), "BENDCODER_GENERATE"),
        (ModelOptions(generate="chat"), "BENDCODER_GENERATE_URL"),
        (ModelOptions(generate="chat", generate_url="http://h/v1"), "BENDCODER_GENERATE_MODEL"),
        (ModelOptions(generate="chat", generate_url="h", generate_model="m"), "BENDCODER_GENERATE_URL"),
        (ModelOptions(generate="cassette", generate_url="nowhere"), "BENDCODER_GENERATE_URL"),
    ],
)
def test_a_wrong_generate_setting_is_named(options: ModelOptions, setting: str) -> None:
    with pytest.raises(ModelError, match=setting):
        generator_named(options, ScriptedScreener)


def test_the_defaults_need_no_key_and_say_that_they_are_not_calibrated() -> None:
    assert "not calibrated" in classifier_named(ModelOptions()).label
    assert generator_named(ModelOptions(), ScriptedScreener).label


def test_nothing_writes_nothing() -> None:
    written = generator_named(ModelOptions(generate="nothing"), ScriptedScreener).write(WriteRequest(anchor=None), 3)

    assert written.drafts == ()
    assert "none" in written.note


def test_keys_do_not_show_in_the_options_text() -> None:
    assert "sk-secret" not in repr(ModelOptions(classify_key="sk-secret", generate_key="sk-secret"))


CHAT = ModelOptions(generate="chat", generate_url="http://127.0.0.1:9/v1", generate_model="m", money=1.0)
LLM = ModelOptions(classify="llm", classify_url="http://127.0.0.1:9/v1", classify_model="m", money=1.0)
OWN = ModelOptions(classify="systemone", classify_url="http://127.0.0.1:9", money=1.0)


@pytest.mark.parametrize("options", [CHAT, replace(CHAT, price_in=1.0), replace(CHAT, price_out=1.0)])
def test_a_money_cap_without_a_known_price_refuses_generate_at_start(options: ModelOptions) -> None:
    with pytest.raises(ModelError, match="BENDCODER_GENERATE_PRICE_IN and _OUT"):
        generator_named(options, ScriptedScreener)


@pytest.mark.parametrize("options", [LLM, replace(LLM, classify_price_in=1.0), OWN])
def test_a_money_cap_without_a_known_price_refuses_classify_at_start(options: ModelOptions) -> None:
    with pytest.raises(ModelError, match="BENDCODER_CLASSIFY_PRICE_IN"):
        classifier_named(options)


@pytest.mark.parametrize(
    "options",
    [
        ModelOptions(classify="systemone", money=1.0),
        replace(OWN, classify_price_in=0.0),
        replace(LLM, classify_price_in=1.0, classify_price_out=1.0),
        replace(LLM, generate_url=LLM.classify_url, generate_model="m", price_in=1.0, price_out=1.0),
        ModelOptions(classify="embedded", money=1.0),
    ],
)
def test_a_money_cap_with_known_prices_is_fine(options: ModelOptions) -> None:
    assert classifier_named(options).label


def test_llm_takes_the_endpoint_of_generate_when_it_has_none_of_its_own() -> None:
    options = ModelOptions(classify="llm", generate_url="http://127.0.0.1:9/v1", generate_model="big")

    label = classifier_named(options).label

    assert "big" in label
    assert "not calibrated" in label


def test_connections_are_closed_after_a_run(tmp_path: Path) -> None:
    options = replace(LLM, money=None, generate="chat", generate_url=LLM.classify_url, generate_model="m")
    for record in ("", str(tmp_path / "tape")):
        with opened(replace(options, record=record), ScriptedScreener) as (classifier, generator):
            assert isinstance(generator, RecordingGenerator if record else ChatGenerator)
        with pytest.raises(RuntimeError, match="closed"):
            classifier.ask({}, {"n": Noul(instructions="?")})
        with pytest.raises(RuntimeError, match="closed"):
            generator.write(WriteRequest(anchor=None, messages=(("user", "x"),)), 1)
