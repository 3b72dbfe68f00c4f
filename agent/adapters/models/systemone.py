"""Classify over the System One wire, through the official SDK with an explicit base URL; decides nothing itself.

Any server that speaks `/v1/systemone` will do. What it answers is read leniently, question by question; what it is sent
keeps to the wire. The key goes into the client and nowhere else.
"""

from collections.abc import Mapping

from typesafe_sdk import (
    RetryPolicy,
    TypeSafeAPIError,
    TypeSafeAPIResponseValidationError,
    TypeSafeAPITimeoutError,
    TypeSafeClient,
    TypeSafeError,
)

from agent.adapters.models.bounded import BoundedTransport
from agent.adapters.models.completions import TooLongError
from agent.adapters.models.http import UnreachedError, checked_key, checked_url
from agent.adapters.models.price import Price
from agent.adapters.models.reach import Reach
from agent.adapters.models.reading import read_answers
from agent.adapters.models.retrying import (
    CLASSIFY_CAP,
    RETRY_STATUSES,
    GaveUpError,
    Pace,
    Tried,
    TryAgainError,
    insist,
    wished_wait,
)
from agent.adapters.models.wire import wire_question
from agent.domain.answers import Answer, Classified, Missing, Question
from agent.domain.profiles import NOT_CALIBRATED, profile_of

DEFAULT_URL = "https://api.typesafe.ai"
DEFAULT_MODEL = "jev-1.13.0"  # pinned: thresholds belong to a version, aliases move
CALL_SECONDS = 10.0
TOTAL_SECONDS = 45.0  # with three retries; the vendor's own budget is 30 s with two
_MOST_TOKENS = 10**9  # more is no count


class SystemOneClassifier:
    """`agent.ports.Classifier` over one System One server."""

    def __init__(
        self,
        *,
        url: str,
        model: str,
        key: str,
        price: Price | None = None,
        reach: Reach | None = None,
        pace: Pace | None = None,
    ) -> None:
        self._model, self._price = model, price
        self._pace = pace or Pace(cap=CLASSIFY_CAP)
        self.profile = profile_of("systemone", model)
        self.label = f"systemone {model}" + ("" if self.profile.calibrated else f", {NOT_CALIBRATED}")
        base = checked_url(url, "BENDCODER_CLASSIFY_URL", "/v1/systemone")
        self._transport = BoundedTransport(base, reach or Reach(), self._pace.clock)
        self._client = TypeSafeClient(
            # keyless local servers: the SDK insists on a value
            api_key=checked_key(key, "TYPESAFE_API_KEY") or "none-needed",
            base_url=base,
            model=model,
            timeout=CALL_SECONDS,
            retry=RetryPolicy(max_retries=0),  # ours have full jitter, one deadline and a clock that is handed in
            transport=self._transport,
            compression=False,  # third-party servers do not all unpack request bodies
        )

    def close(self) -> None:
        """Close the connection pool."""
        self._client.close()

    def ask(self, state: Mapping[str, object], questions: Mapping[str, Question]) -> Classified:
        """One answered call. A failed one is a `Missing` per question with what to change: the run then stops by name.

        TooLongError when the server finds the request too long.
        """
        started, tried = self._pace.clock(), Tried()
        refused: dict[str, Answer] = {}
        try:
            raw = self._insist(state, questions, started, tried)
            if isinstance(raw, _Refused):  # one question the server cannot take must not cost the others
                refused = {name: Missing(reason=raw.reason) for name in raw.names}
                asked = {name: question for name, question in questions.items() if name not in refused}
                raw = self._insist(state, asked, started, tried)
        except _FailedError as error:
            raw = error
        return self._classified(questions, refused, raw, started, tried)

    def _insist(
        self, state: Mapping[str, object], questions: Mapping[str, Question], started: float, tried: Tried
    ) -> object:
        left = started + TOTAL_SECONDS - self._pace.clock()
        try:
            return insist(lambda seconds: self._once(state, questions, seconds), self._pace, left, tried)
        except GaveUpError as error:
            reason = f"Classify failed after {error.tries} tries: {error.reason}; check BENDCODER_CLASSIFY_URL"
        raise _FailedError(reason)

    def _once(self, state: Mapping[str, object], questions: Mapping[str, Question], left: float) -> object:
        wire = {name: wire_question(question) for name, question in questions.items()}
        seconds = max(0.05, min(CALL_SECONDS, left))
        self._transport.begin(seconds)
        failure: TypeSafeError | UnreachedError
        try:
            response = self._client.system_one(dict(state), wire, timeout=seconds)  # type: ignore[arg-type]  # JSON by construction
        except TypeSafeAPIResponseValidationError as error:
            return error.body  # structurally odd: read what can be read, answer by answer
        except (TypeSafeError, UnreachedError) as error:
            failure = error
        else:
            return response.model_dump(mode="python")
        return self._failed(failure, questions)

    def _failed(self, failure: TypeSafeError | UnreachedError, questions: Mapping[str, Question]) -> object:
        """Sort a failure: to be tried again, too long, one refused question, or final. No body is shown."""
        if isinstance(failure, UnreachedError):
            if failure.again:
                raise TryAgainError(failure.reason)
            raise _FailedError(f"Classify cannot be read: {failure.reason}; check BENDCODER_CLASSIFY_URL")
        if not isinstance(failure, TypeSafeAPIError):
            kind = "no reply in time" if isinstance(failure, TypeSafeAPITimeoutError) else type(failure).__name__
            raise TryAgainError(f"it could not be reached ({kind})")
        if failure.status == 413 or "max_tokens_exceeded" in str(failure.body)[:5000]:
            raise TooLongError(f"Classify finds the request too long (status {failure.status})")
        if failure.status in RETRY_STATUSES:
            headers = {name.lower(): value for name, value in failure.headers.items()}
            raise TryAgainError(f"status {failure.status}", wished_wait(headers, self._pace.now()))
        named = _named(failure.body, questions) if failure.status in (400, 422) else frozenset()
        if named:
            return _Refused(named, f"Classify's server refuses this question (status {failure.status})")
        raise _FailedError(_advice(failure.status))

    def _classified(
        self,
        questions: Mapping[str, Question],
        refused: Mapping[str, Answer],
        raw: object,
        started: float,
        tried: Tried,
    ) -> Classified:
        answers: Mapping[str, Answer]
        body = raw if isinstance(raw, Mapping) else {}
        if isinstance(raw, _FailedError | _Refused):
            answers = {name: Missing(reason=raw.reason) for name in questions}
        else:
            answers = {**read_answers(questions, body.get("answers")), **refused}
        usage = body.get("usage")
        tokens_in, tokens_out = _count(usage, "input_tokens"), _count(usage, "output_tokens")
        answered = body.get("model")
        answered = answered if isinstance(answered, str) and answered.isprintable() and len(answered) <= 100 else ""
        moved = f"{answered} answered for {self._model}: floors belong to a model" if answered else ""
        notes = {"floors": self.profile.warning, "retries": tried.note, "model": moved}
        if answered == self._model:
            del notes["model"]
        return Classified(
            answers=answers,
            model=f"systemone/{answered or self._model}",
            tokens=tokens_in + tokens_out,
            money=self._price.of(tokens_in, tokens_out) if self._price else None,
            seconds=self._pace.clock() - started,
            request_id=self._transport.request_id,
            notes={name: note for name, note in notes.items() if note},
        )


class _FailedError(Exception):
    """A call that failed for good: `reason` names the setting to look at."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class _Refused:
    """Some questions of a call that the server says it cannot take."""

    def __init__(self, names: frozenset[str], reason: str) -> None:
        self.names, self.reason = names, reason


def _named(body: object, questions: Mapping[str, Question]) -> frozenset[str]:
    """Questions a validation error names, when it does not name all of them."""
    detail = body.get("detail") if isinstance(body, Mapping) else None
    found = set()
    for entry in detail if isinstance(detail, list) else []:
        where = entry.get("loc") if isinstance(entry, Mapping) else None
        if not isinstance(where, list):
            continue
        at = where.index("questions") + 1 if "questions" in where else len(where)
        if at < len(where) and where[at] in questions:
            found.add(str(where[at]))
    return frozenset(found) if 0 < len(found) < len(questions) else frozenset()


def _count(usage: object, name: str) -> int:
    """A token count, 0 for what cannot be one."""
    used = usage.get(name) if isinstance(usage, Mapping) else None
    if isinstance(used, bool) or not isinstance(used, int | float):
        return 0
    return int(used) if 0 <= used < _MOST_TOKENS else 0


def _advice(status: int) -> str:
    """Say whose setting to look at, without the body (it may echo source code)."""
    if status in (401, 403):
        return f"Classify refused the key (status {status}): check TYPESAFE_API_KEY"
    if status == 402:
        return "Classify says the credit is used up (status 402)"
    if status == 404:
        return "Classify answered 404: check BENDCODER_CLASSIFY_URL and BENDCODER_CLASSIFY_MODEL"
    if 300 <= status < 400:
        return f"Classify redirects elsewhere (status {status}), not followed: check BENDCODER_CLASSIFY_URL"
    return f"Classify failed with status {status}: check BENDCODER_CLASSIFY_MODEL"
