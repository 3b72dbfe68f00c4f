"""Records every Classify and Generate exchange to a file, or replays one; a replay never invents an answer.

One JSON object per line: `{"kind": "classify"|"generate", "digest": sha256 of the request, "answer": ...}`.
Exchanges of one request are replayed in their recorded order; one that was never recorded is an error, not a guess.
"""

import base64
import hashlib
import json
from collections import defaultdict, deque
from collections.abc import Mapping
from pathlib import Path

from agent.domain.answers import Answer, Chosen, Classified, Missing, Nouled, Question, Scored
from agent.domain.edit import Draft
from agent.domain.profiles import BENDCODER, Profile
from agent.errors import ModelError
from agent.ports import Classifier, Generator, WriteRequest, Written


def _digest(kind: str, payload: object) -> str:
    return hashlib.sha256(json.dumps([kind, payload], sort_keys=True, default=repr).encode()).hexdigest()


def _classify_digest(state: Mapping[str, object], questions: Mapping[str, Question]) -> str:
    return _digest("classify", {"state": state, "questions": {name: repr(q) for name, q in questions.items()}})


def _generate_digest(request: WriteRequest, n: int) -> str:
    return _digest("generate", {"messages": request.messages, "anchor": repr(request.anchor), "n": n})


class Cassette:
    """The file: append while recording, a queue per request while replaying."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._recorded: dict[tuple[str, str], deque[dict[str, object]]] | None = None

    def append(self, kind: str, digest: str, answer: Mapping[str, object]) -> None:
        """Write one exchange, flushed."""
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"kind": kind, "digest": digest, "answer": answer}) + "\n")

    def take(self, kind: str, digest: str) -> dict[str, object]:
        """The next recorded answer to this request; ModelError when there is none left."""
        if self._recorded is None:
            self._recorded = self._load()
        queue = self._recorded[(kind, digest)]
        if not queue:
            raise ModelError(f"the cassette {self._path.name} holds no further {kind} exchange for this request")
        return queue.popleft()

    def _load(self) -> dict[tuple[str, str], deque[dict[str, object]]]:
        recorded: dict[tuple[str, str], deque[dict[str, object]]] = defaultdict(deque)
        for number, line in enumerate(self._path.read_text(encoding="utf-8").splitlines(), start=1):
            try:
                entry = json.loads(line)
                recorded[(entry["kind"], entry["digest"])].append(entry["answer"])
            except (ValueError, KeyError, TypeError):
                raise ModelError(f"line {number} of the cassette {self._path.name} is not an exchange") from None
        return recorded


class RecordingClassifier:
    """Asks the real backend and keeps what it said."""

    def __init__(self, inner: Classifier, cassette: Cassette) -> None:
        self._inner, self._cassette, self.label = inner, cassette, inner.label
        self.profile = inner.profile

    def ask(self, state: Mapping[str, object], questions: Mapping[str, Question]) -> Classified:
        """Pass on, record, return."""
        answer = self._inner.ask(state, questions)
        self._cassette.append("classify", _classify_digest(state, questions), _classified_out(answer))
        return answer


class RecordingGenerator:
    """Asks the real backend and keeps what it wrote."""

    def __init__(self, inner: Generator, cassette: Cassette) -> None:
        self._inner, self._cassette, self.label = inner, cassette, inner.label
        self.repairs, self.prose, self.room = inner.repairs, inner.prose, inner.room

    def write(self, request: WriteRequest, n: int) -> Written:
        """Pass on, record, return."""
        written = self._inner.write(request, n)
        self._cassette.append("generate", _generate_digest(request, n), _written_out(written))
        return written


class CassetteClassifier:
    """`agent.ports.Classifier` that only replays."""

    label = "cassette (replayed)"

    def __init__(self, cassette: Cassette, profile: Profile = BENDCODER) -> None:
        self._cassette, self.profile = cassette, profile

    def ask(self, state: Mapping[str, object], questions: Mapping[str, Question]) -> Classified:
        """The recorded answer to exactly this request."""
        return _classified_in(self._cassette.take("classify", _classify_digest(state, questions)))


class CassetteGenerator:
    """`agent.ports.Generator` that only replays."""

    label = "cassette (replayed)"
    repairs = True
    prose = True
    room = 96_000

    def __init__(self, cassette: Cassette) -> None:
        self._cassette = cassette

    def write(self, request: WriteRequest, n: int) -> Written:
        """The recorded drafts for exactly this request."""
        return _written_in(self._cassette.take("generate", _generate_digest(request, n)))


def _answer_out(answer: Answer) -> dict[str, object]:
    match answer:
        case Chosen():
            return {
                "choice": answer.choice,
                "probabilities": dict(answer.probabilities),
                "confidence": answer.confidence,
            }
        case Scored():
            return {"score": answer.score, "probabilities": dict(answer.probabilities), "confidence": answer.confidence}
        case Nouled():
            return {"noul": answer.probability}
        case Missing():
            return {"missing": answer.reason}


def _answer_in(raw: dict[str, object]) -> Answer:
    if "missing" in raw:
        return Missing(reason=str(raw["missing"]))
    if "noul" in raw:
        return Nouled(probability=_float(raw["noul"]))
    shares = raw.get("probabilities")
    probabilities = {str(k): _float(v) for k, v in shares.items()} if isinstance(shares, dict) else {}
    confidence = _float(raw.get("confidence"))
    if "choice" in raw:
        return Chosen(choice=str(raw["choice"]), probabilities=probabilities, confidence=confidence)
    return Scored(score=_float(raw.get("score")), probabilities=probabilities, confidence=confidence)


def _classified_out(answer: Classified) -> dict[str, object]:
    answers = {name: _answer_out(one) for name, one in answer.answers.items()}
    return {"answers": answers, "model": answer.model, "tokens": answer.tokens}


def _classified_in(raw: dict[str, object]) -> Classified:
    answers = raw.get("answers")
    read = {str(k): _answer_in(v) for k, v in answers.items()} if isinstance(answers, dict) else {}
    return Classified(answers=read, model=str(raw.get("model", "")), tokens=int(_float(raw.get("tokens"))))


def _written_out(written: Written) -> dict[str, object]:
    drafts = [{"text": base64.b64encode(draft.text).decode(), "note": draft.note} for draft in written.drafts]
    return {
        "drafts": drafts,
        "tokens": written.tokens,
        "money": written.money,
        "stop": written.stop,
        "model": written.model,
    }


def _written_in(raw: dict[str, object]) -> Written:
    entries = raw.get("drafts")
    drafts = tuple(
        Draft(text=base64.b64decode(str(entry["text"])), note=str(entry["note"]))
        for entry in (entries if isinstance(entries, list) else [])
    )
    money = raw.get("money")
    return Written(
        drafts=drafts,
        tokens=int(_float(raw.get("tokens"))),
        money=None if money is None else _float(money),
        stop=str(raw.get("stop", "")),
        model=str(raw.get("model", "")),
    )


def _float(raw: object) -> float:
    return float(raw) if isinstance(raw, int | float) else 0.0
