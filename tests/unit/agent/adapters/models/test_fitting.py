"""What Classify is sent fits its model: the older half of the observations goes first, on record, never a question."""

import json
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.adapters.models.completions import TooLongError
from agent.adapters.models.fitting import FittingClassifier, halved
from agent.domain.answers import Choice, Chosen, Classified, Missing, Noul, Nouled, Question
from agent.domain.profiles import BENDCODER

QUESTIONS: dict[str, Question] = {"n": Noul(instructions="is it so?")}


class Counting:
    """A scripted Classify that finds everything over `most` characters too long and reports its tokens."""

    label = "scripted"
    profile = BENDCODER

    def __init__(self, most: int = 10**9, chars_per_token: float = 4.0) -> None:
        self.most, self.ratio = most, chars_per_token
        self.states: list[Mapping[str, object]] = []

    def ask(self, state: Mapping[str, object], questions: Mapping[str, Question]) -> Classified:
        self.states.append(state)
        size = len(json.dumps(state))
        if size > self.most:
            raise TooLongError("too long (status 413)")
        answers = {name: Nouled(probability=0.5) for name in questions}
        return Classified(answers=answers, model="scripted/1", tokens=int(size / self.ratio))


def state(entries: int, chars: int = 100) -> dict[str, object]:
    observations = [f"{number:03}" + "x" * chars for number in range(entries)]
    return {"directive": "goal", "observations": observations, "index": {"paths": ["a.py"], "search_hits": []}}


def test_what_fits_is_sent_as_it_is() -> None:
    inner = Counting()

    answer = FittingClassifier(inner).ask(state(10), QUESTIONS)

    assert inner.states == [state(10)]
    assert answer.notes == {}


def test_what_does_not_fit_loses_its_older_half_and_that_is_recorded() -> None:
    inner = Counting()

    answer = FittingClassifier(inner, state_tokens=1000).ask(state(64), QUESTIONS)

    sent = inner.states[0]["observations"]
    assert isinstance(sent, list)
    assert [str(entry)[:3] for entry in sent[1:]] == [f"{number:03}" for number in range(32, 64)]
    assert "dropped" in sent[0]
    assert answer.notes == {"fitted": "observations halved once to fit the model"}
    assert answer.answers == {"n": Nouled(probability=0.5)}


def test_a_server_that_finds_it_too_long_is_asked_once_more_with_half() -> None:
    inner = Counting(most=1500)

    answer = FittingClassifier(inner).ask(state(20), QUESTIONS)

    assert len(inner.states) == 2
    assert answer.notes == {"fitted": "observations halved once to fit the model"}
    assert answer.answers == {"n": Nouled(probability=0.5)}


def test_a_server_that_finds_half_too_long_as_well_is_not_asked_for_ever() -> None:
    inner = Counting(most=10)

    answer = FittingClassifier(inner).ask(state(20), QUESTIONS)

    assert len(inner.states) == 2
    assert answer.answers == {"n": Missing(reason="too long (status 413) (with observations halved once)")}


def test_questions_that_fill_the_window_alone_are_missing_and_nobody_is_asked() -> None:
    inner = Counting()
    wide: dict[str, Question] = {"c": Choice(instructions="?", options={str(n): "y" * 600 for n in range(255)})}

    answer = FittingClassifier(inner).ask(state(3), wide)

    assert inner.states == []
    assert isinstance(answer.answers["c"], Missing)


def test_many_questions_are_held_against_the_whole_request() -> None:
    inner = Counting()
    several: dict[str, Question] = {str(n): Noul(instructions="z" * 4000) for n in range(5)}

    FittingClassifier(inner, state_tokens=4000, request_tokens=6000).ask(state(64), several)

    assert len(json.dumps(inner.states[0])) < 6000


def test_the_estimate_learns_from_usage() -> None:
    inner = Counting(chars_per_token=2.0)
    fitting = FittingClassifier(inner, state_tokens=1000)

    fitting.ask(state(30), QUESTIONS)
    fitting.ask(state(30), QUESTIONS)

    assert inner.states[0] == state(30)
    assert len(json.dumps(inner.states[1])) / 2 < 1000


@pytest.mark.parametrize("tokens", [0, 1, 10**8])
def test_a_server_with_absurd_usage_changes_the_estimate_within_reason(tokens: int) -> None:
    inner = Counting(chars_per_token=1500 / max(tokens, 0.1))
    fitting = FittingClassifier(inner, state_tokens=2000)

    for _ in range(3):
        answer = fitting.ask(state(10), QUESTIONS)

    assert answer.answers == {"n": Nouled(probability=0.5)}


@settings(max_examples=50)
@given(st.lists(st.text(max_size=20), max_size=9), st.lists(st.text(max_size=20), max_size=9))
def test_halving_ends_and_touches_nothing_else(observations: list[str], hits: list[str]) -> None:
    present: Mapping[str, object] | None = {
        "directive": "goal",
        "observations": observations,
        "index": {"paths": ["a"], "search_hits": hits},
    }
    rounds = 0
    while present is not None and rounds < 50:
        assert present["directive"] == "goal"
        assert isinstance(present["index"], dict)
        assert present["index"]["paths"] == ["a"]
        present, rounds = halved(present), rounds + 1

    assert rounds < 50


@pytest.mark.parametrize("odd", [{}, {"observations": "text"}, {"observations": 7, "index": 3}, {"index": {}}])
def test_a_state_without_observations_cannot_be_halved(odd: dict[str, object]) -> None:
    assert halved(odd) is None


def test_file_names_that_are_no_unicode_are_asked_about_as_escapes_and_come_back_as_they_are() -> None:
    first, second = (name.decode(errors="surrogateescape") for name in (b"caf\xe9.py", b"caf\xea.py"))
    odd = {first: "latin", second: "other", "café.py": "unicode"}
    questions: dict[str, Question] = {"file": Choice(instructions="Which \udcff?", options=odd)}

    class Picking(Counting):
        """A scripted Classify that picks the first option, over a wire that carries Unicode alone."""

        def ask(self, state: Mapping[str, object], questions: Mapping[str, Question]) -> Classified:
            json.dumps(state, ensure_ascii=False).encode()
            question = questions["file"]
            assert isinstance(question, Choice)
            labels = list(question.options)
            "".join([question.instructions, *labels]).encode()
            shares = {label: 1.0 if label == labels[0] else 0.0 for label in labels}
            return Classified(
                answers={"file": Chosen(choice=labels[0], probabilities=shares, confidence=1.0)}, model="p"
            )

    answer = FittingClassifier(Picking()).ask({"directive": f"read {first}"}, questions).answers["file"]

    assert answer == Chosen(choice=first, probabilities={first: 1.0, second: 0.0, "café.py": 0.0}, confidence=1.0)
