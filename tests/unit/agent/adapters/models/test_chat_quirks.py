"""Generate against what servers and reasoning models do differently: every call is paid, every failure named."""

import email.utils
import gzip
import json
import logging
import time
from dataclasses import replace

import pytest

from agent.adapters.models import http
from agent.adapters.models.chat import ROOM, ChatGenerator, room_of
from agent.adapters.models.completions import TooLongError
from agent.adapters.models.price import Price
from agent.adapters.models.retrying import Pace
from agent.adapters.models.speaking import MORE_TOKENS, Room
from agent.domain.edit import Anchor, Hunk
from agent.errors import ModelError
from agent.ports import Role, WriteRequest, Written
from tests.support.chat_server import ChatServer, Reply, chat_server, text_reply

KEY = "sk-very-secret-0123456789"
ANCHOR = Anchor(path="a.py", begin=1, end=1, old=b"return 1\n")
REQUEST = WriteRequest(anchor=ANCHOR, messages=(("system", "rules"), ("user", "fix it")), seconds=60)


def message(content: object, finish: str = "stop", usage: object = None, **more: object) -> Reply:
    choice = {"message": {"role": "assistant", "content": content, **more}, "finish_reason": finish}
    return Reply(body=json.dumps({"choices": [choice], "usage": usage}).encode())


def refusal(text: str, status: int = 400) -> Reply:
    return Reply(status=status, body=json.dumps({"error": {"message": text}}).encode())


def generator(server: ChatServer, waits: list[float] | None = None, **more: object) -> ChatGenerator:
    pace = Pace(cap=30.0, sleep=(waits if waits is not None else []).append)
    price = Price(per_million_in=1, per_million_out=1)
    return ChatGenerator(url=server.url, model="m", key=KEY, price=price, pace=pace, **more)  # type: ignore[arg-type]


def write(server: ChatServer, n: int = 1, request: WriteRequest = REQUEST, **more: object) -> Written:
    made = generator(server, **more)
    try:
        return made.write(request, n)
    finally:
        made.close()


def texts(written: Written) -> list[bytes]:
    return [draft.text for draft in written.drafts]


def test_streaming_is_off_and_no_limit_is_sent_unasked() -> None:
    with chat_server([text_reply("return 2")]) as server:
        write(server)

    assert server.requests == [
        {
            "model": "m",
            "messages": [{"role": "system", "content": "rules"}, {"role": "user", "content": "fix it"}],
            "stream": False,
        }
    ]


@pytest.mark.parametrize("ending", ["", "/", "/chat/completions", "/chat/completions/"])
def test_an_address_copied_with_its_path_works_as_well(ending: str) -> None:
    with chat_server([text_reply("return 2")]) as server:
        made = ChatGenerator(url=server.url + ending, model="m", key="")
        made.write(REQUEST, 1)
        made.close()

    assert server.paths == ["/v1/chat/completions"]


def test_a_prompt_with_bytes_that_are_no_text_is_sent_all_the_same() -> None:
    with chat_server([text_reply("return 2")]) as server:
        write(server, request=replace(REQUEST, messages=(("user", "file caf\udce9.py\x00"),)))

    assert server.requests[0]["messages"] == [{"role": "user", "content": "file caf\\udce9.py\x00"}]


@pytest.mark.parametrize(
    "text", ["Invalid value for 'n': must be 1", "n is not supported", "only one candidate", "requested parameters"]
)
def test_a_server_that_refuses_n_is_asked_one_by_one(text: str) -> None:
    replies = [refusal(text), *(text_reply(f"return {number}") for number in (2, 3, 4))]
    with chat_server(replies) as server:
        written = write(server, 3)

    assert texts(written) == [b"return 2\n", b"return 3\n", b"return 4\n"]
    assert [request.get("n") for request in server.requests] == [3, None, None, None]
    assert written.tokens == 330


def test_a_server_that_ignores_n_is_asked_until_there_are_enough() -> None:
    with chat_server([text_reply("return 2"), text_reply("return 3")]) as server:
        written = write(server, 2)

    assert texts(written) == [b"return 2\n", b"return 3\n"]


def test_a_server_without_chance_is_not_asked_for_the_same_again() -> None:
    with chat_server([text_reply("return 2")]) as server:
        written = write(server, 5)

    assert texts(written) == [b"return 2\n"]
    assert len(server.requests) == 2


def test_a_server_that_fails_later_leaves_what_it_gave_first() -> None:
    with chat_server([text_reply("return 2"), Reply(status=401)]) as server:
        written = write(server, 3)

    assert texts(written) == [b"return 2\n"]


def test_the_operators_number_of_candidates_is_a_ceiling_and_prose_is_written_once() -> None:
    with chat_server([text_reply("return 2")]) as server:
        write(server, 3, candidates=1)
        write(server, 3, WriteRequest(anchor=None, role="plan", messages=(("user", "plan"),)))

    assert len(server.requests) == 2
    assert not any("n" in request for request in server.requests)


def test_more_choices_than_wanted_are_left_out() -> None:
    with chat_server([text_reply("a", "b", "a", "c")]) as server:
        assert texts(write(server, 2)) == [b"a\n", b"b\n"]


def test_a_length_limit_goes_by_the_name_the_server_takes() -> None:
    refused = refusal("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
    with chat_server([refused, text_reply("return 2")]) as server:
        made = generator(server, size=Room(most=500))
        made.write(REQUEST, 1)
        made.write(REQUEST, 1)
        made.close()

    limits = [{key: value for key, value in request.items() if "tokens" in key} for request in server.requests]
    assert limits == [{"max_tokens": 500}, {"max_completion_tokens": 500}, {"max_completion_tokens": 500}]


def test_a_server_that_takes_no_limit_at_all_gets_none() -> None:
    refused = refusal("max_tokens and max_completion_tokens are not supported")
    with chat_server([refused, refused, text_reply("return 2")]) as server:
        assert texts(write(server, size=Room(most=500))) == [b"return 2\n"]

    assert not any("tokens" in key for key in server.requests[-1])


def test_a_model_without_a_system_role_gets_its_rules_before_the_request() -> None:
    refused = refusal("System role not supported")
    with chat_server([refused, text_reply("return 2")]) as server:
        made = generator(server, models={"plan": "other"})
        made.write(REQUEST, 1)
        made.write(REQUEST, 1)
        made.write(replace(REQUEST, role="plan"), 1)
        made.close()

    folded = [{"role": "user", "content": "rules\n\nfix it"}]
    whole = [{"role": "system", "content": "rules"}, {"role": "user", "content": "fix it"}]
    assert [request["messages"] for request in server.requests] == [whole, folded, folded, whole]


@pytest.mark.parametrize(("most", "room"), [(None, MORE_TOKENS), (20_000, 40_000)])
def test_a_reply_that_is_cut_off_gets_one_more_try_with_more_room(most: int | None, room: int) -> None:
    with chat_server([text_reply("return", finish="length"), text_reply("return 2")]) as server:
        written = write(server, size=Room(most=most))

    assert texts(written) == [b"return 2\n"]
    assert server.requests[1]["max_tokens"] == room
    assert written.tokens == 220
    assert written.stop == "length, stop"


def test_more_room_stays_within_the_models_window() -> None:
    with chat_server([text_reply("return", finish="length")]) as server:
        write(server, size=Room(most=4000, window=6000))

    assert server.requests[1]["max_tokens"] == 6000 - len("rulesfix it") // 4


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (text_reply("return", finish="length"), "cut off at the length limit"),
        (message("", reasoning_content="let me think"), "reasoning and no answer"),
        (message("<think>and on and on"), "reasoning and no answer"),
        (message(None, "tool_calls", tool_calls=[{"function": {"name": "edit"}}]), "calls a tool"),
        (message(None, refusal="no"), "content filter"),
        (message("  "), "holds no text"),
        (Reply(body=b"<html>please log in</html>"), "no chat completion"),
        (Reply(body=b'{"choices": []}'), "no chat completion"),
        (Reply(body=text_reply("x = 2").body, headers=(("Content-Type", "text/html"),)), "no chat completion"),
        (Reply(body=b"data: {}\n\n", headers=(("Content-Type", "text/event-stream"),)), "no chat completion"),
    ],
)
def test_a_reply_that_stays_unusable_is_a_named_failure_after_two_calls(reply: Reply, words: str) -> None:
    with chat_server([reply]) as server:
        written = write(server)

    assert len(server.requests) == 2
    assert [draft.text for draft in written.drafts] == [b""]
    assert words in written.drafts[0].problem
    assert words in written.note
    assert written.tokens > 0
    assert written.money is not None
    assert written.money > 0


@pytest.mark.parametrize(
    "reply",
    [
        text_reply("```python\nreturn 2\n```"),
        message([{"type": "reasoning", "text": "hm"}, {"type": "text", "text": "return 2"}]),
        message("<think>\n1? 2?\n</think>\nreturn 2"),
        message("return 2", reasoning_content="hm"),
        Reply(body=text_reply("return 2").body, headers=(("Content-Type", "text/plain"),)),
    ],
)
def test_odd_replies_with_a_usable_text_are_used(reply: Reply) -> None:
    with chat_server([reply]) as server:
        written = write(server)

    assert texts(written) == [b"return 2\n"]
    assert len(server.requests) == 1


def test_a_reply_in_sentinel_form_becomes_hunks() -> None:
    text = "<<<PATH>>>\na.py\n<<<OLD>>>\nreturn 1\n<<<NEW>>>\nreturn 2\n<<<END>>>"
    with chat_server([text_reply(text)]) as server:
        (draft,) = write(server).drafts

    assert draft.hunks == (Hunk(path="a.py", old="return 1", new="return 2"),)


@pytest.mark.parametrize(("role", "model"), [("draft", "m"), ("search", "quick"), ("plan", "deep"), ("answer", "m")])
def test_each_role_has_its_model(role: Role, model: str) -> None:
    request = WriteRequest(anchor=None, role=role, messages=(("user", "?"),))
    with chat_server([text_reply("words")]) as server:
        write(server, request=request, models={"search": "quick", "plan": "deep"})

    assert server.requests[0]["model"] == model


def test_usage_that_is_not_reported_is_estimated_and_marked() -> None:
    with chat_server([message("return 2")]) as server:
        written = write(server)

    assert written.tokens > 0
    assert written.money == pytest.approx(written.tokens / 1e6)
    assert written.note == "usage of 1 of 1 calls is estimated"


def test_failed_tries_that_report_usage_are_paid_as_well() -> None:
    failed = Reply(status=503, body=json.dumps({"usage": {"prompt_tokens": 70, "completion_tokens": 0}}).encode())
    with chat_server([failed, Reply(status=502), text_reply("return 2")]) as server:
        written = write(server)

    assert written.tokens == 180
    assert written.money == pytest.approx(180e-6)
    assert written.note == "2 failed tries before it: status 503, status 502"


def test_the_price_a_server_names_goes_before_our_own() -> None:
    with chat_server([message("return 2", usage={"prompt_tokens": 10, "completion_tokens": 1, "cost": 0.5})]) as server:
        assert write(server).money == 0.5


def test_without_a_price_no_money_is_claimed() -> None:
    with chat_server([text_reply("return 2")]) as server:
        made = ChatGenerator(url=server.url, model="m", key="")
        assert made.write(REQUEST, 1).money is None
        made.close()

    assert server.keys == [""]


def test_an_error_inside_a_good_status_counts_as_its_own_status() -> None:
    busy = Reply(body=b'{"error": {"code": 429, "message": "rate"}}', headers=(("Retry-After", "2"),))
    waits: list[float] = []
    with chat_server([busy, text_reply("return 2")]) as server:
        made = generator(server, waits)
        assert texts(made.write(REQUEST, 1)) == [b"return 2\n"]
        made.close()

    assert waits == [2.0]


def test_used_up_credit_is_named_and_not_asked_again() -> None:
    empty = Reply(body=b'{"error": {"code": 402, "message": "credits"}}')
    with chat_server([empty]) as server, pytest.raises(ModelError, match="credit is used up"):
        write(server)

    assert len(server.requests) == 1


def test_a_date_to_come_back_at_is_understood() -> None:
    waits: list[float] = []
    busy = Reply(status=503, headers=(("Retry-After", email.utils.formatdate(time.time() + 20, usegmt=True)),))
    with chat_server([busy, text_reply("return 2")]) as server:
        made = generator(server, waits)
        made.write(REQUEST, 1)
        made.close()

    assert 15 < waits[0] <= 20


def test_all_tries_share_one_deadline() -> None:
    busy = Reply(status=503, headers=(("Retry-After", "25"),))
    waits: list[float] = []
    with chat_server([busy]) as server:
        made = generator(server, waits)
        with pytest.raises(ModelError, match="status 503"):
            made.write(WriteRequest(anchor=ANCHOR, messages=(("user", "x"),), seconds=20), 1)
        made.close()

    assert waits == []
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "reply",
    [
        Reply(status=413),
        refusal("This model's maximum context length is 8192 tokens"),
        refusal("prompt is too long: 210000 tokens > 200000 maximum"),
        Reply(body=b'{"error": {"code": 400, "message": "context_length_exceeded"}}'),
    ],
)
def test_a_prompt_that_is_too_long_is_told_apart(reply: Reply) -> None:
    with chat_server([reply]) as server, pytest.raises(TooLongError, match="BENDCODER_GENERATE_MODEL"):
        write(server)


def test_a_limit_that_pushes_the_prompt_out_of_the_window_is_dropped_first() -> None:
    refused = refusal("maximum context length is 8192: 1000 in the messages, 8000 in the completion")
    with chat_server([refused, text_reply("return 2")]) as server:
        assert texts(write(server, size=Room(most=8000))) == [b"return 2\n"]

    assert "max_tokens" not in server.requests[1]


def test_a_flood_is_neither_read_nor_asked_for_again() -> None:
    with (
        chat_server([Reply(body=b" " * (http.MAX_REPLY + 1))]) as server,
        pytest.raises(ModelError, match="larger than"),
    ):
        write(server)

    assert len(server.requests) == 1


def test_a_packed_flood_is_not_unpacked() -> None:
    packed = Reply(body=gzip.compress(b" " * 1_000_000), headers=(("Content-Encoding", "gzip"),))
    with chat_server([packed]) as server, pytest.raises(ModelError, match="compressed"):
        write(server)


def test_a_reply_that_drips_past_the_deadline_is_given_up() -> None:
    ticks = iter(range(0, 10_000, 40))
    with chat_server([Reply(body=b" " * 200_000)]) as server:
        made = ChatGenerator(
            url=server.url, model="m", key="", pace=Pace(cap=1.0, clock=lambda: float(next(ticks)), tries=1)
        )
        with pytest.raises(ModelError, match="did not end in time"):
            made.write(REQUEST, 1)
        made.close()


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_not_followed_and_the_key_stays_here(status: int) -> None:
    with (
        chat_server([text_reply("stolen")]) as thief,
        chat_server([Reply(status=status, headers=(("Location", thief.url),))]) as server,
        pytest.raises(ModelError, match="not followed"),
    ):
        write(server)

    assert thief.requests == []


@pytest.mark.parametrize(
    "reply",
    [Reply(status=400, body=KEY.encode()), Reply(status=401, body=KEY.encode()), Reply(status=500), Reply(status=302)],
)
def test_the_key_is_in_no_error_log_or_text_of_the_client(reply: Reply, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with chat_server([reply]) as server:
        made = generator(server)
        with pytest.raises(ModelError) as caught:
            made.write(REQUEST, 1)
        made.close()

    assert server.keys[0] == f"Bearer {KEY}"
    told = [repr(record.msg) + repr(record.args) for record in caplog.records]
    assert KEY not in repr(made) + repr(vars(made)) + "".join(told)
    error: BaseException | None = caught.value
    while error is not None:
        assert KEY not in f"{error!r} {error} {vars(error)}"
        error = error.__cause__ or error.__context__


def test_a_dead_endpoints_error_leads_to_no_request_and_so_to_no_key() -> None:
    with chat_server([Reply()]) as server:
        pass
    with pytest.raises(ModelError) as caught:
        write(server)

    error: BaseException | None = caught.value
    while error is not None:
        assert not hasattr(error, "request")
        error = error.__cause__ or error.__context__


@pytest.mark.parametrize("key", ["sk-é-secret", "sk-secret\r\nX-Evil: 1", "sk secret"])
def test_a_key_no_header_can_hold_is_refused_without_being_shown(key: str) -> None:
    with pytest.raises(ModelError) as caught:
        ChatGenerator(url="http://127.0.0.1:1", model="m", key=key)

    assert "OPENROUTER_API_KEY" in str(caught.value)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("size", "room"),
    [
        (Room(), ROOM),
        (Room(window=32_768), int((32_768 - 4_096) * 0.7) * 4),
        (Room(window=128_000, most=28_000), 280_000),
        (Room(window=1_000, most=5_000), 1_400),
    ],
)
def test_the_room_for_a_prompt_follows_from_the_models_window(size: Room, room: int) -> None:
    assert room_of(size) == room
