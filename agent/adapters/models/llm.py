"""Classify by any OpenAI-compatible chat model that writes probabilities down; decides nothing itself.

The vendor's adapter asks and checks, our own client carries it: proxy, deadline, size and price are those of every
other endpoint. Written-down probabilities are another scale than a decision model's: the backend has its own profile.
"""

import importlib
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Protocol

from typesafe_sdk import TypeSafeAPIResponseValidationError, TypeSafeError

from agent.adapters.models.completions import PATH, Completions, Ledger, Names, TooLongError
from agent.adapters.models.http import Endpoint, checked_key, checked_url
from agent.adapters.models.price import Price
from agent.adapters.models.reach import Reach
from agent.adapters.models.reading import read_answers
from agent.adapters.models.retrying import CLASSIFY_CAP, Pace
from agent.adapters.models.shortlist import Narrowing, narrowed
from agent.adapters.models.verbalised import below_the_document, salvaged
from agent.adapters.models.wire import wire_question
from agent.domain.answers import Answer, Choice, Classified, Missing, Question
from agent.domain.profiles import NOT_CALIBRATED, profile_of
from agent.errors import ModelError

NAMES = Names(
    who="Classify",
    url="BENDCODER_CLASSIFY_URL",
    model="BENDCODER_CLASSIFY_MODEL",
    key="OPENROUTER_API_KEY",
)
TOTAL_SECONDS = 90.0
"""Of one `ask` with all its rounds and tries: chat models take seconds where a decision model takes a tenth of one."""
MALFORMED_RETRIES = 2


class _Adapter(Protocol):
    """What is used of the vendor's client."""

    def system_one(self, state: object, questions: object) -> object: ...


class LlmClassifier:
    """`agent.ports.Classifier` over one chat completions endpoint."""

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
        """ModelError when a setting is no good, or the extra that brings the adapter is not installed."""
        self._pace, self._price, self._model = pace or Pace(cap=CLASSIFY_CAP), price, model
        self._parts = _vendor()
        endpoint = Endpoint(
            url=checked_url(url, NAMES.url, PATH),
            key=checked_key(key, NAMES.key),
            reach=reach or Reach(),
            clock=self._pace.clock,
        )
        self._completions = Completions(endpoint=endpoint, pace=self._pace, names=NAMES)
        self.profile = profile_of("llm", model)
        self.label = f"llm {model}, {NOT_CALIBRATED}: probabilities written down by a chat model"

    def close(self) -> None:
        """Close the connection pool."""
        self._completions.close()

    def ask(self, state: Mapping[str, object], questions: Mapping[str, Question]) -> Classified:
        """One call, and further ones while a pick of lines has to be narrowed down. TooLongError as `systemone`."""
        started, ledger = self._pace.clock(), Ledger(price=self._price)
        provider = _Provider(self._parts, self._completions, self._model, ledger, started + TOTAL_SECONDS, self._pace)
        answers: dict[str, Answer] = {}
        open_rounds: dict[str, Narrowing | Question] = {
            name: narrowed(question) if isinstance(question, Choice) else question
            for name, question in questions.items()
        }
        while open_rounds:
            asked = {name: one.asked if isinstance(one, Narrowing) else one for name, one in open_rounds.items()}
            found = self._round(provider, state, asked)
            stay: dict[str, Narrowing | Question] = {}
            for name, one in open_rounds.items():
                result = one.answered(found[name]) if isinstance(one, Narrowing) else found[name]
                if isinstance(result, Narrowing):
                    stay[name] = result
                else:
                    answers[name] = result
            open_rounds = stay
        notes = {"floors": self.profile.warning, "usage": "; ".join(ledger.notes)}
        return Classified(
            answers={name: answers[name] for name in questions},
            model=f"llm/{provider.answered or self._model}",
            tokens=ledger.tokens,
            money=ledger.money,
            seconds=self._pace.clock() - started,
            notes={name: note for name, note in notes.items() if note},
        )

    def _round(
        self, provider: "_Provider", state: Mapping[str, object], questions: Mapping[str, Question]
    ) -> Mapping[str, Answer]:
        wire = {name: wire_question(question) for name, question in questions.items()}
        adapter = self._parts.client(provider)
        try:
            response = adapter.system_one(dict(state), wire)
        except TooLongError:
            raise
        except ModelError as error:
            return {name: Missing(reason=str(error)) for name in questions}
        except TypeSafeAPIResponseValidationError:
            return salvaged(provider.last, questions)
        except TypeSafeError as error:
            return {name: Missing(reason=f"Classify failed: {type(error).__name__}") for name in questions}
        raw = response.model_dump(mode="python") if hasattr(response, "model_dump") else {}
        return read_answers(questions, raw.get("answers"))


class _Parts:
    """The vendor's package, found when it is needed."""

    def __init__(self, package: ModuleType, providers: ModuleType) -> None:
        self._package, self._providers = package, providers

    def client(self, provider: "_Provider") -> _Adapter:
        """A client of one `ask`; it holds nothing that has to be closed."""
        adapter: _Adapter = self._package.SystemOneAdapterClient(
            structured_outputs=False,  # in the prompt: not every server knows JSON schemas
            llm_answer_mode="probabilities",
            normalize_probabilities=True,
            n_retry_malformed_structure=MALFORMED_RETRIES,
            model=provider,
        )
        return adapter

    def result(self, text: str, tokens_in: int, tokens_out: int) -> object:
        """A provider's answer in the adapter's own type."""
        made: object = self._providers.ProviderResult(text=text, input_tokens=tokens_in, output_tokens=tokens_out)
        return made


class _Provider:
    """What the adapter calls for one request: our own client in its terms."""

    def __init__(
        self, parts: _Parts, completions: Completions, model: str, ledger: Ledger, end: float, pace: Pace
    ) -> None:
        self._parts, self._completions, self._ledger = parts, completions, ledger
        self._end, self._pace = end, pace
        self.model_name = model
        self.answered, self.last = "", ""

    def request(self, messages: Sequence[object], *, schema: object, structured: bool) -> object:  # noqa: ARG002 - the adapter's
        """One call; the schema is in the messages, so that the two arguments of the adapter are not looked at."""
        spoken = below_the_document(
            [{"role": getattr(one, "role", "user"), "content": getattr(one, "content", "")} for one in messages]
        )
        before = self._ledger.tokens_in, self._ledger.tokens_out
        body = self._completions.ask(self.model_name, spoken, self._ledger, self._end - self._pace.clock())
        self.answered = body.model or self.answered
        usable = [one.text for one in body.choices if not one.problem]
        self.last = usable[0] if usable else "{}"  # an empty turn of ours is refused by some servers
        used = self._ledger.tokens_in - before[0], self._ledger.tokens_out - before[1]
        return self._parts.result(self.last, *used)

    def translate_error(self, error: Exception) -> TypeSafeError:
        """The adapter's word for an error of ours; ours are raised as they are and never come here."""
        return TypeSafeError(type(error).__name__)


def _vendor() -> _Parts:
    try:
        package = importlib.import_module("system_one_adapter")
        providers = importlib.import_module("system_one_adapter.providers")
    except ImportError:
        raise ModelError("Classify by `llm` needs a package that is not installed: install bendcoder[llm]") from None
    return _Parts(package, providers)
