"""Classify over the System One wire, through the official SDK with an explicit base URL; decides nothing itself.

Any server that speaks `/v1/systemone` will do. The key goes into the client and nowhere else.
"""

import time
from collections.abc import Mapping

from typesafe_sdk import Choice as WireChoice
from typesafe_sdk import Noul as WireNoul
from typesafe_sdk import (
    RetryPolicy,
    TypeSafeAPIError,
    TypeSafeAPIResponseValidationError,
    TypeSafeClient,
    TypeSafeError,
)
from typesafe_sdk import Score as WireScore

from agent.adapters.models.reading import read_answers
from agent.domain.answers import Choice, Classified, Missing, Question, Score
from agent.domain.profiles import NOT_CALIBRATED, profile_of

DEFAULT_URL = "https://api.typesafe.ai"
DEFAULT_MODEL = "jev-1.13.0"  # pinned: thresholds belong to a version, aliases move
CALL_SECONDS = 10.0
TOTAL_SECONDS = 45.0  # with three retries; the vendor's own budget is 30 s with two


class SystemOneClassifier:
    """`agent.ports.Classifier` over one System One server."""

    def __init__(self, *, url: str, model: str, key: str) -> None:
        self._model = model
        self.profile = profile_of("systemone", model)
        self.label = f"systemone {model}" + ("" if self.profile.calibrated else f", {NOT_CALIBRATED}")
        self._client = TypeSafeClient(
            api_key=key or "none-needed",  # keyless local servers: the SDK insists on a value
            base_url=url,
            model=model,
            timeout=CALL_SECONDS,
            retry=RetryPolicy(max_retries=3, timeout=TOTAL_SECONDS),
            compression=False,  # third-party servers do not all unpack request bodies
        )

    def close(self) -> None:
        """Close the connection pool."""
        self._client.close()

    def ask(self, state: Mapping[str, object], questions: Mapping[str, Question]) -> Classified:
        """One call. A failed call is a `Missing` per question with what to change, so that the run stops by name."""
        started = time.monotonic()
        wire = {name: _wire(question) for name, question in questions.items()}
        tokens, request_id = 0, ""
        try:
            response = self._client.system_one(dict(state), wire)  # type: ignore[arg-type]  # JSON by construction
            raw: object = response.model_dump(mode="python")
        except TypeSafeAPIResponseValidationError as error:
            raw = error.body  # structurally odd: read what can be read, answer by answer
        except TypeSafeError as error:
            return self._unanswered(questions, _advice(error), time.monotonic() - started)
        answers = read_answers(questions, raw.get("answers") if isinstance(raw, Mapping) else None)
        if isinstance(raw, Mapping) and isinstance(raw.get("usage"), Mapping):
            used = raw["usage"].get("input_tokens")
            tokens = int(used) if isinstance(used, int | float) and used == used and 0 <= used < 10**9 else 0
        return Classified(
            answers=answers,
            model=f"systemone/{self._model}",
            tokens=tokens,
            seconds=time.monotonic() - started,
            request_id=request_id,
        )

    def _unanswered(self, questions: Mapping[str, Question], reason: str, seconds: float) -> Classified:
        answers = {name: Missing(reason=reason) for name in questions}
        return Classified(answers=answers, model=f"systemone/{self._model}", seconds=seconds)


def _wire(question: Question) -> WireChoice | WireScore | WireNoul:
    if isinstance(question, Choice):
        return WireChoice(instructions=question.instructions, criteria=dict(question.options))
    if isinstance(question, Score):
        return WireScore(instructions=question.instructions, criteria=list(question.levels))
    return WireNoul(instructions=question.instructions)


def _advice(error: TypeSafeError) -> str:
    """Say whose setting to look at, without the body (it may echo source code)."""
    status = getattr(error, "status", None) if isinstance(error, TypeSafeAPIError) else None
    if status in (401, 403):
        return f"Classify refused the key (status {status}): check TYPESAFE_API_KEY"
    if status == 402:
        return "Classify says the credit is used up (status 402)"
    if status == 404:
        return "Classify answered 404: check BENDCODER_CLASSIFY_URL and BENDCODER_CLASSIFY_MODEL"
    if status is not None:
        return f"Classify failed with status {status}"
    return f"Classify could not be reached ({type(error).__name__}): check BENDCODER_CLASSIFY_URL"
