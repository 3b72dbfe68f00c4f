"""What was recorded is replayed exactly; what was not is an error, never an invention."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from agent.adapters.models.cassette import (
    Cassette,
    CassetteClassifier,
    CassetteGenerator,
    RecordingClassifier,
    RecordingGenerator,
    classify_digest,
    generate_digest,
)
from agent.adapters.models.chat import ChatGenerator
from agent.domain.answers import Choice, Chosen, Classified, Missing, Noul, Nouled, Question, Score, Scored
from agent.domain.edit import Anchor, Change, Draft, Hunk
from agent.domain.profiles import profile_of
from agent.errors import ModelError
from agent.ports import WriteRequest, Written
from tests.support.chat_server import chat_server, text_reply

QUESTIONS: dict[str, Question] = {
    "action": Choice(instructions="?", options={"a": "", "b": ""}),
    "n": Noul(instructions="?"),
    "s": Score(instructions="?", levels=("low", "high")),
}
STATE = {"directive": "goal", "observations": ["2 failed in 0.03s"], "budget": {"steps_left": 3, "seconds_left": 90}}
REQUEST = WriteRequest(anchor=Anchor(path="a.py", begin=1, end=1, old=b"x\n"), messages=(("user", "hi"),))
ANSWER = Classified(
    answers={
        "action": Chosen(choice="a", probabilities={"a": 0.75, "b": 0.25}, confidence=0.5),
        "n": Nouled(probability=0.25),
        "s": Scored(score=1.0, probabilities={"0": 0.0, "1": 1.0}, confidence=1.0),
        "m": Missing(reason="not asked"),
    },
    model="scripted/1",
    tokens=12,
    money=0.5,
    seconds=1.5,
    request_id="req-1",
    notes={"fitted": "halved once"},
)
WRITTEN = Written(
    drafts=(
        Draft(text=b"\xff\x00 bytes", note="swap"),
        Draft(hunks=(Hunk(path="b.py", old="a", new="b"), Hunk(path="c.py", delete=True))),
        Draft(problem="the reply cannot be used", probe=True),
    ),
    tokens=7,
    money=0.25,
    seconds=2.0,
    stop="length",
    model="chat/x",
    note="usage of 1 of 1 calls is estimated",
)


class FixedClassifier:
    """A scripted Classify: the same answers to everything."""

    label = "scripted"
    profile = profile_of("systemone", "kev-0.8b")

    def ask(self, state: Mapping[str, object], questions: Mapping[str, Question]) -> Classified:
        return ANSWER


class FixedGenerator:
    """A scripted Generate: one reply with everything a reply can hold."""

    label, repairs, prose, room = "scripted", False, True, 1234

    def write(self, request: WriteRequest, n: int) -> Written:
        return WRITTEN


@pytest.fixture
def tape(tmp_path: Path) -> Path:
    return tmp_path / "tape.jsonl"


def test_a_classify_exchange_is_replayed_whole_and_once(tape: Path) -> None:
    recorded = RecordingClassifier(FixedClassifier(), Cassette(tape)).ask(STATE, QUESTIONS)

    replay = CassetteClassifier(Cassette(tape))

    assert replay.ask(STATE, QUESTIONS) == recorded == ANSWER
    assert replay.profile == FixedClassifier.profile
    with pytest.raises(ModelError, match="no further classify exchange"):
        replay.ask(STATE, QUESTIONS)


def test_a_generate_exchange_is_replayed_whole(tape: Path) -> None:
    recording = RecordingGenerator(FixedGenerator(), Cassette(tape))
    recording.write(REQUEST, 1)

    assert CassetteGenerator(Cassette(tape)).write(REQUEST, 1) == WRITTEN
    assert (recording.repairs, recording.prose, recording.room) == (False, True, 1234)


def test_a_real_endpoints_reply_is_replayed_with_its_usage(tape: Path) -> None:
    with chat_server([text_reply("y")]) as server:
        recorded = RecordingGenerator(ChatGenerator(url=server.url, model="m", key=""), Cassette(tape)).write(
            REQUEST, 1
        )

    assert CassetteGenerator(Cassette(tape)).write(REQUEST, 1) == recorded


def test_exchanges_of_one_request_come_back_in_their_order(tape: Path) -> None:
    cassette = Cassette(tape)
    for tokens in (1, 2):
        cassette.append("generate", generate_digest(REQUEST, 1), replace(WRITTEN, tokens=tokens))

    replay = CassetteGenerator(Cassette(tape))

    assert [replay.write(REQUEST, 1).tokens for _ in range(2)] == [1, 2]


def test_an_unknown_request_is_an_error(tape: Path) -> None:
    tape.write_text("")

    with pytest.raises(ModelError, match="no further generate exchange"):
        CassetteGenerator(Cassette(tape)).write(REQUEST, 1)


@pytest.mark.parametrize(
    "line", ['{"kind": "classify"}', "[]", "nothing", '{"v": 1, "kind": "x", "digest": "", "answer": 1}']
)
def test_a_spoiled_line_is_named(tape: Path, line: str) -> None:
    tape.write_text(f"{line}\n")

    with pytest.raises(ModelError, match="line 1"):
        CassetteClassifier(Cassette(tape))


def test_an_answer_that_is_no_such_value_is_an_error_and_no_guess(tape: Path) -> None:
    digest = classify_digest(STATE, QUESTIONS)
    tape.write_text(json.dumps({"v": 2, "kind": "classify", "digest": digest, "answer": {"answers": 7}}) + "\n")

    with pytest.raises(ModelError, match="spoiled"):
        CassetteClassifier(Cassette(tape)).ask(STATE, QUESTIONS)


def test_what_a_clock_changes_is_no_part_of_a_request(tape: Path) -> None:
    later = {**STATE, "observations": ["2 failed in 1.71s"], "budget": {"steps_left": 3, "seconds_left": 12}}

    assert classify_digest(later, QUESTIONS) == classify_digest(STATE, QUESTIONS)
    assert generate_digest(replace(REQUEST, seconds=1.0, passing=("b", "a")), 1) == generate_digest(REQUEST, 1)


@pytest.mark.parametrize(
    "other",
    [
        replace(REQUEST, role="plan"),
        replace(REQUEST, messages=(("user", "ho"),)),
        replace(REQUEST, source=b"y"),
        replace(REQUEST, anchor=None),
        replace(REQUEST, failing=("t",)),
        replace(REQUEST, changes=(Change(path="a", before=None, after=b""),)),
    ],
)
def test_what_is_asked_is_part_of_a_request(other: WriteRequest) -> None:
    assert generate_digest(other, 1) != generate_digest(REQUEST, 1)
    assert generate_digest(REQUEST, 2) != generate_digest(REQUEST, 1)


def test_the_order_of_options_is_part_of_a_request() -> None:
    other = {**QUESTIONS, "action": Choice(instructions="?", options={"b": "", "a": ""})}

    assert classify_digest(STATE, other) != classify_digest(STATE, QUESTIONS)


def test_digests_are_the_same_in_every_process_and_version() -> None:
    assert classify_digest(STATE, QUESTIONS)[:16] == "b4b19ba0823c3e62"
    assert generate_digest(REQUEST, 3)[:16] == "54951b7b10a1a34f"


def test_the_file_is_its_owners_alone(tape: Path) -> None:
    RecordingGenerator(FixedGenerator(), Cassette(tape)).write(REQUEST, 1)

    assert tape.stat().st_mode & 0o077 == 0


def test_a_place_that_cannot_be_written_is_named_by_its_setting(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="BENDCODER_RECORD"):
        RecordingGenerator(FixedGenerator(), Cassette(tmp_path / "no" / "tape")).write(REQUEST, 1)
