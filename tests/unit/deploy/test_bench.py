"""When a bar of the bench counts as held."""

import pytest

from deploy.bench.measure import Measure, stretch


@pytest.mark.parametrize(
    ("value", "most", "slower", "good"),
    [
        (1.9, True, 1.0, True),
        (2.1, True, 1.0, False),
        (2.1, True, 1.5, True),
        (0.6, False, 1.0, True),
        (0.4, False, 1.0, False),
        (0.4, False, 2.0, True),
    ],
)
def test_slack_and_a_slower_machine_stretch_the_budget(value: float, most: bool, slower: float, good: bool) -> None:
    assert Measure(what="x", value=value, unit="s", budget=1.0, most=most, stretch=slower).good is good


def test_no_machine_is_faster_than_nominal() -> None:
    assert stretch() >= 1.0
