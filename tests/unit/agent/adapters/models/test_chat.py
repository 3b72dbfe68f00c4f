"""Generate over a real local HTTP endpoint: what is counted, retried, refused and read out of odd replies."""

import json

import pytest

from agent.adapters.models.chat import ChatGenerator
from agent.adapters.models.price import Price
from agent.adapters.models.retrying import Pace
from agent.domain.edit import Anchor
from agent.errors import ModelError
from agent.ports import WriteRequest
from tests.support.chat_server import Reply, chat_server, text_reply

ANCHOR = Anchor(path="a.py", begin=1, end=1, old=b"return 1\r\n")
REQUEST = WriteRequest(anchor=ANCHOR, messages=(("user", "fix it"),), seconds=20)


def generator(url: str, waits: list[float] | None = None, key: str = "k-123") -> ChatGenerator:
    sleeps = waits if waits is not None else []
    pace = Pace(cap=30.0, sleep=sleeps.append)
    return ChatGenerator(url=url, model="m", key=key, price=Price(per_million_in=2, per_million_out=4), pace=pace)


def test_a_reply_becomes_a_draft_with_the_anchors_line_endings_and_is_counted() -> None:
    with chat_server([text_reply("```python\nreturn 2\n```")]) as server:
        written = generator(server.url).write(REQUEST, 1)

    assert [draft.text for draft in written.drafts] == [b"return 2\r\n"]
    assert written.tokens == 110
    assert written.money == pytest.approx(0.00024)
    assert server.keys == ["Bearer k-123"]
    assert "n" not in server.requests[0]


def test_several_choices_become_several_drafts_in_order() -> None:
    with chat_server([text_reply("return 2", "return 3")]) as server:
        written = generator(server.url).write(REQUEST, 2)

    assert [draft.text for draft in written.drafts] == [b"return 2\r\n", b"return 3\r\n"]
    assert server.requests[0]["n"] == 2


def test_overload_is_retried_as_long_as_the_server_asks_and_then_answered() -> None:
    waits: list[float] = []
    busy = Reply(status=429, headers=(("Retry-After", "7"),))
    with chat_server([busy, Reply(status=503), text_reply("return 2")]) as server:
        written = generator(server.url, waits).write(REQUEST, 1)

    assert len(written.drafts) == 1
    assert waits[0] == 7.0
    assert 0 <= waits[1] <= 30


def test_four_failures_are_an_error_that_names_no_key() -> None:
    with chat_server([Reply(status=500, body=b"k-123 leaked back")]) as server, pytest.raises(ModelError) as caught:
        generator(server.url).write(REQUEST, 1)

    assert len(server.requests) == 4
    assert "k-123" not in str(caught.value)


@pytest.mark.parametrize(("status", "setting"), [(401, "OPENROUTER_API_KEY"), (404, "BENDCODER_GENERATE_MODEL")])
def test_a_refusal_names_the_setting_to_change_and_is_not_retried(status: int, setting: str) -> None:
    with chat_server([Reply(status=status)]) as server, pytest.raises(ModelError, match=setting):
        generator(server.url).write(REQUEST, 1)

    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "reply",
    [
        Reply(body=b"not json"),
        Reply(body=b"[]"),
        Reply(body=json.dumps({"choices": [{"message": {"content": None}}]}).encode()),
        text_reply("   \n"),
        text_reply("return 2", finish="length"),
        Reply(body=b'{"choices": [{"message": {"content": 7}}]}'),
    ],
)
def test_a_reply_without_usable_text_is_no_draft_and_no_crash(reply: Reply) -> None:
    with chat_server([reply]) as server:
        written = generator(server.url).write(REQUEST, 1)

    assert not any(draft.text or draft.hunks for draft in written.drafts)
    assert written.note


def test_a_dead_endpoint_is_an_error_naming_the_address_setting() -> None:
    with chat_server([Reply()]) as server:
        url = server.url

    with pytest.raises(ModelError, match="BENDCODER_GENERATE_URL"):
        generator(url).write(REQUEST, 1)
