"""Backends are found by name; a wrong name or a missing setting is an error naming what to set."""

from collections.abc import Sequence

import pytest

from agent.adapters.models import ModelOptions, classifier_named, generator_named
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
