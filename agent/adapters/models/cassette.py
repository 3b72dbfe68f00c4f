"""Records every Classify and Generate exchange to a file, or replays one; a replay never invents an answer.

One JSON object per line: `{"v", "kind": "classify"|"generate", "digest", "profile", "answer"}`, the answer whole, as
the trace keeps it. Exchanges of one request are replayed in their recorded order; one that was never recorded is an
error. The file holds source code of the repository, so it is made readable for its owner alone.
"""

import hashlib
import json
import os
import re
from collections import defaultdict, deque
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar, assert_never

from agent.adapters.models.closing import release
from agent.domain.answers import Choice, Classified, Noul, Question, Score
from agent.domain.profiles import BENDCODER, Profile, profile_of
from agent.errors import ModelError
from agent.ports import Classifier, Generator, WriteRequest, Written
from agent.records import read_back, written_down

T = TypeVar("T")

VERSION = 2
_CLASSIFY, _GENERATE = "classify", "generate"
_CHANCE = re.compile(r"\b\d+(\.\d+)?\s?(ms|s|seconds?)\b|\b0x[0-9a-fA-F]+\b")
"""What differs between two runs of the same tests: durations and addresses."""
_UNTIMED = "seconds_left"
"""The one number of the state that is not the same when a run is repeated."""


def _digest(kind: str, payload: object) -> str:
    text = json.dumps([kind, payload], sort_keys=True, default=repr)
    return hashlib.sha256(_CHANCE.sub("#", text).encode()).hexdigest()


def classify_digest(state: Mapping[str, object], questions: Mapping[str, Question]) -> str:
    """Names a Classify request: the same in every process, whatever the clock says."""
    budget = state.get("budget")
    if isinstance(budget, Mapping):
        state = {**state, "budget": {name: value for name, value in budget.items() if name != _UNTIMED}}
    asked = {name: _question(one) for name, one in questions.items()}
    return _digest(_CLASSIFY, {"state": state, "questions": asked})


def _question(question: Question) -> list[object]:
    """A question without a map: the order of options is part of it."""
    match question:
        case Choice():
            return ["choice", question.instructions, list(question.options.items())]
        case Score():
            return ["score", question.instructions, list(question.levels)]
        case Noul():
            return ["noul", question.instructions]
        case _:
            assert_never(question)


def generate_digest(request: WriteRequest, n: int) -> str:
    """Names a Generate request by what is asked; time limits and the order of quick tests are left out."""
    asked = {
        "role": request.role,
        "messages": request.messages,
        "anchor": repr(request.anchor),
        "source": hashlib.sha256(request.source).hexdigest(),
        "failing": sorted(request.failing),
        "changes": repr(request.changes),
        "n": n,
    }
    return _digest(_GENERATE, asked)


class Cassette:
    """The file: append while recording, a queue per request while replaying."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._recorded: dict[tuple[str, str], deque[str]] | None = None
        self._profile = ""

    def append(self, kind: str, digest: str, answer: object, profile: str = "") -> None:
        """Write one exchange, in one piece; ModelError when it cannot be written down whole."""
        text = written_down(answer)
        if not text:
            raise ModelError(f"an exchange cannot be recorded in {self._path.name}: its text is no Unicode")
        entry = {"v": VERSION, "kind": kind, "digest": digest, "profile": profile, "answer": json.loads(text)}
        line = json.dumps(entry) + "\n"
        try:
            file = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                os.write(file, line.encode())
            finally:
                os.close(file)
        except OSError as error:
            raise ModelError(
                f"the cassette {self._path.name} cannot be written ({error.strerror}): check BENDCODER_RECORD"
            ) from None

    def take(self, kind: str, digest: str, of: type[T]) -> T:
        """The next recorded answer to this request; ModelError when there is none left."""
        queue = self._load()[(kind, digest)]
        if not queue:
            raise ModelError(f"the cassette {self._path.name} holds no further {kind} exchange for this request")
        answer = read_back(of, queue.popleft())
        if answer is None:
            raise ModelError(f"the cassette {self._path.name} holds a {kind} exchange that is spoiled: record it again")
        return answer

    def profile(self) -> Profile:
        """The floors that were in force when it was recorded."""
        self._load()
        backend, _, model = self._profile.partition("/")
        return profile_of(backend, model) if backend else BENDCODER

    def _load(self) -> dict[tuple[str, str], deque[str]]:
        if self._recorded is not None:
            return self._recorded
        recorded: dict[tuple[str, str], deque[str]] = defaultdict(deque)
        for number, line in enumerate(self._path.read_text(encoding="utf-8").splitlines(), start=1):
            try:
                entry = json.loads(line)
                recorded[(entry["kind"], entry["digest"])].append(json.dumps(entry["answer"]))
                self._profile = self._profile or str(entry.get("profile") or "")
                usable = entry["v"] == VERSION
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
                usable = False
            if not usable:
                raise ModelError(f"line {number} of the cassette {self._path.name} is not an exchange: record it again")
        self._recorded = recorded
        return recorded


class RecordingClassifier:
    """Asks the real backend and keeps what it said."""

    def __init__(self, inner: Classifier, cassette: Cassette) -> None:
        self._inner, self._cassette = inner, cassette
        self.label, self.profile = inner.label, inner.profile

    def ask(self, state: Mapping[str, object], questions: Mapping[str, Question]) -> Classified:
        """Pass on, record, return."""
        answer = self._inner.ask(state, questions)
        self._cassette.append(_CLASSIFY, classify_digest(state, questions), answer, self.profile.name)
        return answer

    def close(self) -> None:
        """Close the backend's connections."""
        release(self._inner)


class RecordingGenerator:
    """Asks the real backend and keeps what it wrote."""

    def __init__(self, inner: Generator, cassette: Cassette) -> None:
        self._inner, self._cassette, self.label = inner, cassette, inner.label
        self.repairs, self.prose, self.room = inner.repairs, inner.prose, inner.room

    def write(self, request: WriteRequest, n: int) -> Written:
        """Pass on, record, return."""
        written = self._inner.write(request, n)
        self._cassette.append(_GENERATE, generate_digest(request, n), written)
        return written

    def close(self) -> None:
        """Close the backend's connections."""
        release(self._inner)


class CassetteClassifier:
    """`agent.ports.Classifier` that only replays."""

    label = "cassette (replayed)"

    def __init__(self, cassette: Cassette) -> None:
        self._cassette, self.profile = cassette, cassette.profile()

    def ask(self, state: Mapping[str, object], questions: Mapping[str, Question]) -> Classified:
        """The recorded answer to exactly this request."""
        return self._cassette.take(_CLASSIFY, classify_digest(state, questions), Classified)


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
        return self._cassette.take(_GENERATE, generate_digest(request, n), Written)
