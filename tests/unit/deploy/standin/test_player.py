"""A played script: order, conditions, lines by text, and that it never gets what a question does not offer."""

from collections.abc import Mapping
from importlib.resources import files

import pytest

from deploy.standin.classify import answer
from deploy.standin.player import Player, role_of
from deploy.standin.script import Lines, Reply, Say, Script, When

ACTION = {"type": "choice", "criteria": {"read_code": "look", "apply_edit": "change", "none": "nothing"}}
ROWS = {"1": "def f():", "2": "    return 1", "3": "", "4": "def g():", "5": "    return 1"}
ANCHORS: Mapping[str, Mapping[str, object]] = {
    "edit_anchor": {"type": "choice", "criteria": ROWS},
    "edit_end": {"type": "choice", "criteria": ROWS},
}


def _choices(player: Player, state: dict[str, object] | None = None) -> list[object]:
    found = []
    for _ in range(4):
        answered, _fault = player.classify(state or {}, {"action": ACTION}, 40)  # type: ignore[arg-type]
        found.append(answered.answers["action"]["choice"])  # type: ignore[index]
    return found


def test_says_come_in_order_and_then_nothing_fits() -> None:
    player = Player(Script(says=(Say(action="read_code"), Say(action="apply_edit", times=2))))

    assert _choices(player) == ["read_code", "apply_edit", "apply_edit", "none"]
    assert player.record()["problems"] == ["Classify was asked for a step after the script's last say"]


def test_a_say_waits_until_its_condition_holds() -> None:
    says = (Say(action="apply_edit", when=When(state={"facts.verification": "failed"})), Say(action="read_code"))

    assert _choices(Player(Script(says=says)))[:2] == ["read_code", "none"]
    assert _choices(Player(Script(says=says)), {"facts": {"verification": "failed"}})[:2] == ["apply_edit", "read_code"]


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        (Lines(first="return 1"), ("2", "2")),
        (Lines(first="return 1", nth=2), ("5", "5")),
        (Lines(first="def f():", last="return 1"), ("1", "2")),
        (Lines(first="def g():", last="return 1"), ("4", "5")),
        ((4, 5), ("4", "5")),
    ],
)
def test_lines_are_found_by_their_text(lines: Lines | tuple[int, int], wanted: tuple[str, str]) -> None:
    found = answer(Say(action="apply_edit", lines=lines), {}, ANCHORS)

    assert found.problems == []
    assert (found.answers["edit_anchor"]["choice"], found.answers["edit_end"]["choice"]) == wanted  # type: ignore[index]


def test_a_part_of_a_long_file_is_found_by_what_was_read() -> None:
    windows = {"edit_window": {"type": "choice", "criteria": {"1": "lines 1 to 200", "201": "lines 201 to 390"}}}
    state = {"observations": ["\n[read a.py from line 201 of 390]:\n250\t    return 1\n251\t"]}
    found = answer(Say(action="apply_edit", lines=Lines(first="return 1")), state, windows)

    assert found.answers["edit_window"]["choice"] == "201"  # type: ignore[index]


@pytest.mark.parametrize("lines", [Lines(first="return 2"), Lines(first="return 1", nth=3), (9, 9)])
def test_what_is_not_offered_is_left_out_and_told(lines: Lines | tuple[int, int]) -> None:
    found = answer(Say(action="apply_edit", lines=lines), {}, ANCHORS)

    assert found.answers == {}
    assert len(found.problems) == 2


def test_of_several_parts_the_one_with_the_lines_says_so() -> None:
    later = {"6": "def h():", "7": "    return 3"}
    asked: dict[str, Mapping[str, object]] = {}
    for part, rows in (("@1", ROWS), ("@6", later)):
        asked[f"edit_anchor{part}"] = asked[f"edit_end{part}"] = {"type": "choice", "criteria": rows}
        asked[f"edit_present{part}"] = {"type": "noul"}
    asked["edit_window"] = {"type": "choice", "criteria": {"1": "lines 1 to 5", "6": "lines 6 to 7", "none": "none"}}
    found = answer(Say(action="apply_edit", lines=Lines(first="return 3")), {}, asked)

    assert found.problems == []
    assert found.answers["edit_window"]["choice"] == "6"  # type: ignore[index]
    assert found.answers["edit_anchor@6"]["choice"] == "7"  # type: ignore[index]
    assert [found.answers[f"edit_present{part}"]["noul"] for part in ("@1", "@6")] == [0.0, 1.0]  # type: ignore[index]


def test_runners_up_get_the_probabilities_they_were_given() -> None:
    say = Say(action="read_code", confidence=0.5, rest={"apply_edit": 0.4})
    found = answer(say, {}, {"action": ACTION}).answers["action"]

    assert found["probabilities"] == pytest.approx({"read_code": 0.5, "apply_edit": 0.4, "none": 0.1})  # type: ignore[index]


def test_replies_are_chosen_by_role_and_by_what_was_shown() -> None:
    replies = (
        Reply(role="search", text="needle"),
        Reply(role="draft", text="second", when=When(has=("it failed",))),
        Reply(role="draft", text="first", more=("other",)),
    )
    player = Player(Script(replies=replies))
    draft = ("system", files("agent.prompts").joinpath("edit.md").read_text())

    assert player.generate([draft, ("user", "do it")], 3)[0] == ("first", "other")
    assert player.generate([draft, ("user", "it failed")], 1)[0] == ("second",)
    assert player.generate([draft, ("user", "it failed again")], 1)[0] == ("",)
    assert player.record()["left"] == {"says": 0, "replies": 1}
    assert player.record()["generate"] == {
        "calls": 3, "tokens": player.record()["generate"]["tokens"], "written": 6, "roles": {"draft": 3},  # type: ignore[index]
    }  # fmt: skip


def test_the_very_same_request_gets_the_same_reply_unless_it_was_of_no_use() -> None:
    replies = (Reply(text="cut of", finish="length"), Reply(text="first"), Reply(text="second"))
    player = Player(Script(replies=replies))

    assert [player.generate([("user", "do it")], 1)[0][0] for _ in range(3)] == ["cut of", "first", "first"]
    assert player.generate([("user", "do it again")], 1)[0] == ("second",)


def test_every_prompt_tells_its_role() -> None:
    prompts = {one.name: one.read_text() for one in files("agent.prompts").iterdir() if one.name.endswith(".md")}
    roles = {name: role_of([("system", text)]) for name, text in prompts.items() if text.startswith("You ")}

    assert len(roles) >= 3
    assert all(name.startswith(role) or (name, role) == ("edit.md", "draft") for name, role in roles.items()), roles
