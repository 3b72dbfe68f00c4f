"""What was recorded is replayed exactly; what was not is an error, never an invention."""

from pathlib import Path

import pytest

from agent.adapters.models.cassette import (
    Cassette,
    CassetteClassifier,
    CassetteGenerator,
    RecordingClassifier,
    RecordingGenerator,
)
from agent.adapters.models.chat import ChatGenerator
from agent.domain.answers import Choice, Chosen, Classified, Missing, Noul, Nouled, Question, Scored
from agent.domain.edit import Anchor
from agent.domain.profiles import BENDCODER
from agent.errors import ModelError
from agent.ports import WriteRequest
from tests.support.chat_server import chat_server, text_reply

QUESTIONS: dict[str, Question] = {
    "action": Choice(instructions="?", options={"a": "", "b": ""}),
    "n": Noul(instructions="?"),
}
REQUEST = WriteRequest(anchor=Anchor(path="a.py", begin=1, end=1, old=b"x\n"), messages=(("user", "hi"),))


class FixedClassifier:
    """A scripted Classify: the same answers to everything."""

    label = "scripted"
    profile = BENDCODER

    def ask(self, state: object, questions: object) -> Classified:
        return Classified(
            answers={
                "action": Chosen(choice="a", probabilities={"a": 0.75, "b": 0.25}, confidence=0.5),
                "n": Nouled(probability=0.25),
                "s": Scored(score=1.0, probabilities={"0": 0.0, "1": 1.0}, confidence=1.0),
                "m": Missing(reason="not asked"),
            },
            model="scripted/1",
            tokens=12,
        )


def test_a_classify_exchange_is_replayed_exactly_once(tmp_path: Path) -> None:
    tape = tmp_path / "tape.jsonl"
    recorded = RecordingClassifier(FixedClassifier(), Cassette(tape)).ask({"step": 1}, QUESTIONS)

    replay = CassetteClassifier(Cassette(tape))

    assert replay.ask({"step": 1}, QUESTIONS) == recorded
    with pytest.raises(ModelError, match="no further classify exchange"):
        replay.ask({"step": 1}, QUESTIONS)


def test_a_generate_exchange_is_replayed_with_its_usage(tmp_path: Path) -> None:
    tape = tmp_path / "tape.jsonl"
    with chat_server([text_reply("y")]) as server:
        recorded = RecordingGenerator(ChatGenerator(url=server.url, model="m", key=""), Cassette(tape)).write(
            REQUEST, 1
        )

    replayed = CassetteGenerator(Cassette(tape)).write(REQUEST, 1)

    assert (replayed.drafts, replayed.tokens, replayed.model) == (recorded.drafts, recorded.tokens, recorded.model)


def test_an_unknown_request_is_an_error(tmp_path: Path) -> None:
    tape = tmp_path / "tape.jsonl"
    tape.write_text("")

    with pytest.raises(ModelError, match="no further generate exchange"):
        CassetteGenerator(Cassette(tape)).write(REQUEST, 1)


def test_a_spoiled_line_is_named(tmp_path: Path) -> None:
    tape = tmp_path / "tape.jsonl"
    tape.write_text('{"kind": "classify"}\n')

    with pytest.raises(ModelError, match="line 1"):
        CassetteClassifier(Cassette(tape)).ask({}, QUESTIONS)
