"""What a server that sends noise answers over HTTP, on both wires; kept apart from noise that needs no server."""

from collections.abc import Mapping

from agent.domain.answers import Choice, Noul, Question, Score
from agent.ports import WriteRequest
from tests.support.chat_server import Reply
from tests.support.noise import Temper, text_for
from tests.support.noise_wire import classify_body, completion_body

HEADERS = (
    (("Content-Type", "text/html"),), (("Content-Encoding", "gzip"),), (("Retry-After", "-1"),),
    (("x-typesafe-request-id", "\x7f" * 300),), (("Location", "http://127.0.0.1:9/"),),
)  # fmt: skip


def replies_of(temper: Temper, asked: Mapping[str, object]) -> Reply:
    """One reply to one request, the same for the same request."""
    told = {name: value for name, value in asked.items() if name != "state"}
    dice = temper.dice("http", told)
    odd = dice.random() > max(temper.sense, 0.8)
    status = dice.choice((200, 200, 400, 401, 404, 413, 422, 429, 500, 503, 307)) if odd else 200
    questions = asked.get("questions")
    if isinstance(questions, Mapping):
        body = classify_body(dice, temper.sense, {name: _question(one) for name, one in questions.items()})
    else:
        messages = asked.get("messages")
        shown = messages if isinstance(messages, list) else []
        request = WriteRequest(anchor=None, messages=tuple((one["role"], str(one["content"])) for one in shown))
        body = completion_body(dice, [text_for(dice, request) for _ in range(dice.randrange(4))])
    return Reply(status=status, body=body, headers=dice.choice(HEADERS) if odd else ())


def _question(sent: Mapping[str, object]) -> Question:
    criteria = sent.get("criteria")
    if isinstance(criteria, Mapping):
        return Choice(instructions="?", options={str(label): str(text) for label, text in criteria.items()})
    if isinstance(criteria, list):
        return Score(instructions="?", levels=tuple(map(str, criteria)))
    return Noul(instructions="?")
