"""Classify against servers that lie, flood, redirect or talk nonsense: `Missing` by name, no crash, no key."""

import gzip
import json
import logging

import pytest

from agent.adapters.models import http
from agent.adapters.models.completions import TooLongError
from agent.adapters.models.retrying import Pace
from agent.adapters.models.systemone import SystemOneClassifier
from agent.domain.answers import Choice, Chosen, Classified, Missing, Noul, Question
from agent.errors import ModelError
from tests.support.chat_server import ChatServer, Reply, chat_server

KEY = "sk-very-secret-0123456789"
QUESTIONS: dict[str, Question] = {
    "action": Choice(instructions="?", options={"read": "look", "edit": "change"}),
    "blocked": Noul(instructions="?"),
}
GOOD = {"action": {"type": "choice", "choice": "edit", "probabilities": {"read": 0.1, "edit": 0.9}, "confidence": 0.8}}


def ask(server: ChatServer, waits: list[float] | None = None) -> Classified:
    sleeps = waits if waits is not None else []
    client = SystemOneClassifier(
        url=server.url.removesuffix("/v1"), model="m", key=KEY, pace=Pace(cap=8.0, sleep=sleeps.append)
    )
    try:
        return client.ask({"directive": "repair it"}, QUESTIONS)
    finally:
        client.close()


def reasons(answer: Classified) -> set[str]:
    return {one.reason for one in answer.answers.values() if isinstance(one, Missing)}


def body(answers: object, **more: object) -> bytes:
    usage = {"input_tokens": 5, "output_tokens": 1}
    return json.dumps({"model": "m", "answers": answers, "usage": usage, **more}).encode()


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"null",
        b"[]",
        b"7",
        b"{}",
        b'"answers"',
        b"\xff\xfe\x00bad",
        b"<html>login</html>",
        b"[" * 100_000,
        b'{"a":' * 50_000,
        b'{"answers": ' + b"9" * 10_000 + b"}",
        b'{"answers": {"action": {"choice": "edit", "probabilities": {"edit": NaN, "read": Infinity}}}}',
        body([GOOD]),
        body({"action": "edit"}),
        body({"action": {"choice": "delete_everything", "probabilities": {"delete_everything": 1.0}}}),
        body({"action": {"type": "choice", "choice": "edit", "confidence": 1.0}}),
        body({"action": {"type": "noul", "noul": 0.9}, "blocked": {"type": "choice", "choice": "edit"}}),
    ],
)
def test_nonsense_is_missing_for_every_question(raw: bytes) -> None:
    with chat_server([Reply(body=raw)]) as server:
        answer = ask(server)

    assert set(answer.answers) == set(QUESTIONS)
    assert all(isinstance(one, Missing) for one in answer.answers.values())


def test_an_answer_beside_nonsense_stands() -> None:
    with chat_server(
        [Reply(body=body({**GOOD, "blocked": {"noul": "very"}}, usage={"input_tokens": float("inf")}))]
    ) as server:
        answer = ask(server)

    assert isinstance(answer.answers["action"], Chosen)
    assert isinstance(answer.answers["blocked"], Missing)
    assert answer.tokens == 0


@pytest.mark.parametrize(
    "reply",
    [
        Reply(status=413, body=b"too big"),
        Reply(status=400, body=b'{"detail": {"error_type": "max_tokens_exceeded", "message": "40000 > 32768"}}'),
    ],
)
def test_a_request_that_is_too_long_is_told_apart_from_every_other_failure(reply: Reply) -> None:
    with chat_server([reply]) as server, pytest.raises(TooLongError):
        ask(server)

    assert len(server.requests) == 1


def test_a_reply_without_end_or_measure_is_not_read() -> None:
    flood = Reply(body=b" " * (http.MAX_REPLY + 1))
    with chat_server([flood]) as server:
        answer = ask(server)

    assert len(server.requests) == 1
    assert reasons(answer) == {"Classify cannot be read: the reply is larger than 8 MB; check BENDCODER_CLASSIFY_URL"}


def test_a_packed_flood_is_not_unpacked() -> None:
    packed = gzip.compress(b" " * 10_000_000)
    with chat_server([Reply(body=packed, headers=(("Content-Encoding", "gzip"),))]) as server:
        answer = ask(server)

    assert "compressed" in reasons(answer).pop()


def test_a_redirect_is_not_followed_and_the_key_stays_here() -> None:
    with (
        chat_server([Reply(body=body(GOOD))]) as thief,
        chat_server([Reply(status=307, headers=(("Location", thief.url),))]) as server,
    ):
        answer = ask(server)

    assert thief.requests == []
    assert "redirects elsewhere" in reasons(answer).pop()


@pytest.mark.parametrize(
    ("headers", "waited"),
    [
        ((("retry-after-ms", "1500"), ("Retry-After", "7")), 1.5),
        ((("Retry-After", "3"),), 3.0),
        ((("Retry-After", "600"),), 8.0),
    ],
)
def test_a_server_is_waited_for_as_it_asks_up_to_the_cap(headers: tuple[tuple[str, str], ...], waited: float) -> None:
    waits: list[float] = []
    with chat_server([Reply(status=429, headers=headers), Reply(body=body(GOOD))]) as server:
        answer = ask(server, waits)

    assert waits == [waited]
    assert isinstance(answer.answers["action"], Chosen)
    assert answer.notes["retries"] == "1 failed try before it: status 429"


def test_a_server_that_stays_down_is_asked_four_times_and_named() -> None:
    with chat_server([Reply(status=503, body=KEY.encode())]) as server:
        answer = ask(server)

    assert len(server.requests) == 4
    assert reasons(answer) == {"Classify failed after 4 tries: status 503; check BENDCODER_CLASSIFY_URL"}


@pytest.mark.parametrize(
    "reply", [Reply(status=500, body=KEY.encode()), Reply(status=401, body=KEY.encode()), Reply(body=b"x")]
)
def test_the_key_is_in_no_error_log_or_text_of_the_client(reply: Reply, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with chat_server([reply]) as server:
        answer = ask(server)

    told = repr(answer) + "".join(
        record.getMessage() + repr(record.args) for record in caplog.records if "body" not in record.getMessage()
    )
    assert KEY not in told
    assert KEY not in repr(SystemOneClassifier(url=server.url, model="m", key=KEY))
    assert server.keys[0] == f"Bearer {KEY}"


@pytest.mark.parametrize("ending", ["", "/", "/v1/systemone"])
def test_an_address_copied_with_its_path_works_as_well(ending: str) -> None:
    with chat_server([Reply(body=body(GOOD))]) as server:
        client = SystemOneClassifier(url=server.url.removesuffix("/v1") + ending, model="m", key="")
        client.ask({}, QUESTIONS)
        client.close()

    assert server.paths == ["/v1/systemone"]


@pytest.mark.parametrize("key", ["sk-é-secret", "sk-secret\nX-Evil: 1", "sk secret"])
def test_a_key_no_header_can_hold_is_refused_without_being_shown(key: str) -> None:
    with pytest.raises(ModelError) as caught:
        SystemOneClassifier(url="http://127.0.0.1:1", model="m", key=key)

    assert "TYPESAFE_API_KEY" in str(caught.value)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "url", ["", "ftp://host", "host:80", "http://", "http://u:p@host", "http://host?key=1", "http://[bad"]
)
def test_an_address_that_is_none_is_refused_by_the_name_of_its_setting(url: str) -> None:
    with pytest.raises(ModelError, match="BENDCODER_CLASSIFY_URL"):
        SystemOneClassifier(url=url, model="m", key="")
