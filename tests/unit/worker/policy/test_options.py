"""The one merge of ceiling, repository and command."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worker.errors import ConfigError
from worker.options import Ceiling, merge
from worker.repo_config import RepoConfig


def test_nobody_asks_for_anything():
    merged = merge(Ceiling(money=0.5), RepoConfig(), {}, "main")
    assert merged.money == 0.5
    assert (merged.steps, merged.base, merged.model) == (12, "main", None)


@given(
    ceiling=st.integers(1, 40),
    repo=st.none() | st.integers(1, 1000),
    asked=st.none() | st.integers(0, 2000),
    times=st.tuples(*[st.floats(1, 9000)] * 4),
)
def test_nobody_raises_a_ceiling(ceiling, repo, asked, times):
    limits = Ceiling(steps=ceiling, check_seconds=times[0], suite_seconds=times[1])
    config = RepoConfig(steps=repo, check_seconds=times[2], suite_seconds=times[3])
    words = {} if asked is None else {"steps": str(asked)}
    try:
        merged = merge(limits, config, words, "main")
    except ConfigError:
        assert asked is not None
        assert not 1 <= asked <= min(ceiling, repo or ceiling)
        return
    assert 1 <= merged.steps <= min(ceiling, repo or ceiling)
    assert merged.check_seconds <= min(times[0], times[2])
    assert merged.suite_seconds <= min(times[1], times[3])


def test_a_command_may_take_more_than_the_default_within_the_ceiling():
    assert merge(Ceiling(), RepoConfig(), {"steps": "40"}, "main").steps == 40


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"steps": "0"}, "`steps`"),
        ({"steps": "41"}, "from 1 to 40"),
        ({"steps": "²"}, "`steps`"),
        ({"steps": "1.5"}, "`steps`"),
        ({"colour": "red"}, "`colour` is not an option"),
        ({"model": "gpt-x"}, "not on this installation's list"),
        ({"base": "feature"}, "`base` must be one of"),
        ({"base": "--upload-pack=x"}, "`base` must be one of"),
    ],
)
def test_what_cannot_be_met_gets_one_sentence(asked, words):
    with pytest.raises(ConfigError, match="Nothing ran") as caught:
        merge(Ceiling(models=("small",), bases=("release/*", "*=*")), RepoConfig(), asked, "main")
    assert words in str(caught.value)


def test_models_and_bases_come_from_the_operators_lists():
    limits = Ceiling(models=("small", "large"), bases=("release/*",))
    assert merge(limits, RepoConfig(), {}, "main").model == "small"
    assert merge(limits, RepoConfig(model="large"), {}, "main").model == "large"
    merged = merge(limits, RepoConfig(model="large"), {"model": "small", "base": "release/2"}, "main")
    assert (merged.model, merged.base) == ("small", "release/2")
