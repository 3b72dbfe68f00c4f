"""Reads whatever a chat server sends: usable text, or a name for why there is none; never an exception."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.adapters.models.replies import (
    BROKEN,
    CUT,
    EMPTY,
    FILTERED,
    ONLY_REASONING,
    TOOL,
    Counted,
    clean,
    read_body,
)


def body(message: object, finish: object = "stop", **more: object) -> bytes:
    return json.dumps({"choices": [{"message": message, "finish_reason": finish}], **more}).encode()


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"content": "x = 1"}, "x = 1"),
        ({"content": [{"type": "text", "text": "x ="}, {"type": "text", "text": " 1"}]}, "x = 1"),
        ({"content": [{"type": "reasoning", "text": "hm"}, {"type": "output_text", "text": "x = 1"}]}, "x = 1"),
        ({"content": ["x", " = 1"]}, "x = 1"),
        ({"content": "<think>\nmaybe 2?\n</think>\n\nx = 1"}, "x = 1"),
        ({"content": "<THINKING>2</THINKING>x = 1"}, "x = 1"),
        ({"content": "maybe 2?\n</think>\nx = 1"}, "x = 1"),
        ({"content": "x = 1", "reasoning_content": "long thoughts"}, "x = 1"),
        ({"content": "x = 1", "tool_calls": []}, "x = 1"),
        ({"content": 'x = "<think>y</think>"'}, 'x = "<think>y</think>"'),
        ({"content": "```\nx\n</think>\n```"}, "```\nx\n</think>\n```"),
        ({"content": "a\ud800b"}, "a?b"),
    ],
)
def test_the_text_of_a_reply(message: object, text: str) -> None:
    (spoken,) = read_body(body(message)).choices

    assert (spoken.text, spoken.problem) == (text, "")


@pytest.mark.parametrize(
    ("message", "finish", "problem"),
    [
        ({"content": "half of"}, "length", CUT),
        ({"content": None, "reasoning_content": "…"}, "length", CUT),
        ({"content": "", "reasoning_content": "I think"}, "stop", ONLY_REASONING),
        ({"content": None, "reasoning": "I think"}, "stop", ONLY_REASONING),
        ({"content": "<think>I never ended"}, "stop", ONLY_REASONING),
        ({"content": "<think>done</think>  \n"}, "stop", ONLY_REASONING),
        ({"content": None, "tool_calls": [{"function": {"name": "edit"}}]}, "tool_calls", TOOL),
        ({"content": "", "function_call": {"name": "edit"}}, "stop", TOOL),
        ({"content": "", "refusal": "I cannot"}, "stop", FILTERED),
        ({"content": "some"}, "content_filter", FILTERED),
        ({"content": "some"}, "error", BROKEN),
        ({"content": " \n"}, "stop", EMPTY),
        ({"content": 7}, "stop", EMPTY),
        ({}, "stop", EMPTY),
        (None, None, EMPTY),
        ("text", "stop", EMPTY),
    ],
)
def test_why_a_reply_cannot_be_used(message: object, finish: object, problem: str) -> None:
    (spoken,) = read_body(body(message, finish)).choices

    assert (spoken.text, spoken.problem) == ("", problem)


@pytest.mark.parametrize(
    ("usage", "counted"),
    [
        ({"prompt_tokens": 5, "completion_tokens": 2}, Counted(tokens_in=5, tokens_out=2)),
        ({"input_tokens": 5, "output_tokens": 2, "cost": 0.25}, Counted(tokens_in=5, tokens_out=2, money=0.25)),
        ({"prompt_tokens": 5.0}, Counted(tokens_in=5, tokens_out=0)),
        ({"prompt_tokens": -1, "completion_tokens": True}, None),
        ({"prompt_tokens": float("nan"), "completion_tokens": float("inf")}, None),
        ({"prompt_tokens": 10**12}, None),
        ({"prompt_tokens": 1, "cost": -3}, Counted(tokens_in=1, tokens_out=0)),
        ({"prompt_tokens": 1, "cost": float("inf")}, Counted(tokens_in=1, tokens_out=0)),
        ({}, None),
        ([], None),
        (None, None),
    ],
)
def test_usage_is_believed_only_where_it_can_be_true(usage: object, counted: Counted | None) -> None:
    assert read_body(body({"content": "x"}, usage=usage)).usage == counted


@pytest.mark.parametrize(
    ("raw", "code", "words"),
    [
        ({"error": {"message": "slow down", "code": 429}}, 429, "slow down"),
        ({"error": "broken"}, None, "broken"),
        ({"detail": [{"msg": "bad"}]}, None, "bad"),
        ({"message": "no route"}, None, "no route"),
        ({"error": {"code": "invalid"}}, None, "invalid"),
        ({"error": {"code": True}}, None, "true"),
    ],
)
def test_errors_of_every_shape_are_found(raw: object, code: int | None, words: str) -> None:
    found = read_body(json.dumps(raw).encode())

    assert found.code == code
    assert words in found.error


@pytest.mark.parametrize("raw", [b"", b"null", b"[]", b"\xff\xfe", b"[" * 100_000, b"1" * 10_000, b"data: {}\n\n"])
def test_what_is_no_json_object_is_unreadable(raw: bytes) -> None:
    found = read_body(raw)

    assert not found.readable
    assert found.choices == ()


names = st.sampled_from(
    [
        "choices",
        "message",
        "content",
        "finish_reason",
        "usage",
        "prompt_tokens",
        "cost",
        "error",
        "code",
        "text",
        "type",
    ]
)
noise = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=4),
    max_leaves=15,
)


@settings(max_examples=50)
@given(noise)
def test_any_json_is_read_without_an_exception(raw: object) -> None:
    found = read_body(json.dumps(raw).encode())

    assert all(spoken.text == "" or not spoken.problem for spoken in found.choices)
    assert len(found.error) <= 2000


@given(st.binary(max_size=200))
def test_any_bytes_are_read_without_an_exception(raw: bytes) -> None:
    read_body(raw)


@given(st.text())
def test_cleaning_takes_only_from_the_front(text: str) -> None:
    kept = clean(text)

    assert text.encode("utf-8", "replace").decode().endswith(kept)
