"""The rules: read the suspect, edit it, finish when something is kept, and say `none` when nothing is left."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.adapters.models.embedded import EmbeddedClassifier
from agent.domain.answers import Choice, Chosen, Missing, Noul, Nouled, Question, Score, Scored

SUSPECT = {"path": "src/a.py", "begin": 3, "end": 5, "name": "f", "score": 1.0}
ACTIONS = ("read_code", "search_code", "apply_edit", "run_suite", "generate_answer", "task_complete", "none")


def questions(*actions: str) -> dict[str, Question]:
    files = {"src/a.py": "src/a.py: f, g", "src/b.py": "src/b.py: merge_intervals", "none": "nothing"}
    return {
        "action": Choice(instructions="?", options=dict.fromkeys(actions or ACTIONS, "")),
        "file_to_read": Choice(instructions="?", options=files),
        "file_to_edit": Choice(instructions="?", options=files),
        "risk": Score(instructions="?", levels=("a", "b", "c")),
        "progress_score": Score(instructions="?", levels=("a", "b", "c")),
        "repeats": Noul(instructions="?"),
        "needs_code_change": Noul(instructions="?"),
    }


def chosen(
    facts: dict[str, object], name: str = "action", goal: str = "f is wrong", actions: tuple[str, ...] = ()
) -> str:
    answer = EmbeddedClassifier().ask({"directive": goal, "facts": facts}, questions(*actions)).answers[name]
    assert isinstance(answer, Chosen)
    assert answer.confidence >= 0.65
    return answer.choice


@pytest.mark.parametrize(
    ("facts", "action"),
    [
        ({"red_left": ["t"], "suspects": [SUSPECT]}, "read_code"),
        ({"red_left": ["t"], "suspects": [SUSPECT], "read": ["src/a.py"]}, "apply_edit"),
        ({"red_left": ["t"], "suspects": [], "tried": [SUSPECT], "read": ["src/a.py"]}, "none"),
        ({"red_left": [], "kept": ["src/a.py"]}, "task_complete"),
        ({"red_left": ["t2"], "suspects": [SUSPECT], "kept": ["src/a.py"], "read": ["src/a.py"]}, "apply_edit"),
        ({"red_left": ["t2"], "suspects": [], "kept": ["src/a.py"]}, "task_complete"),
        ({"provisional": True, "red_left": ["t"], "suspects": [SUSPECT]}, "run_suite"),
        ({"failed_path": "src/a.py", "red_left": ["t"]}, "apply_edit"),
    ],
)
def test_the_next_action_follows_from_the_facts(facts: dict[str, object], action: str) -> None:
    assert chosen(facts) == action


def test_what_is_not_offered_is_not_chosen() -> None:
    assert (
        chosen({"red_left": ["t"], "suspects": [SUSPECT], "read": ["src/a.py"]}, actions=("read_code", "none"))
        == "none"
    )


def test_without_a_suspect_the_first_listed_source_is_picked() -> None:
    """The loop ranks what it lists; tests are no place for an edit."""
    facts: dict[str, object] = {"red_left": [], "suspects": []}

    assert chosen(facts, goal="Merging intervals forgets the last one") == "read_code"
    assert chosen(facts, "file_to_read", goal="Merging intervals forgets the last one") == "src/a.py"
    assert chosen({**facts, "read": ["src/a.py"]}, goal="merge_intervals forgets the last one") == "apply_edit"


def test_a_question_gets_an_answer_and_not_an_edit() -> None:
    assert chosen({"red_left": []}, goal="How do I set the limit?") == "generate_answer"


def test_the_anchor_is_the_whole_suspect() -> None:
    shown: dict[str, Question] = {
        "edit_anchor": Choice(instructions="?", options={str(n): "x" for n in range(1, 9)}),
        "edit_end": Choice(instructions="?", options={str(n): "x" for n in range(1, 9)}),
    }

    answers = EmbeddedClassifier().ask({"facts": {"suspects": [SUSPECT]}}, shown).answers

    assert [answers[name].choice for name in shown if isinstance(answers[name], Chosen)] == ["3", "5"]


def test_without_a_suspect_the_anchor_is_the_function_most_like_the_goal() -> None:
    lines = [
        "import x",
        "",
        "def area(r):",
        "    return r",
        "",
        "def merge(a):",
        "    b = a",
        "",
        "    return b",
        "",
        "Z = 1",
    ]
    options = {str(number): text for number, text in enumerate(lines, start=1)}
    shown: dict[str, Question] = {
        name: Choice(instructions="?", options=options) for name in ("edit_anchor", "edit_end")
    }

    answers = EmbeddedClassifier().ask({"directive": "merge loses one", "facts": {}}, shown).answers

    assert [answers[name].choice for name in shown if isinstance(answers[name], Chosen)] == ["6", "9"]


def test_a_suspect_in_a_long_file_is_found_in_the_window_that_holds_it() -> None:
    far = {**SUSPECT, "begin": 230, "end": 260}
    spans = {"1": "lines 1 to 240", "201": "lines 201 to 440", "none": "none"}
    asked: dict[str, Question] = {"edit_window": Choice(instructions="?", options=spans)}

    answer = EmbeddedClassifier().ask({"facts": {"suspects": [far]}}, asked).answers["edit_window"]

    assert isinstance(answer, Chosen)
    assert answer.choice == "201"


def test_an_unknown_question_is_missing() -> None:
    asked: dict[str, Question] = {
        "mood": Noul(instructions="?"),
        "taste": Choice(instructions="?", options={"a": "", "b": ""}),
    }

    answers = EmbeddedClassifier().ask({}, asked).answers

    assert all(isinstance(one, Missing) for one in answers.values())


@given(
    st.dictionaries(
        st.sampled_from(["suspects", "tried", "read", "red_left", "kept", "provisional", "failed_path"]),
        st.none() | st.booleans() | st.text(max_size=3) | st.lists(st.integers() | st.just(SUSPECT), max_size=2),
    )
)
def test_any_state_gives_an_answer_of_the_right_kind(facts: dict[str, object]) -> None:
    answers = EmbeddedClassifier().ask({"facts": facts}, questions()).answers

    assert isinstance(answers["action"], Chosen)
    assert isinstance(answers["risk"], Scored)
    assert isinstance(answers["repeats"], Nouled)
    assert set(answers) == set(questions())


def test_a_failing_test_file_is_no_place_for_an_edit_whatever_it_is_called() -> None:
    files = {"test.py": "test.py: merge_intervals", "src/a.py": "src/a.py: merge", "none": "nothing"}
    asked = {**questions(), "file_to_read": Choice(instructions="?", options=files)}
    asked["file_to_edit"] = Choice(instructions="?", options=files)
    state = {"directive": "merge: merge_intervals drops one", "facts": {"red_left": ["test.py::test_it"]}}
    answer = EmbeddedClassifier().ask(state, asked).answers["file_to_edit"]
    assert isinstance(answer, Chosen)
    assert answer.choice == "src/a.py"


def test_a_suspect_an_exception_passed_through_is_looked_at_before_one_that_is_a_little_hotter() -> None:
    other = {"path": "src/b.py", "begin": 10, "end": 20, "name": "g", "score": 0.8}
    state: dict[str, object] = {"directive": "it fails", "facts": {"red_left": ["t"], "suspects": [SUSPECT, other]}}
    for told, path in (("src/b.py:12: KeyError", "src/b.py"), ("src/b.py:22: KeyError", "src/a.py")):
        answer = EmbeddedClassifier().ask({**state, "observations": [told]}, questions()).answers["file_to_read"]
        assert isinstance(answer, Chosen)
        assert answer.choice == path
