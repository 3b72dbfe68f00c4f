"""Classify over the real wire, against jevcompat's keyless mock server and each of its faults that touches parsing."""

import pytest
from jevcompat.mock import MockConfig, Running

from agent.adapters.models.systemone import SystemOneClassifier
from agent.domain.answers import Choice, Chosen, Classified, Missing, Noul, Nouled, Question, Score, Scored

QUESTIONS: dict[str, Question] = {
    "action": Choice(instructions="What next?", options={"Read": "look", "Edit": "change", "none": "nothing fits"}),
    "risk": Score(instructions="How risky?", levels=("only looks", "runs", "writes")),
    "repeats": Noul(instructions="Would it repeat a failure?"),
}


def mock_server(*faults: str) -> Running:
    return Running(MockConfig(faults=frozenset(faults)))


def ask(url: str) -> Classified:
    classifier = SystemOneClassifier(url=url, model="jev-1.13.0", key="secret-key")
    try:
        return classifier.ask({"directive": "repair it"}, QUESTIONS)
    finally:
        classifier.close()


def test_every_kind_of_question_is_answered_with_full_probabilities() -> None:
    with mock_server() as server:
        answer = ask(server.url)

    action, risk, repeats = (answer.answers[name] for name in QUESTIONS)
    assert isinstance(action, Chosen)
    assert set(action.probabilities) == {"Read", "Edit", "none"}
    assert action.probabilities[action.choice] == max(action.probabilities.values())
    assert isinstance(risk, Scored)
    assert 0 <= risk.score <= 2
    assert isinstance(repeats, Nouled)
    assert answer.tokens > 0


@pytest.mark.parametrize(
    ("fault", "spoiled"),
    [
        ("no-usage", set()),
        ("float-usage", set()),
        ("extra-answer", set()),
        ("nan", set()),
        ("unprefixed-extra", set()),
        ("choice-no-confidence", set()),
        ("confidence-over", set()),
        ("confidence-margin", set()),
        ("score-no-legend", set()),
        ("legend-1-based", set()),
        ("score-argmax", set()),
        ("noul-range", {"repeats"}),
        ("choice-key-case", {"action"}),
        ("choice-sum", {"action"}),
        ("choice-second", {"action"}),
        ("score-keys-1-based", {"risk"}),
        ("score-sum", {"risk"}),
    ],
)
def test_a_faulty_server_costs_at_most_the_spoiled_answer(fault: str, spoiled: set[str]) -> None:
    with mock_server(fault) as server:
        answer = ask(server.url)

    assert {name for name, one in answer.answers.items() if isinstance(one, Missing)} == spoiled


@pytest.mark.parametrize("fault", ["wrong-route", "xssi-200", "auth-rejects-header", "text-errors"])
def test_an_unusable_server_gives_missing_answers_or_good_ones_and_never_raises(fault: str) -> None:
    with mock_server(fault) as server:
        answer = ask(server.url)

    assert set(answer.answers) == set(QUESTIONS)
    if fault != "text-errors":
        assert all(isinstance(one, Missing) for one in answer.answers.values())
        assert not any("secret-key" in one.reason for one in answer.answers.values() if isinstance(one, Missing))
