"""A plan is a list of places: read leniently, ticked by what was kept, and it holds back nothing but the end."""

import pytest

from agent.loop.plan import ITEM_CHARS, ITEMS, Item, next_open, read_plan, ticked


@pytest.mark.parametrize(
    ("reply", "items"),
    [
        ("1. field in foo.py\n- mark in bar.c\n[x] old", ["field in foo.py", "mark in bar.c", "old"]),
        ("- [ ] a.py: one\n* [X] b.py: two\n2) c.py", ["a.py: one", "b.py: two", "c.py"]),
        ("2.5x faster in a.py", ["2.5x faster in a.py"]),
        ("```\na.py: x\n```", ["a.py: x"]),
        ("\n \n", []),
    ],
)
def test_bullets_boxes_and_numbers_are_framing(reply: str, items: list[str]) -> None:
    plan = read_plan(reply)

    assert [item.text for item in plan] == items
    assert not any(item.done for item in plan)


def test_a_plan_is_bounded() -> None:
    plan = read_plan("\n".join("x" * 1000 for _ in range(100)))

    assert len(plan) == ITEMS
    assert all(len(item.text) == ITEM_CHARS for item in plan)


@pytest.mark.parametrize(
    ("text", "path", "named"),
    [
        ("mend `src/a.py`: the loop", "src/a.py", True),
        ("mend ./src/a.py:12, then stop", "src/a.py", True),
        ("in (src/a.py).", "src/a.py", True),
        ("mend data.py", "a.py", False),
        ("mend src/a.py", "a.py", False),
        ("mend a.pyc", "a.py", False),
    ],
)
def test_a_path_is_named_by_a_whole_word(text: str, path: str, named: bool) -> None:
    assert Item(text=text).names({path}.__contains__) is named


def test_what_was_kept_ticks_and_stays_ticked() -> None:
    plan = read_plan("1. field in foo.py\n2. mark in bar.c\n3. think about it")
    exists = {"foo.py", "bar.c"}.__contains__
    assert next_open(plan, exists) == "field in foo.py"

    plan = ticked(plan, ["foo.py"])
    assert next_open(plan, exists) == "mark in bar.c"
    assert [item.shown() for item in plan] == ["[x] field in foo.py", "[ ] mark in bar.c", "[ ] think about it"]

    plan = ticked(ticked(plan, ["bar.c"]), [])
    assert next_open(plan, exists) == ""
    assert next_open(read_plan("mark in bar.c"), {"foo.py"}.__contains__) == ""
