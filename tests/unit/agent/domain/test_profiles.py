"""Floors belong to a backend and its model; what nobody measured says so."""

import re
from pathlib import Path

import pytest

from agent.domain.profiles import BENDCODER, Profile, profile_of
from agent.domain.thresholds import ACTION_FLOOR, EDIT_FLOOR


@pytest.mark.parametrize("model", ["jev-1.13.0", "jev-1.13"])
def test_the_measured_model_has_the_measured_floors_and_no_warning(model: str) -> None:
    profile = profile_of("systemone", model)

    assert profile.floors() == BENDCODER.floors()
    assert profile.calibrated
    assert profile.warning == ""


@pytest.mark.parametrize("model", ["jev-latest", "jev-1.14.0", "kev-0.8b"])
def test_an_unknown_pair_gets_bendcoders_floors_with_a_warning_that_names_it(model: str) -> None:
    profile = profile_of("systemone", model)

    assert (profile.action, profile.edit) == (ACTION_FLOOR, EDIT_FLOOR)
    assert not profile.known
    assert profile.warning == (
        f"systemone/{model} is not calibrated: nobody has measured this pair, bendcoder's floors stand in"
    )


@pytest.mark.parametrize("backend", ["embedded", "llm"])
def test_a_backend_of_its_own_kind_has_one_profile_for_all_its_models(backend: str) -> None:
    profile = profile_of(backend, "any-model")

    assert profile.name == backend
    assert profile.known
    assert "not calibrated" in profile.warning


@pytest.mark.parametrize("profile", [BENDCODER, profile_of("llm"), profile_of("embedded"), profile_of("new", "m")])
def test_every_floor_lies_on_its_scale_and_says_what_it_was_measured_on(profile: Profile) -> None:
    floors = profile.floors()

    assert {"action", "edit", "repeats", "top_risk", "change_asked", "answer_progress", "pick", "anchor"} <= set(floors)
    for name, floor in floors.items():
        top = 2.0 if name in ("top_risk", "answer_progress") else 1.0
        assert 0 < floor.value <= top
        assert len(floor.basis) > 10


def test_the_page_shows_the_floors_as_they_are() -> None:
    page = (Path(__file__).parents[4] / "docs" / "models.md").read_text(encoding="utf-8")
    ours, llm = BENDCODER.floors(), profile_of("llm").floors()
    rows = re.findall(r"^\| `(\w+)` \| ([\d.]+) \| ([\d.]+) \| .+ \| (.+) \|$", page, flags=re.MULTILINE)

    assert len(rows) >= 8
    for name, value, other, basis in rows:
        assert (float(value), float(other), basis) == (ours[name].value, llm[name].value, ours[name].basis)
