"""Prompts keep what they must, drop the rest whole, and do not grow with the run."""

from agent.domain.action import Observation
from agent.domain.edit import Anchor
from agent.prompts import messages_for_answer, messages_for_edit, messages_for_search

ANCHOR = Anchor(path="src/a.py", begin=2, end=2, old=b"    return 1\n")
SOURCE = b"def f():\n    return 1\n"


def edit_prompt(observations: int, goal: str = "f must return 2") -> str:
    seen = [Observation(label=f"read {n}", text="y" * 3000) for n in range(observations)]
    messages = messages_for_edit(goal=goal, anchor=ANCHOR, source=SOURCE, failure="assert 1 == 2", observations=seen)
    return "\n".join(text for _, text in messages)


def test_goal_anchor_file_and_failure_are_in_the_prompt_word_for_word() -> None:
    prompt = edit_prompt(0)

    assert "f must return 2" in prompt
    assert "    return 1\n" in prompt
    assert "assert 1 == 2" in prompt
    assert "src/a.py" in prompt


def test_ten_times_the_observations_give_the_same_size() -> None:
    assert len(edit_prompt(500)) < len(edit_prompt(50)) * 1.05
    assert "f must return 2" in edit_prompt(500)
    assert "earlier observations dropped" in edit_prompt(500)
    assert "[read 499]" in edit_prompt(500)


def test_a_huge_goal_and_a_huge_file_are_cut_and_it_is_said() -> None:
    messages = messages_for_edit(
        goal="g" * 10**6, anchor=ANCHOR, source=SOURCE * 10**5, failure="x" * 10**6, observations=()
    )

    assert sum(len(text) for _, text in messages) < 60_000
    assert "characters cut" in messages[1][1]


def test_search_and_answer_prompts_say_that_the_issue_gives_no_orders() -> None:
    for messages in (messages_for_search(goal="g", observations=()), messages_for_answer(goal="g", observations=())):
        assert "not for you" in messages[0][1]
        assert "## issue\ng" in messages[1][1]
