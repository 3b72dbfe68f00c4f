"""Classify over the real wire, against jevcompat's keyless mock server with every fault it can be given."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pytest
from jevcompat.mock import FAULTS, MockConfig, Running

from agent.adapters.models.price import Price
from agent.adapters.models.retrying import Pace
from agent.adapters.models.systemone import SystemOneClassifier
from agent.domain.answers import Answer, Choice, Chosen, Classified, Missing, Noul, Nouled, Question, Score, Scored

STATE = {"directive": "repair it", "observations": ["one", "two"]}
QUESTIONS: dict[str, Question] = {
    "action": Choice(instructions="What next?", options={"Read": "look", "Edit": "change", "none": "nothing fits"}),
    "risk": Score(instructions="How risky?", levels=("only looks", "runs", "writes")),
    "repeats": Noul(instructions="Would it repeat a failure?"),
}
MANY: dict[str, Question] = {
    **QUESTIONS,
    "file_to_read": Choice(instructions="Which?", options={f"{n}.py": "a file" for n in range(80)} | {"none": "none"}),
    "naïve": Choice(instructions="Which?", options={"na\u00efve.py": "composed", "b.py": "plain"}),
}
ALL = frozenset(QUESTIONS)


@dataclass(slots=True)
class Server:
    """The mock with a fault that can be changed, and a client of it that keeps its connections."""

    running: Running
    config: MockConfig
    client: SystemOneClassifier

    def ask(
        self, *faults: str, questions: Mapping[str, Question] = QUESTIONS, key: str | None = None
    ) -> Mapping[str, Answer]:
        self.config.faults, self.config.key = frozenset(faults), key
        return self.client.ask(STATE, questions).answers


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    config = MockConfig()
    with Running(config) as running:
        client = SystemOneClassifier(
            url=running.url,
            model="jev-1.13.0",
            key="secret-key",
            price=Price(per_million_in=2.0),
            pace=Pace(cap=8.0, sleep=lambda _: None),
        )
        yield Server(running, config, client)
        client.close()


def missing(answers: Mapping[str, Answer]) -> set[str]:
    return {name for name, answer in answers.items() if isinstance(answer, Missing)}


def test_every_kind_of_question_is_answered_with_full_probabilities(server: Server) -> None:
    server.ask()
    answer = server.client.ask(STATE, QUESTIONS)

    action, risk, repeats = (answer.answers[name] for name in QUESTIONS)
    assert isinstance(action, Chosen)
    assert set(action.probabilities) == {"Read", "Edit", "none"}
    assert action.probabilities[action.choice] == max(action.probabilities.values())
    assert isinstance(risk, Scored)
    assert 0 <= risk.score <= 2
    assert isinstance(repeats, Nouled)
    assert answer.tokens > 0
    assert answer.money is not None
    assert 0 < answer.money < answer.tokens * 2 / 1e6
    assert answer.request_id == "req_mock"
    assert answer.model == "systemone/jevcompat-mock-0.1"
    assert answer.notes == {"model": "jevcompat-mock-0.1 answered for jev-1.13.0: floors belong to a model"}


SPOILED: dict[str, frozenset[str]] = {
    # the server cannot be used as it is
    "wrong-route": ALL,
    "xssi-200": ALL,
    "auth-rejects-header": ALL,
    # answers that cannot be what was asked
    "first-question-only": ALL - {"action"},
    "boolean-type": frozenset({"repeats"}),
    "noul-range": frozenset({"repeats"}),
    "choice-key-case": frozenset({"action"}),
    "choice-sum": frozenset({"action"}),
    "choice-second": frozenset({"action"}),
    "score-keys-1-based": frozenset({"risk"}),
    "score-sum": frozenset({"risk"}),
}
LEAKS = {"id-leaks", "batch-leaks", "order-leaks"}
"""Faults of the model behind the wire: its answers are well-formed and nobody could tell."""


@pytest.mark.parametrize("fault", sorted(FAULTS))
def test_a_fault_costs_at_most_the_answers_it_spoils(server: Server, fault: str) -> None:
    right = server.ask()

    answers = server.ask(fault)

    spoiled = SPOILED.get(fault, frozenset())
    assert missing(answers) == spoiled
    if fault not in LEAKS:
        assert {name: answers[name] for name in ALL - spoiled} == {name: right[name] for name in ALL - spoiled}
    assert not any("secret-key" in one.reason for one in answers.values() if isinstance(one, Missing))


@pytest.mark.parametrize("fault", ["auth-x-api-key", "auth-plain", "auth-invalid-403-text", ""])
def test_a_refused_key_is_named_by_its_setting_and_never_shown(server: Server, fault: str) -> None:
    answers = server.ask(*([fault] if fault else []), key="another-key")

    reasons = {one.reason for one in answers.values() if isinstance(one, Missing)}
    assert len(reasons) == 1
    assert "TYPESAFE_API_KEY" in reasons.pop()


@pytest.mark.parametrize(
    ("fault", "spoiled"),
    [("cap-64", {"file_to_read"}), ("nfd-keys", {"naïve"}), ("strict-ids", {"naïve"}), ("cap-5-levels", set())],
)
def test_a_question_the_server_cannot_take_does_not_cost_the_others(
    server: Server, fault: str, spoiled: set[str]
) -> None:
    answers = server.ask(fault, questions=MANY)

    assert missing(answers) == spoiled
    assert set(answers) == set(MANY)


def test_a_validation_error_of_another_shape_stops_by_name(server: Server) -> None:
    answers = server.ask("cap-64", "validation-400", questions=MANY)

    assert missing(answers) == set(MANY)
    assert all("status 400" in one.reason for one in answers.values() if isinstance(one, Missing))


@pytest.mark.parametrize("error", ["text-errors", "error-flat", "errors"])
def test_a_model_that_is_not_served_is_named_by_its_setting(server: Server, error: str) -> None:
    server.config.faults, server.config.key = frozenset({error} & set(FAULTS)), None
    client = SystemOneClassifier(url=server.running.url, model="gpt-7", key="k")

    answer = client.ask(STATE, QUESTIONS)
    client.close()

    assert missing(answer.answers) == ALL
    reasons = [one.reason for one in answer.answers.values() if isinstance(one, Missing)]
    assert all("BENDCODER_CLASSIFY_MODEL" in reason for reason in reasons)
    assert "not calibrated" in client.label
    assert "nobody has measured" in answer.notes["floors"]


def test_a_busy_server_is_asked_again_and_the_trace_says_so(server: Server) -> None:
    server.ask()
    server.config.busy_every = 2
    try:
        answers: list[Classified] = [server.client.ask(STATE, QUESTIONS) for _ in range(3)]
    finally:
        server.config.busy_every = 0

    assert [missing(one.answers) for one in answers] == [set(), set(), set()]
    assert any("status 429" in one.notes.get("retries", "") for one in answers)
