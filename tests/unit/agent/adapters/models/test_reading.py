"""Whatever a server answers, each question gets an answer of its own kind or `Missing`."""

import json
import math

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from agent.adapters.models.reading import finite, read_answers
from agent.adapters.models.verbalised import salvaged
from agent.domain.answers import Answer, Choice, Chosen, Missing, Noul, Nouled, Question, Score, Scored

PROMPT = "Which single action brings the directive forward most?"
QUESTIONS: dict[str, Question] = {
    "action": Choice(instructions=PROMPT, options={"read_code": "look", "apply_edit": "change", "none": "nothing"}),
    "risk": Score(instructions="How risky?", levels=("low", "high")),
    "blocked": Noul(instructions="Is it blocked?"),
}
KINDS = {"action": Chosen, "risk": Scored, "blocked": Nouled}
NUMBERS = st.floats() | st.integers() | st.sampled_from([10**400, -(10**400), 1e308, 5e-324, -0.0, 0, 1, 0.5])
names = st.sampled_from(
    ["read_code", "apply_edit", "none", "0", "1", "choice", "probabilities", "noul", "score", "type", "confidence",
     "action", "risk", "blocked", "rm -rf", PROMPT]
)  # fmt: skip
json_values = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.text(max_size=5) | names,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=4),
    max_leaves=12,
)
nearly = st.fixed_dictionaries(
    {},
    optional={
        "action": st.fixed_dictionaries(
            {"probabilities": st.dictionaries(names, NUMBERS, max_size=4)}, optional={"choice": json_values}
        ),
        "risk": st.fixed_dictionaries({"probabilities": st.dictionaries(names, NUMBERS, max_size=3)}),
        "blocked": st.fixed_dictionaries({"noul": NUMBERS}),
        "other": json_values,
    },
)
"""Answers that are almost right: the harder case."""


def holds(answers: dict[str, Answer] | object) -> None:
    assert isinstance(answers, dict)
    assert list(answers) == list(QUESTIONS)
    for name, answer in answers.items():
        assert isinstance(answer, KINDS[name] | Missing)
        if isinstance(answer, Missing):
            assert answer.reason
        elif isinstance(answer, Nouled):
            assert 0 <= answer.probability <= 1
        else:
            labels = {"read_code", "apply_edit", "none"} if name == "action" else {"0", "1"}
            assert set(answer.probabilities) == labels
            assert sum(answer.probabilities.values()) == pytest.approx(1)
            assert 0 <= answer.confidence <= 1
            if isinstance(answer, Chosen):
                assert answer.probabilities[answer.choice] == max(answer.probabilities.values())


@settings(max_examples=50)  # drawing nested values takes most of the time
@given(json_values | nearly)
@example([[[[[[[[[[[[{}]]]]]]]]]]]])
@example({"action": {"choice": PROMPT, "probabilities": {PROMPT: 1.0}}})
@example({"action": {"choice": "apply_edit", "probabilities": {"apply_edit": 10**400, "read_code": 0, "none": 0}}})
@example({"blocked": {"noul": 10**400}})
def test_noise_never_raises_and_never_becomes_an_answer_of_another_kind(raw: object) -> None:
    holds(read_answers(QUESTIONS, raw))


@settings(max_examples=30)
@given(json_values | nearly)
def test_noise_from_a_chat_model_never_raises_either(raw: object) -> None:
    holds(salvaged(json.dumps({"answers": raw}), QUESTIONS))


@given(st.text(max_size=40) | st.sampled_from(["{" * 5000, '{"answers":' * 3000, '{"a": 1' + "0" * 5000 + "}"]))
def test_text_from_a_chat_model_never_raises_either(text: str) -> None:
    holds(salvaged(text, QUESTIONS))


@given(st.floats(0, 1))
def test_confidence_is_recomputed_and_the_servers_own_is_ignored(share: float) -> None:
    question: dict[str, Question] = {"q": Choice(instructions="?", options={"a": "", "b": ""})}
    raw = {
        "q": {"choice": "a" if share >= 0.5 else "b", "probabilities": {"a": share, "b": 1 - share}, "confidence": 9}
    }

    answer = read_answers(question, raw)["q"]

    assert isinstance(answer, Chosen)
    assert abs(answer.confidence - (max(share, 1 - share) - 0.5) / 0.5) < 1e-6


def test_one_bad_answer_leaves_the_others_standing() -> None:
    raw = {
        "action": {"probabilities": {"read_code": 2}},
        "risk": {"probabilities": {"0": 0.25, "1": 0.75}},
        "blocked": {"noul": 0.1},
    }

    answers = read_answers(QUESTIONS, raw)

    assert isinstance(answers["action"], Missing)
    assert answers["risk"] == Scored(score=0.75, probabilities={"0": 0.25, "1": 0.75}, confidence=0.5)
    assert answers["blocked"] == Nouled(probability=0.1)


@pytest.mark.parametrize("raw", [True, "1", None, [1], math.nan, math.inf, 10**400])
def test_what_is_no_finite_number_is_none(raw: object) -> None:
    assert finite(raw) is None
