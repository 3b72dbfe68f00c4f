"""Whatever a server answers, each question gets an answer of its own kind or `Missing`."""

from hypothesis import given
from hypothesis import strategies as st

from agent.adapters.models.reading import read_answers
from agent.domain.answers import Choice, Chosen, Missing, Noul, Nouled, Question, Score, Scored

QUESTIONS: dict[str, Question] = {
    "action": Choice(instructions="?", options={"a": "", "b": ""}),
    "risk": Score(instructions="?", levels=("low", "high")),
    "blocked": Noul(instructions="?"),
}
json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["a", "b", "0", "1", "choice", "probabilities", "noul", "score", "action", "risk", "blocked"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(json_values)
def test_noise_never_raises_and_never_becomes_an_answer_of_another_kind(raw: object) -> None:
    answers = read_answers(QUESTIONS, raw)

    assert set(answers) == set(QUESTIONS)
    assert isinstance(answers["action"], Chosen | Missing)
    assert isinstance(answers["risk"], Scored | Missing)
    assert isinstance(answers["blocked"], Nouled | Missing)
    if isinstance(answers["action"], Chosen):
        assert abs(sum(answers["action"].probabilities.values()) - 1) < 1e-9


@given(st.floats(0, 1))
def test_confidence_is_recomputed_and_the_servers_own_is_ignored(share: float) -> None:
    raw = {
        "action": {
            "choice": "a" if share >= 0.5 else "b",
            "probabilities": {"a": share, "b": 1 - share},
            "confidence": 9,
        }
    }

    answer = read_answers(QUESTIONS, raw)["action"]

    assert isinstance(answer, Chosen)
    assert abs(answer.confidence - (max(share, 1 - share) - 0.5) / 0.5) < 1e-6


def test_one_bad_answer_leaves_the_others_standing() -> None:
    raw = {
        "action": {"probabilities": {"a": 2}},
        "risk": {"probabilities": {"0": 0.25, "1": 0.75}},
        "blocked": {"noul": 0.1},
    }

    answers = read_answers(QUESTIONS, raw)

    assert isinstance(answers["action"], Missing)
    assert answers["risk"] == Scored(score=0.75, probabilities={"0": 0.25, "1": 0.75}, confidence=0.5)
    assert answers["blocked"] == Nouled(probability=0.1)
