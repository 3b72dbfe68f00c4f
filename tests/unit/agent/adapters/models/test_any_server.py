"""Whatever a chat server does in whatever order, Generate ends with a value or a ModelError, in time, in few calls.

The server is a list here, not a socket: hundreds of them are tried.
"""

import json
from collections.abc import Mapping

from hypothesis import given, settings
from hypothesis import strategies as st

from agent.adapters.models.completions import Completions, Ledger, Names
from agent.adapters.models.http import Reply, UnreachedError
from agent.adapters.models.price import Price
from agent.adapters.models.retrying import Pace
from agent.adapters.models.speaking import Room, Said, Speaker
from agent.errors import ModelError

NAMES = Names(who="Generate", url="URL", model="MODEL", key="KEY")
MESSAGES = [{"role": "system", "content": "rules"}, {"role": "user", "content": "fix it"}]
SECONDS = 60.0
MOST_CALLS = 5 * 4
"""Forms of the request, times tries."""

contents = st.sampled_from(
    [None, "", "return 2", "return 3", "<think>", "<think>a</think>b", [{"type": "text", "text": "x"}], 7, "\ud800"]
)
choices = st.fixed_dictionaries(
    {"message": st.fixed_dictionaries({"content": contents}, optional={"tool_calls": st.just([1])})},
    optional={"finish_reason": st.sampled_from(["stop", "length", "tool_calls", "content_filter", "error", None, 3])},
)
errors = st.sampled_from(
    [
        None,
        "n must be 1",
        "max_tokens is not supported",
        "use max_completion_tokens",
        "system role not supported",
        "maximum context length",
        {"code": 429},
        {"code": 400, "message": "n"},
        {"code": 10**400},
    ]
)
counts = st.integers(-5, 500) | st.floats() | st.just(10**400)
bodies = st.fixed_dictionaries(
    {},
    optional={
        "choices": st.lists(choices, max_size=3),
        "error": errors,
        "usage": st.fixed_dictionaries({}, optional={"prompt_tokens": counts, "cost": counts}),
        "model": st.sampled_from(["m", 3, "x" * 500]),
    },
).map(lambda value: json.dumps(value).encode())
headers = st.sampled_from([{}, {"retry-after": "1"}, {"retry-after": "900"}, {"content-type": "text/html"}])
replies = st.builds(
    Reply,
    status=st.sampled_from([200, 200, 200, 302, 400, 401, 404, 413, 422, 429, 500, 503]),
    headers=headers,
    body=bodies | st.binary(max_size=20),
) | st.builds(UnreachedError, st.just("reset"), again=st.booleans())


class Listed:
    """Stands in for an `Endpoint`: the next reply of a list, the last one for ever; each takes some seconds."""

    def __init__(self, script: list[Reply | UnreachedError], takes: float) -> None:
        self.script, self.takes = script, takes
        self.time, self.calls = 0.0, 0
        self.bodies: list[Mapping[str, object]] = []

    def post(self, _path: str, body: Mapping[str, object], seconds: float) -> Reply:
        self.calls += 1
        self.time += min(self.takes, max(seconds, 0.05))
        self.bodies.append(body)
        reply = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        if isinstance(reply, UnreachedError):
            raise reply
        return reply

    def sleep(self, seconds: float) -> None:
        self.time += seconds


@settings(max_examples=50)
@given(
    st.lists(replies, min_size=1, max_size=8),
    st.integers(1, 4),
    st.sampled_from([Room(), Room(most=500), Room(most=500, window=4096)]),
    st.sampled_from([0.0, 1.0, 25.0, 100.0]),
)
def test_any_sequence_of_replies_ends_in_time(
    script: list[Reply | UnreachedError], wanted: int, room: Room, takes: float
) -> None:
    server = Listed(list(script), takes)
    pace = Pace(cap=30.0, clock=lambda: server.time, sleep=server.sleep, now=lambda: 0.0)
    ledger = Ledger(price=Price(per_million_in=1.0, per_million_out=1.0))
    completions = Completions(endpoint=server, pace=pace, names=NAMES)  # type: ignore[arg-type]  # only `post` is used
    try:
        said: Said | None = Speaker(completions, pace, room).say("m", MESSAGES, wanted, SECONDS, ledger)
    except ModelError:
        said = None

    if said is not None:
        assert len(said.texts) <= wanted
        assert len(set(said.texts)) == len(said.texts)
        assert all(text.strip() for text in said.texts)
        assert said.texts or said.problems
    assert server.calls <= MOST_CALLS * (wanted + 1)
    assert server.time <= SECONDS + MOST_CALLS * 0.05
    assert 0 <= ledger.tokens < 10**12
    assert ledger.money is None or 0 <= ledger.money < float("inf")
    assert all(body["stream"] is False for body in server.bodies)
