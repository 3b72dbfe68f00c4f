"""When a bar of the bench counts as held, and what it measures on."""

import subprocess
from pathlib import Path

import pytest

from deploy.bench import prompts
from deploy.bench.__main__ import BARS
from deploy.bench.measure import Measure, stretch
from deploy.bench.repositories import repository


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


@pytest.mark.parametrize("unit", ["x", "calls", "tokens"])
def test_what_is_counted_has_no_slack_on_any_machine(unit: str) -> None:
    assert Measure(what="x", value=7, unit=unit, budget=7, stretch=9.0).good
    assert not Measure(what="x", value=8, unit=unit, budget=7, stretch=9.0).good


def test_no_machine_is_faster_than_nominal() -> None:
    assert stretch() >= 1.0


def test_the_prompts_bar_holds_and_every_bar_has_a_name_of_its_own() -> None:
    grown, _ = prompts.growth()

    assert grown.good
    assert len({f"{bar.__module__}.{bar.__name__}" for bar in BARS}) == len(BARS)


def test_a_generated_repository_is_committed_and_clean(tmp_path: Path) -> None:
    place = repository(tmp_path / "repo", 50)
    listed = subprocess.run(["git", "ls-files"], cwd=place, capture_output=True, text=True, check=True).stdout
    changed = subprocess.run(["git", "status", "--short"], cwd=place, capture_output=True, text=True, check=True).stdout

    assert len(listed.splitlines()) == 50
    assert changed == ""
    assert "def scale_49(" in (place / "m9" / "f49.py").read_text(encoding="utf-8")
