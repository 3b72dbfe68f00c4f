"""Generate over any OpenAI-compatible `/chat/completions`; returns text as drafts and claims nothing of it.

What cannot be used is named in a draft that is never applied, so that its author can be told. The key is in the
client's header and nowhere else.
"""

from collections.abc import Mapping

from agent.adapters.models.completions import CHARS_PER_TOKEN, PATH, Completions, Ledger, Names
from agent.adapters.models.http import Endpoint, checked_key, checked_url
from agent.adapters.models.price import Price
from agent.adapters.models.reach import Reach
from agent.adapters.models.retrying import GENERATE_CAP, Pace
from agent.adapters.models.speaking import Room, Said, Speaker
from agent.domain.edit import Draft
from agent.edits.reply import draft_of
from agent.ports import WriteRequest, Written

__all__ = ["ChatGenerator", "Price"]

NAMES = Names(
    who="Generate",
    url="BENDCODER_GENERATE_URL",
    model="BENDCODER_GENERATE_MODEL",
    key="OPENROUTER_API_KEY",
)
ROOM = 96_000
"""Characters: some 24,000 tokens, which the smallest windows in use hold beside an answer."""
_FILL = 0.7
"""Of the window less the answer: what a prompt may fill, because characters per token are an estimate."""
_USUAL_TOKENS = 4_096


class ChatGenerator:
    """`agent.ports.Generator` over one OpenAI-compatible endpoint."""

    repairs = True
    prose = True

    def __init__(
        self,
        *,
        url: str,
        model: str,
        key: str,
        price: Price | None = None,
        models: Mapping[str, str] | None = None,
        candidates: int | None = None,
        size: Room | None = None,
        reach: Reach | None = None,
        pace: Pace | None = None,
    ) -> None:
        """`models`: role -> another model than the usual; `candidates`: most drafts a call, None: the loop's wish."""
        self._pace = pace or Pace(cap=GENERATE_CAP)
        size = size or Room()
        endpoint = Endpoint(
            url=checked_url(url, NAMES.url, PATH),
            key=checked_key(key, NAMES.key),
            reach=reach or Reach(),
            clock=self._pace.clock,
        )
        self._completions = Completions(endpoint=endpoint, pace=self._pace, names=NAMES)
        self._speaker = Speaker(self._completions, self._pace, size)
        self._model, self._models, self._price, self._candidates = model, dict(models or {}), price, candidates
        self.label = f"chat {model}"
        self.room = room_of(size)

    def close(self) -> None:
        """Close the connection pool."""
        self._completions.close()

    def write(self, request: WriteRequest, n: int) -> Written:
        """Ask for `n` texts; ModelError when the endpoint cannot be used, with the setting to change."""
        started = self._pace.clock()
        ledger = Ledger(price=self._price)
        said = self._speaker.say(
            self._models.get(request.role, self._model),
            [{"role": role, "content": text} for role, text in request.messages],
            max(1, min(n, self._candidates or n)) if request.role == "draft" else 1,
            request.seconds,
            ledger,
        )
        unusable = "" if said.texts else f"no usable reply: {said.problems[0]}"
        return Written(
            drafts=_drafts(request, said),
            tokens=ledger.tokens,
            money=ledger.money,
            seconds=self._pace.clock() - started,
            stop=", ".join(said.stops),
            model=f"chat/{said.model}",
            note="; ".join(note for note in (unusable, *ledger.notes) if note),
        )


def room_of(size: Room) -> int:
    """Characters a prompt may have for a model of this size."""
    if size.window is None:
        return ROOM
    return max(1, int((size.window - min(size.most or _USUAL_TOKENS, size.window // 2)) * _FILL)) * CHARS_PER_TOKEN


def _drafts(request: WriteRequest, said: Said) -> tuple[Draft, ...]:
    """Texts as drafts; without any, one draft that says why there is none."""
    if request.role != "draft":
        return tuple(Draft(text=text.encode()) for text in said.texts)
    if not said.texts:
        return (Draft(problem=f"the reply cannot be used: {said.problems[0]}"),)
    return tuple(draft_of(text, request.anchor) for text in said.texts)
